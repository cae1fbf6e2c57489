import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { findInstallation } from '../../electron/engine/installation'
import type { Installation } from '../../electron/engine/installation'
import { findPlaces } from '../../electron/engine/places'
import type { Places } from '../../electron/engine/places'

export const root = path.resolve(__dirname, '../..')

/** What costs time to make and cannot hurt another test. */
export const sharedFolders = [
  'precompiled',
  'compile-server',
  'include',
  'objects',
  'builds',
  'generated',
  'electron',
  'addons',
  'code',
  'users',
  'virtual-gpu',
]

export interface TestCache {
  /** Holds all of the others. */
  home: string
  /** The cache folder. */
  folder: string
  places: Places
  /** Variables that send Opsmith there. */
  environment: Record<string, string>
  /** Removes the cache folder, as a user may; the shared work of compilers is there again. */
  clear(): void
  remove(): void
}

function linkShared(folder: string, names: readonly string[]): void {
  const shared = findPlaces().cacheFolder
  for (const name of names) {
    fs.mkdirSync(path.join(shared, name), { recursive: true })
    fs.symlinkSync(path.join(shared, name), path.join(folder, name))
  }
  // Set-up has measured a compile: each window would measure it again.
  const measured = path.join(shared, 'compile-times.json')
  if (fs.existsSync(measured)) fs.copyFileSync(measured, path.join(folder, 'compile-times.json'))
}

/**
 * Folders of a test's own: fresh settings, drafts and layout, the compilers' work shared.
 * @param own folders of the compilers' work that are not shared
 */
export function makeTestCache(own: readonly string[] = []): TestCache {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-test-'))
  const folder = path.join(home, 'opsmith')
  const environment = {
    XDG_CACHE_HOME: home,
    XDG_CONFIG_HOME: path.join(home, 'config'),
    XDG_DATA_HOME: path.join(home, 'data'),
    XDG_STATE_HOME: path.join(home, 'state'),
  }
  const places = findPlaces(environment)
  for (const place of Object.values(places)) fs.mkdirSync(place, { recursive: true })
  // The tests' own projects are in this folder or in the clone; what they run is theirs.
  const trusted = [fs.realpathSync(home), fs.realpathSync(root)]
  fs.writeFileSync(
    path.join(places.dataFolder, 'trust.json'),
    JSON.stringify({ trusted, restricted: [] }),
  )
  const shared = sharedFolders.filter((one) => !own.includes(one))
  linkShared(folder, shared)
  return {
    home,
    folder,
    places,
    environment,
    clear: () => {
      fs.rmSync(folder, { recursive: true })
      fs.mkdirSync(folder)
      linkShared(folder, shared)
    },
    remove: () => {
      fs.rmSync(home, { recursive: true, force: true })
    },
  }
}

/** This checkout as the engine sees it, with the cache of a test. */
export function testInstallation(cache: TestCache): Installation {
  return { ...findInstallation(path.join(root, 'dist')), ...cache.places }
}

/** A copy of a project, since builds write into it. */
export function copyProject(source: string, cache: TestCache): string {
  const target = path.join(fs.mkdtempSync(path.join(cache.home, 'project-')), path.basename(source))
  fs.cpSync(source, target, {
    recursive: true,
    filter: (file) => path.basename(file) !== 'build',
  })
  return target
}

/** The same, compiled without optimization: in half the time, for tests that only call what they build. */
export function copyUnoptimized(source: string, cache: TestCache): string {
  const folder = copyProject(source, cache)
  const file = path.join(folder, 'opsmith.json')
  const manifest = JSON.parse(fs.readFileSync(file, 'utf8')) as object
  fs.writeFileSync(file, JSON.stringify({ ...manifest, optimization: 'O0' }, null, 2))
  return folder
}

/** Samples whose calls are on a device `cuda`: `gpu-samples.test.ts` tests them. */
export const gpuSamples = ['histogram', 'lltm', 'softmax', 'tiled_matmul']

/** Samples that are right, and run without a device `cuda`. */
export const cpuSamples = (): string[] =>
  subfolders(path.join(root, 'samples')).filter(
    (folder) => ![...gpuSamples, 'broken_kernels'].includes(path.basename(folder)),
  )

export function subfolders(folder: string): string[] {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(folder, entry.name))
    .sort()
}
