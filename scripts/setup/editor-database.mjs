// compile_commands.json for editors: clangd reads the flags of native/ from it (.clangd at the root of the clone).
import fs from 'node:fs'
import path from 'node:path'

import { sourcesOf, withoutPrecompiledHeader } from '../checks/clang-tidy.mjs'
import { listFiles, readJson, writeJson } from '../lib/files.mjs'
import { root, setupFolder } from '../lib/paths.mjs'
import { chooseCompiler, compileCommandsFolder } from './native-addon.mjs'

const file = path.join(setupFolder, 'clangd', 'compile_commands.json')
const native = path.join(root, 'native')
const builtByCMake = ['runtime', 'binding', 'operator_addon', 'launcher']

const sources = (folder) =>
  listFiles(path.join(native, folder))
    .filter((name) => name.endsWith('.cpp'))
    .map((name) => path.join(native, folder, name))

/** The compile server, which the engine builds: electron/engine/compile/hot/server-program.ts. */
function serverEntries(compiler) {
  const home = path.resolve(path.dirname(fs.realpathSync(compiler.path)), '..')
  const flags = [
    '-std=c++20',
    '-fno-rtti',
    '-fno-exceptions',
    '-isystem',
    path.join(home, 'include'),
  ]
  return sources('compile_server').map((source) => ({
    directory: root,
    file: source,
    arguments: [compiler.path, ...flags, '-c', source],
  }))
}

/** @type {import('../lib/steps.mjs').Step} */
export const editorDatabase = {
  title: 'compile commands for editors',
  check() {
    const listed = new Set((readJson(file) ?? []).map((entry) => entry.file))
    const isComplete = [...builtByCMake, 'compile_server']
      .flatMap(sources)
      .every((source) => listed.has(source))
    return isComplete ? '' : undefined
  },
  async make(context) {
    const compiler = await chooseCompiler()
    const folder = await compileCommandsFolder(context.libtorch, compiler)
    const entries = sourcesOf(readJson(path.join(folder, 'compile_commands.json')) ?? [], native)
    // Of a source in both addons one command will do; their precompiled header is another compiler's for clangd.
    const bySource = new Map(
      entries.map((entry) => [
        entry.file,
        { ...entry, command: withoutPrecompiledHeader(entry.command) },
      ]),
    )
    writeJson(file, [...bySource.values(), ...serverEntries(compiler)])
  },
}
