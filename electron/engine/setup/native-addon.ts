import { createHash, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { listFiles } from '../compile/sealed-files'
import type { Installation } from '../installation'
import type { Compiler } from '../toolchain/compilers'
import { findOnPath } from '../toolchain/find-on-path'
import { compilerVariables } from '../toolchain/run-compiler'
import type { Libtorch } from '../toolchain/libtorch'
import { keepBatches } from './native-batches'
import { lastLines } from './run-tool'
import type { RunTool } from './run-tool'

const products = ['opsmith_native.node', 'operator_addon.node', 'opsmith_launcher']
const keptAddons = 6
const keptTime = 7 * 24 * 3600 * 1000
/** One compiler process on libtorch's headers takes about this much memory. */
const bytesPerCompiler = 2.5e9

/** What an addon is made of. */
export interface AddonParts {
  installation: Pick<Installation, 'root' | 'cacheFolder'>
  libtorch: Libtorch
  compiler: Compiler
}

export interface AddonWork {
  /** CMake works in a folder below it. What is there from an earlier run is not compiled again. */
  workFolder: string
  run: RunTool
}

function hashOf(texts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const text of texts) hash.update(`${text.length}\n${text}\n`)
  return hash.digest('hex').slice(0, 32)
}

/** Of native/, but for the headers that user sources include, and for the library that `doctor --gpu` builds. */
function sourcesHash(root: string): string {
  const native = path.join(root, 'native')
  const names = listFiles(native).filter((name) => !/^(include|gpu_check)\//.test(name))
  const texts = names.map((name) => fs.readFileSync(path.join(native, name), 'latin1'))
  return hashOf([names.join('\n'), ...texts])
}

function packageVersion(root: string, name: string): string {
  const file = path.join(root, 'node_modules', name, 'package.json')
  return /"version": *"([^"]+)"/.exec(fs.readFileSync(file, 'utf8'))?.[1] ?? ''
}

/** The folder of the addon for these parts, whether it is there or not. */
function addonFolder(parts: AddonParts): string {
  const { installation, libtorch, compiler } = parts
  const { root, cacheFolder } = installation
  const headers = ['node-addon-api', 'node-api-headers'].map((name) => packageVersion(root, name))
  const key = hashOf([
    sourcesHash(root),
    headers.join(' '),
    libtorch.identity,
    String(libtorch.cxx11Abi),
    compiler.identity,
  ])
  return path.join(cacheFolder, 'addons', key)
}

function isComplete(folder: string): boolean {
  return ['addon.json', ...products].every((name) => fs.existsSync(path.join(folder, name)))
}

/** The folder of the addon for these parts; undefined where it has not been built. */
export function findBuiltAddon(parts: AddonParts): string | undefined {
  const folder = addonFolder(parts)
  return isComplete(folder) ? folder : undefined
}

function compilersAtOnce(): number {
  const most = Math.floor(os.totalmem() / bytesPerCompiler)
  return Math.max(1, Math.min(os.availableParallelism(), most))
}

function readBatches(file: string): string[][] | undefined {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as string[][]
  } catch {
    return undefined
  }
}

/** A CMake file that names the sources which are compiled as one. That takes a third of the time. */
function writeBatches(root: string, out: string): string {
  const groups = ['runtime', 'binding', 'operator_addon'].map((name) => {
    const folder = path.join(root, 'native', name)
    const sources = listFiles(folder).filter((file) => file.endsWith('.cpp'))
    return sources.map((source) => path.join(folder, source))
  })
  const note = path.join(out, 'batches.json')
  const batches = keepBatches(readBatches(note), groups, [compilersAtOnce(), 1, 1])
  fs.writeFileSync(note, JSON.stringify(batches))
  const lines = batches.map(
    (batch, index) =>
      `set_source_files_properties(${batch.map((source) => `"${source}"`).join(' ')} ` +
      `PROPERTIES UNITY_GROUP batch_${index})\n`,
  )
  const text = lines.join('')
  const file = path.join(out, 'batches.cmake')
  // CMake configures again, and recompiles, when this file is newer.
  if (!fs.existsSync(file) || fs.readFileSync(file, 'utf8') !== text) fs.writeFileSync(file, text)
  return file
}

function linkerFlag({ linker }: Compiler): string {
  if (linker === '') return ''
  return path.isAbsolute(linker) ? `--ld-path=${linker}` : `-fuse-ld=${linker}`
}

function configureCommand(parts: AddonParts, out: string, batches: string): string[] {
  const { installation, libtorch, compiler } = parts
  const linker = linkerFlag(compiler)
  const options = {
    CMAKE_BUILD_TYPE: 'Release',
    CMAKE_CXX_COMPILER: compiler.path,
    CMAKE_EXPORT_COMPILE_COMMANDS: 'ON',
    OPSMITH_LIBTORCH: libtorch.folder,
    OPSMITH_CXX11_ABI: libtorch.cxx11Abi ? '1' : '0',
    OPSMITH_NODE_MODULES: path.join(installation.root, 'node_modules'),
    OPSMITH_BATCHES: batches,
    CMAKE_SHARED_LINKER_FLAGS: linker,
    CMAKE_MODULE_LINKER_FLAGS: linker,
  }
  const generator = findOnPath('ninja') === undefined ? 'Unix Makefiles' : 'Ninja'
  const definitions = Object.entries(options).map(([name, value]) => `-D${name}=${value}`)
  const source = path.join(installation.root, 'native')
  return ['cmake', '-S', source, '-B', out, '-G', generator].concat(definitions)
}

