// clang-tidy over native/, remembered by content: libtorch's headers cost 20 s a file.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { ask, CommandFailure, runCommand } from '../lib/command.mjs'
import { hashOf, listFiles, readJson, writeWhole } from '../lib/files.mjs'
import { cacheFolder, root } from '../lib/paths.mjs'
import { findLibtorch } from '../setup/libtorch.mjs'
import { chooseCompiler, compileCommandsFolder } from '../setup/native-addon.mjs'
import { findClangTool } from '../setup/system-needs.mjs'

const bytesPerRun = 2.5e9

/** Headers of the addon: a change in one may matter to every file. */
function headersHash() {
  const native = path.join(root, 'native')
  const headers = listFiles(native).filter((name) => name.endsWith('.h'))
  return hashOf({ texts: headers, files: headers.map((name) => path.join(native, name)) })
}

/** A command line of CMake without its precompiled header, for when that is missing or another compiler's. */
function withoutPrecompiledHeader(command) {
  return command
    .replace(/-Xclang -include-pch -Xclang \S+/g, '')
    .replace(/-Winvalid-pch|-fpch-instantiate-templates/g, '')
}

/** Two compile_commands.json: with the addon's precompiled header, which halves the time, and without. */
function writeDatabases(folder) {
  const all = readJson(path.join(folder, 'compile_commands.json')) ?? []
  const own = all.filter((entry) =>
    path.resolve(entry.directory, entry.file).startsWith(path.join(root, 'native')),
  )
  const plain = own.map((entry) => ({ ...entry, command: withoutPrecompiledHeader(entry.command) }))
  const databases = { fast: path.join(folder, 'tidy-fast'), plain: path.join(folder, 'tidy') }
  writeWhole(path.join(databases.fast, 'compile_commands.json'), JSON.stringify(own))
  writeWhole(path.join(databases.plain, 'compile_commands.json'), JSON.stringify(plain))
  return { entries: plain, databases }
}

/** @returns {Promise<{ outcome: 'passed' | 'failed' | 'skipped', text: string }>} */
export async function checkWithClangTidy() {
  const tool = findClangTool('clang-tidy')
  if (!tool) return { outcome: 'skipped', text: 'clang-tidy 19 is not installed' }
  const { found } = findLibtorch()
  if (!found) return { outcome: 'skipped', text: 'there is no libtorch: npm run setup' }
  const folder = await compileCommandsFolder(found, chooseCompiler())
  const { entries, databases } = writeDatabases(folder)

  const good = path.join(cacheFolder(), 'checks', 'clang-tidy')
  fs.mkdirSync(good, { recursive: true })
  const common = [headersHash(), ask([tool, '--version']), found.version]
  const settings = [path.join(root, '.clang-tidy')]
  const stampOf = (entry) => {
    const command = entry.command.replaceAll(root, '')
    return path.join(
      good,
      hashOf({ texts: [...common, command], files: [...settings, entry.file] }),
    )
  }
  // A file that two addons share is looked at once.
  const pending = entries.filter(
    (entry, index) =>
      entries.findIndex((other) => other.file === entry.file) === index &&
      !fs.existsSync(stampOf(entry)),
  )
  const tidy = (database, file) =>
    runCommand([tool, '-p', database, '--quiet', '--extra-arg=-Qunused-arguments', file], {
      cwd: root,
      timeoutSeconds: 600,
    })
  let text = ''
  const worker = async () => {
    for (let entry = pending.shift(); entry; entry = pending.shift()) {
      const { file } = entry
      try {
        await tidy(databases.fast, file).catch((error) => {
          // A precompiled header that is missing, outdated or g++'s is no finding.
          if (!/PCH|precompiled|\.pch/i.test(error.output ?? '')) throw error
          return tidy(databases.plain, file)
        })
        fs.writeFileSync(stampOf(entry), '')
      } catch (error) {
        if (!(error instanceof CommandFailure)) throw error
        text += `${error.output || error.reason}\n`
      }
    }
  }
  const workers = Math.max(
    1,
    Math.min(os.availableParallelism(), Math.floor(os.freemem() / bytesPerRun)),
  )
  await Promise.all(Array.from({ length: workers }, worker))
  return { outcome: text === '' ? 'passed' : 'failed', text }
}
