// Builds native/ by cmake-js against the chosen libtorch; cached per libtorch, compiler and sources.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { CommandFailure, runCommand, tail } from '../lib/command.mjs'
import {
  hashOf,
  listFiles,
  makeTemporaryFolder,
  readJson,
  removeLeftovers,
  replaceFolder,
  writeJson,
  writeWhole,
} from '../lib/files.mjs'
import { keepBatches } from '../lib/native-batches.mjs'
import { cacheFolder, localCommand, root, setupFolder } from '../lib/paths.mjs'
import { SetupFailure } from '../lib/steps.mjs'
import { describeCompiler, findCompilers, isUsable, linkerFlag } from './compilers.mjs'

const products = ['opsmith_native.node', 'operator_addon.node', 'opsmith_launcher']
const keptAddons = 6
/** One compiler process on libtorch's headers takes about this much memory. */
const bytesPerCompiler = 2.5e9

/** The compiler chosen in the settings, else the best on PATH. */
export function chooseCompiler() {
  const chosen = readJson(path.join(cacheFolder(), 'settings.json'))?.compiler
  const compiler = chosen ? describeCompiler(chosen) : findCompilers().find(isUsable)
  if (!compiler || !isUsable(compiler)) {
    throw new SetupFailure(
      chosen
        ? `The compiler chosen in the settings, ${chosen}, ${compiler ? 'is too old' : 'does not run'}.`
        : 'No C++20 compiler was found: install clang 16 or newer, or g++ 11 or newer.',
    )
  }
  return compiler
}

/** Which std::string libtorch's functions take, read from the mangled names it exports. */
function usesCxx11Abi(folder) {
  return fs
    .readFileSync(path.join(folder, 'lib', 'libc10.so'))
    .includes('NSt7__cxx1112basic_string')
}

function libtorchIdentity(libtorch) {
  const file = path.join(libtorch.folder, 'lib', 'libtorch_cpu.so')
  const stat = fs.statSync(file)
  return `${libtorch.version} ${fs.realpathSync(libtorch.folder)} ${stat.size} ${Math.trunc(stat.mtimeMs)}`
}

/** Headers for user sources are no part of the addon. */
const skip = (name) => name.startsWith('include/')

function packageVersion(name) {
  return readJson(path.join(root, 'node_modules', name, 'package.json'))?.version
}

function sourcesHash() {
  const names = listFiles(path.join(root, 'native'), skip)
  return hashOf({ texts: names, files: names.map((name) => path.join(root, 'native', name)) })
}

function addonKey(libtorch, compiler) {
  const sources = sourcesHash()
  const versions = ['node-addon-api', 'node-api-headers', 'cmake-js'].map(packageVersion).join(' ')
  return hashOf({ texts: [sources, versions, libtorchIdentity(libtorch), compiler.identity] })
}

const addonFolder = (key) => path.join(cacheFolder(), 'addons', key)

function isComplete(folder) {
  return ['addon.json', ...products].every((name) => fs.existsSync(path.join(folder, name)))
}

function compilersAtOnce() {
  return Math.max(
    1,
    Math.min(os.availableParallelism(), Math.floor(os.totalmem() / bytesPerCompiler)),
  )
}

/** A CMake file that names the sources which are compiled as one, which takes a third of the time. */
function writeBatches(out) {
  const files = ['runtime', 'binding', 'operator_addon'].map((name) => {
    const folder = path.join(root, 'native', name)
    const sources = listFiles(folder).filter((file) => file.endsWith('.cpp'))
    return sources.map((source) => path.join(folder, source))
  })
  const note = path.join(out, 'batches.json')
  const counts = [Math.max(6, compilersAtOnce()), 1, 1]
  const batches = keepBatches(readJson(note), files, counts)
  writeJson(note, batches)
  const file = path.join(out, 'batches.cmake')
  const lines = batches.map(
    (batch, index) =>
      `set_source_files_properties(${batch.map((source) => `"${source}"`).join(' ')} ` +
      `PROPERTIES UNITY_GROUP batch_${index})\n`,
  )
  const text = lines.join('')
  // CMake configures anew, and recompiles, when this file is newer.
  if (!fs.existsSync(file) || fs.readFileSync(file, 'utf8') !== text) writeWhole(file, text)
  return file
}

