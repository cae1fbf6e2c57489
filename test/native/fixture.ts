import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

import type { NativeAddon } from '../../electron/host/addon'
import { findInstallation, readSetupEnvironment } from '../../electron/engine/installation'
import { makeTestCache, root } from '../support/installation'

const setup = readSetupEnvironment(root)
export const compiler = process.env['OPSMITH_COMPILER'] ?? setup.compiler ?? 'c++'
export const libtorch = process.env['OPSMITH_LIBTORCH'] ?? setup.libtorch ?? ''

/** The folder that set-up, or OPSMITH_ADDON, names. */
export const addonFolder = findInstallation(path.join(root, 'dist')).addonFolder
export const addonPath = path.join(addonFolder, 'opsmith_native.node')

export function loadAddon(): NativeAddon {
  return createRequire(__filename)(addonPath) as NativeAddon
}

/** A shared library from C++ text, made once for each text and toolchain: libtorch's headers take 10 s. */
export function compileLibrary(
  name: string,
  source: string,
  flags: readonly string[] = [],
): string {
  const usesTorch = source.includes('#include <torch/')
  const include = path.join(libtorch, 'include')
  const command = [
    '-std=c++20',
    '-O1',
    '-g1',
    '-fPIC',
    '-shared',
    ...flags,
    ...(usesTorch
      ? [`-isystem${include}`, `-isystem${path.join(include, 'torch/csrc/api/include')}`]
      : []),
  ]
  const key = createHash('sha256')
    .update(JSON.stringify([source, compiler, command]))
    .digest('hex')
    .slice(0, 16)
  const folder = path.join(root, '.setup', 'test-fixtures', key)
  const library = path.join(folder, `lib${name}.so`)
  if (fs.existsSync(library)) return library
  fs.mkdirSync(folder, { recursive: true })
  const text = path.join(folder, `${name}.cpp`)
  writeWhole(text, source)
  const temporary = `${library}.${process.pid}`
  execFileSync(compiler, [...command, text, '-o', temporary], { stdio: 'pipe' })
  fs.renameSync(temporary, library)
  return library
}

export function fixtureSource(name: string): string {
  return fs.readFileSync(path.join(__dirname, 'fixtures', `${name}.cpp`), 'utf8')
}

/** Two test files may ask for one fixture at the same time: neither reads half of what the other writes. */
function writeWhole(file: string, text: string): void {
  const temporary = `${file}.${process.pid}`
  fs.writeFileSync(temporary, text)
  fs.renameSync(temporary, file)
}

/**
 * A fixture as a library, built by the command line as a project is. Its precompiled headers save the 14 s that
 * libtorch's headers take, for each file that asks while there is no library.
 */
export function fixtureLibrary(name: string): string {
  const source = fixtureSource(name)
  const key = createHash('sha256')
    .update(JSON.stringify([source, compiler, libtorch]))
    .digest('hex')
    .slice(0, 16)
  const folder = path.join(root, '.setup', 'test-fixtures', key, name)
  const library = path.join(folder, 'build', `lib${name}.so`)
  if (fs.existsSync(library)) return library
  fs.mkdirSync(folder, { recursive: true })
  writeWhole(path.join(folder, `${name}.cpp`), source)
  const manifest = { name, sources: [`${name}.cpp`], optimization: 'O0' }
  writeWhole(path.join(folder, 'opsmith.json'), JSON.stringify(manifest))
  // It has settings of its own, and trusts the clone.
  const cache = makeTestCache()
  try {
    const command = [path.join(root, 'dist/cli.cjs'), 'build', folder]
    const env = { ...process.env, ...cache.environment }
    execFileSync(process.execPath, command, { env, stdio: 'pipe' })
  } finally {
    cache.remove()
  }
  return library
}

/** What a rejection or an exception of the addon carries. */
export interface AddonError {
  code: string
  message: string
  detail?: string
  hint?: string
  file?: string
  line?: number
  column?: number
}

export async function failureOf(promise: Promise<unknown>): Promise<AddonError> {
  try {
    await promise
  } catch (error) {
    const carried = error as AddonError
    return { ...carried, message: carried.message }
  }
  throw new Error('expected a rejection')
}
