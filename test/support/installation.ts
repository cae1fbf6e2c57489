import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { cacheFolder, findInstallation } from '../../electron/engine/installation'
import type { Installation } from '../../electron/engine/installation'

export const root = path.resolve(__dirname, '../..')

/** What costs time to make and cannot hurt another test. */
const sharedFolders = [
  'precompiled',
  'compile-server',
  'include',
  'objects',
  'builds',
  'generated',
  'electron',
  'addons',
  'code',
  'virtual-gpu',
]

export interface TestCache {
  /** For XDG_CACHE_HOME. */
  home: string
  folder: string
  remove(): void
}

/**
 * A cache folder of a test's own: fresh settings, drafts and layout, the compilers' work shared.
 * @param own folders of the compilers' work that are not shared
 */
export function makeTestCache(own: readonly string[] = []): TestCache {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-test-'))
  const folder = path.join(home, 'opsmith')
  fs.mkdirSync(folder)
  // The tests' own projects are in this folder or in the clone; what they run is theirs.
  const trusted = [fs.realpathSync(home), fs.realpathSync(root)]
  fs.writeFileSync(path.join(folder, 'trust.json'), JSON.stringify({ trusted, restricted: [] }))
  const shared = cacheFolder()
  for (const name of sharedFolders.filter((one) => !own.includes(one))) {
    fs.mkdirSync(path.join(shared, name), { recursive: true })
    fs.symlinkSync(path.join(shared, name), path.join(folder, name))
  }
  return {
    home,
    folder,
    remove: () => {
      fs.rmSync(home, { recursive: true, force: true })
    },
  }
}

/** This checkout as the engine sees it, with the cache of a test. */
export function testInstallation(cache: TestCache): Installation {
  return { ...findInstallation(path.join(root, 'dist')), cacheFolder: cache.folder }
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

export function subfolders(folder: string): string[] {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(folder, entry.name))
    .sort()
}