function cmakeArguments(libtorch, compiler, out, batches) {
  const linker = linkerFlag(compiler)
  const options = {
    CMAKE_CXX_COMPILER: compiler.path,
    CMAKE_EXPORT_COMPILE_COMMANDS: 'ON',
    OPSMITH_LIBTORCH: libtorch.folder,
    OPSMITH_CXX11_ABI: usesCxx11Abi(libtorch.folder) ? '1' : '0',
    OPSMITH_BATCHES: batches,
    ...(linker ? { CMAKE_SHARED_LINKER_FLAGS: linker, CMAKE_MODULE_LINKER_FLAGS: linker } : {}),
  }
  return [
    '--directory',
    path.join(root, 'native'),
    '--out',
    out,
    ...Object.entries(options).map(([name, value]) => `--CD${name}=${value}`),
  ]
}

/** Where CMake works: in the clone, so that a changed source recompiles alone. */
function buildFolder(libtorch, compiler) {
  const key = hashOf({ texts: [root, libtorchIdentity(libtorch), compiler.identity] }).slice(0, 12)
  return path.join(setupFolder, 'addon', key)
}

async function cmake(verb, libtorch, compiler, more = []) {
  const out = buildFolder(libtorch, compiler)
  fs.mkdirSync(out, { recursive: true })
  // A configuration that failed or was interrupted leaves its cache, and cmake-js would take it for done.
  const isConfigured = ['build.ninja', 'Makefile'].some((name) =>
    fs.existsSync(path.join(out, name)),
  )
  if (!isConfigured) fs.rmSync(path.join(out, 'CMakeCache.txt'), { force: true })
  const run = (batches) =>
    runCommand(
      [
        localCommand('cmake-js'),
        verb,
        ...cmakeArguments(libtorch, compiler, out, batches),
        ...more,
      ],
      { cwd: root, timeoutSeconds: 3600 },
    )
  try {
    await run(writeBatches(out)).catch((error) => {
      // Sources that do not go together are compiled one by one; what is wrong with one is told at once.
      if (
        !/redefin|redeclar|ambiguous|candidate|previous (definition|declaration)/.test(error.output)
      )
        throw error
      return run('')
    })
  } catch (error) {
    const output = error instanceof CommandFailure ? error.output || error.reason : String(error)
    throw new SetupFailure(`The native addon did not build:\n${tail(output, 60)}`)
  }
  return out
}

/** A folder with compile_commands.json, for clang-tidy; configures when the addon came from the cache. */
export async function compileCommandsFolder(libtorch, compiler) {
  const out = buildFolder(libtorch, compiler)
  if (!fs.existsSync(path.join(out, 'compile_commands.json')))
    await cmake('configure', libtorch, compiler)
  return out
}

function forgetOldAddons() {
  const folder = path.join(cacheFolder(), 'addons')
  const used = (name) => {
    const note = path.join(folder, name, 'addon.json')
    return fs.existsSync(note) ? fs.statSync(note).mtimeMs : 0
  }
  const names = fs.readdirSync(folder).filter((name) => !name.endsWith('.tmp'))
  names.sort((a, b) => used(b) - used(a))
  const old = names
    .slice(keptAddons)
    .filter((name) => Date.now() - used(name) > 7 * 24 * 3600 * 1000)
  for (const name of old) fs.rmSync(path.join(folder, name), { recursive: true, force: true })
}

/** @type {import('../lib/steps.mjs').Step} */
export const nativeAddon = {
  title: 'native addon',
  check(context) {
    context.compiler ??= chooseCompiler()
    const folder = addonFolder(addonKey(context.libtorch, context.compiler))
    if (!isComplete(folder)) return undefined
    context.addon = folder
    return ''
  },
  async make(context, say) {
    const { libtorch, compiler } = context
    say(
      `compiling native/ with ${compiler.family} ${compiler.version} against libtorch ${libtorch.version}`,
    )
    const key = addonKey(libtorch, compiler)
    const out = await cmake('build', libtorch, compiler, ['--parallel', String(compilersAtOnce())])
    const target = addonFolder(key)
    fs.mkdirSync(path.dirname(target), { recursive: true })
    removeLeftovers(target)
    const temporary = makeTemporaryFolder(target)
    const built = listFiles(out, (name) => name.includes('CMakeFiles'))
    for (const product of products) {
      const file = built.find((name) => path.basename(name) === product)
      if (!file) throw new SetupFailure(`The build of native/ made no ${product} in ${out}.`)
      fs.copyFileSync(path.join(out, file), path.join(temporary, product))
    }
    writeJson(path.join(temporary, 'addon.json'), {
      libtorch: libtorch.folder,
      libtorchVersion: libtorch.version,
      compiler: compiler.path,
      // The engine takes another libtorch's addon only when it was made of the same sources.
      sources: sourcesHash(),
      compilerVersion: `${compiler.family} ${compiler.version}`,
    })
    replaceFolder(temporary, target)
    forgetOldAddons()
    context.addon = target
    return `${compiler.family} ${compiler.version}`
  },
}