function buildFolder({ installation, libtorch, compiler }: AddonParts, workFolder: string): string {
  const generator = findOnPath('ninja') ?? 'make'
  const key = hashOf([installation.root, libtorch.identity, compiler.identity, generator])
  return path.join(workFolder, key.slice(0, 12))
}

/**
 * Writes CMake's build files with compile_commands.json.
 * @returns the folder
 */
export async function configureAddon(
  parts: AddonParts,
  { workFolder, run }: AddonWork,
  hasBatches = true,
): Promise<Result<string>> {
  const out = buildFolder(parts, workFolder)
  fs.mkdirSync(out, { recursive: true })
  const batches = hasBatches ? writeBatches(parts.installation.root, out) : ''
  // A configuration that failed or was interrupted leaves its cache.
  const isConfigured = ['build.ninja', 'Makefile'].some((name) =>
    fs.existsSync(path.join(out, name)),
  )
  if (!isConfigured) fs.rmSync(path.join(out, 'CMakeCache.txt'), { force: true })
  const { ok: isGood, output } = await run(configureCommand(parts, out, batches))
  if (isGood) return ok(out)
  return err(
    'toolchain.mismatch',
    'CMake could not configure the native addon, the part of Opsmith that calls libtorch.',
    {
      hint: 'The details contain the output of CMake. Correct the cause, then run set-up again.',
      detail: lastLines(output, 60),
    },
  )
}

async function compile(parts: AddonParts, work: AddonWork): Promise<Result<string>> {
  const build = async (hasBatches: boolean): Promise<Result<string>> => {
    const configured = await configureAddon(parts, work, hasBatches)
    if (!configured.ok) return configured
    const parallel = ['--parallel', String(compilersAtOnce())]
    const command = ['cmake', '--build', configured.value].concat(parallel)
    const { ok: isGood, output } = await work.run(command, compilerVariables())
    if (isGood) return configured
    return err(
      'toolchain.mismatch',
      'The native addon, the part of Opsmith that calls libtorch, did not compile.',
      {
        hint: 'The details contain the output of the compiler. Correct the cause, or choose another libtorch. Then run set-up again.',
        detail: lastLines(output, 60),
      },
    )
  }
  const together = await build(true)
  if (together.ok) return together
  // Sources that do not go together are compiled one by one; another mistake is reported at once.
  const clash = /redefin|redeclar|ambiguous|candidate|previous (definition|declaration)/
  return clash.test(together.error.detail ?? '') ? await build(false) : together
}

function lastChange(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

/** Addons of earlier versions and of libtorchs that nobody uses any more. */
function forgetOldAddons(folder: string): void {
  const used = (name: string): number => lastChange(path.join(folder, name, 'addon.json'))
  const names = fs.readdirSync(folder).filter((name) => !name.endsWith('.tmp'))
  names.sort((a, b) => used(b) - used(a))
  const old = names.slice(keptAddons).filter((name) => Date.now() - used(name) > keptTime)
  for (const name of old) fs.rmSync(path.join(folder, name), { recursive: true, force: true })
}

/**
 * Compiles native/ and places the addon in the cache folder, whole or not at all. Interrupted, it goes on with the
 * sources that are left.
 * Errors: it does not compile (`toolchain.mismatch`; `detail` has the end of the compiler's output).
 * @returns the addon's folder
 */
export async function buildAddon(parts: AddonParts, work: AddonWork): Promise<Result<string>> {
  const { installation, libtorch, compiler } = parts
  const target = addonFolder(parts)
  const compiled = await compile(parts, work)
  if (!compiled.ok) return compiled
  const out = compiled.value
  fs.mkdirSync(path.dirname(target), { recursive: true })
  const temporary = `${target}.${process.pid}.${randomUUID().slice(0, 8)}.tmp`
  fs.mkdirSync(temporary)
  try {
    for (const product of products) {
      const file = [path.join(out, 'Release', product), path.join(out, product)].find((place) =>
        fs.existsSync(place),
      )
      if (file === undefined) {
        return err('internal', `The build of the native addon made no ${product} in ${out}.`)
      }
      fs.copyFileSync(file, path.join(temporary, product))
    }
    const note = {
      libtorch: libtorch.folder,
      libtorchVersion: libtorch.version,
      compiler: compiler.path,
      // The engine uses another libtorch's addon only when it was made of the same sources.
      sources: sourcesHash(installation.root),
      compilerVersion: `${compiler.family} ${compiler.version}`,
    }
    fs.writeFileSync(path.join(temporary, 'addon.json'), `${JSON.stringify(note, null, 2)}\n`)
    // One that is there is incomplete.
    fs.rmSync(target, { recursive: true, force: true })
    fs.renameSync(temporary, target)
  } finally {
    fs.rmSync(temporary, { recursive: true, force: true })
  }
  forgetOldAddons(path.dirname(target))
  return ok(target)
}
