// clang-tidy over native/, in batches that read libtorch's headers once, remembered by content.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { ask, CommandFailure, runCommand } from '../lib/command.mjs'
import { hashOf, listFiles, readJson, writeWhole } from '../lib/files.mjs'
import { cacheFolder, root } from '../lib/paths.mjs'
import { engineSetup } from '../setup/engine-setup.mjs'
import { findLibtorch } from '../setup/libtorch.mjs'
import { chooseCompiler, compileCommandsFolder } from '../setup/native-addon.mjs'
import { findClangTool } from '../setup/system-needs.mjs'

const bytesPerRun = 2.5e9
/** libtorch's headers take 17 s a run, ten more sources half a second; not all in one, for machines with many cores. */
const filesPerBatch = 70

/** Headers of the addon: a change in one may matter to every file. */
function headersHash() {
  const native = path.join(root, 'native')
  const headers = listFiles(native).filter((name) => name.endsWith('.h'))
  return hashOf({ texts: headers, files: headers.map((name) => path.join(native, name)) })
}

/** A command line of CMake without its precompiled header, for when that is missing or another compiler's. */
export function withoutPrecompiledHeader(command) {
  return command
    .replace(/-Xclang -include-pch -Xclang \S+/g, '')
    .replace(/-Winvalid-pch|-fpch-instantiate-templates/g, '')
}

/** @typedef {{ file: string, directory: string, command: string }} Entry of a compile_commands.json */

/**
 * Every source of native/ with its command; where the build has batches, theirs.
 * @returns {Entry[]}
 */
export function sourcesOf(entries, folder) {
  return entries.flatMap((entry) => {
    const file = path.resolve(entry.directory, entry.file)
    if (file.startsWith(folder + path.sep)) return [{ ...entry, file }]
    if (!/unity_\w+\.cxx$/.test(file) || !fs.existsSync(file)) return []
    const included = fs.readFileSync(file, 'utf8').matchAll(/^#include "(.+)"$/gm)
    return Array.from(included, ([, source]) => ({
      directory: entry.directory,
      file: source,
      command: entry.command.replaceAll(entry.file, source),
    }))
  })
}

/** A command without what matters to no check: names of files, the optimisation and CMake's macro for the target. */
function flagsOf(entry) {
  return entry.command
    .replaceAll(entry.file, '')
    .replace(/ -o \S+/, '')
    .replace(/ -O\d/g, '')
    .replace(/ -D\w+_EXPORTS/g, '')
}

/**
 * Looks at sources with clang-tidy: several in one run where their command is the same and nothing in them is
 * declared twice, since walking over the headers that they include costs most. What is found has the place that
 * it has when a source is looked at alone.
 * @param {object} options
 * @param {string} options.tool clang-tidy
 * @param {Entry[]} options.entries sources, all different
 * @param {string} options.work a folder for what a run needs
 * @param {string} options.cwd where .clang-tidy is looked for, by files outside of it too
 * @param {number} options.parallel runs at a time
 * @param {(entry: Entry) => void} options.onGood a source in which nothing was found
 * @returns {Promise<string>} what was found; "" when all is well
 */
export async function tidySources({ tool, entries, work, cwd, parallel, onGood }) {
  const { batchText, compilerVariables, makeBatches } = await engineSetup()
  fs.rmSync(work, { recursive: true, force: true })
  fs.mkdirSync(work, { recursive: true })
  const groups = new Map()
  for (const entry of entries) {
    const flags = flagsOf(entry)
    groups.set(flags, [...(groups.get(flags) ?? []), entry])
  }
  const batches = [...groups.values()].flatMap((group) => {
    // More batches than run at a time would only read the headers more often.
    const count = Math.min(Math.ceil(group.length / filesPerBatch), parallel)
    const parts = makeBatches(
      group.map((entry) => entry.file),
      count,
    )
    return parts.map((files) => group.filter((entry) => files.includes(entry.file)))
  })
  // The longest first, so that no core waits for the last one.
  batches.sort((a, b) => b.length - a.length)

  let made = 0
  const tidy = async (members, withHeader) => {
    const folder = path.join(work, String(made++))
    const [{ file, directory, command: single }] = members
    const batch = members.length === 1 ? file : path.join(folder, 'batch.cpp')
    const own = withHeader ? single : withoutPrecompiledHeader(single)
    writeWhole(
      path.join(folder, 'compile_commands.json'),
      JSON.stringify([{ directory, file: batch, command: own.replaceAll(file, batch) }]),
    )
    if (batch !== file) fs.writeFileSync(batch, batchText(members.map((entry) => entry.file)))
    const config = path.join(cwd, '.clang-tidy')
    // All of its output is wanted, which the error for a command that failed does not have.
    const command = [tool, '-p', folder, '--quiet', `--config-file=${config}`]
    const env = { ...process.env, ...compilerVariables() }
    const options = { cwd, env, timeoutSeconds: 900, accept: [0, 1] }
    try {
      const { code, output } = await runCommand(
        [...command, '--extra-arg=-Qunused-arguments', batch],
        options,
      )
      return code === 0 ? '' : output
    } catch (error) {
      if (error instanceof CommandFailure) return `${error.message}\n`
      throw error
    }
  }
  let text = ''
  const look = async (members) => {
    let output = await tidy(members, true)
    // A precompiled header that is missing, outdated or g++'s is no finding.
    if (/PCH|precompiled|\.pch/i.test(output)) output = await tidy(members, false)
    // Sources that do not go together: each by itself, as if there were no batches.
    if (members.length > 1 && output.includes('clang-diagnostic-error')) {
      for (const member of members) await look([member])
    } else if (output === '') members.forEach(onGood)
    else text += output
  }
  const worker = async () => {
    for (let batch = batches.shift(); batch; batch = batches.shift()) await look(batch)
  }
  await Promise.all(Array.from({ length: parallel }, worker))
  return text
}

/** @returns {Promise<{ outcome: 'passed' | 'failed' | 'skipped', text: string }>} */
export async function checkWithClangTidy() {
  const tool = findClangTool('clang-tidy')
  if (!tool) return { outcome: 'skipped', text: 'clang-tidy 19 is not installed' }
  const { found } = findLibtorch()
  if (!found) return { outcome: 'skipped', text: 'libtorch was not found: run npm run setup' }
  const folder = await compileCommandsFolder(found, await chooseCompiler())
  const database = readJson(path.join(folder, 'compile_commands.json')) ?? []
  const entries = sourcesOf(database, path.join(root, 'native'))

  const good = path.join(cacheFolder(), 'checks', 'clang-tidy')
  fs.mkdirSync(good, { recursive: true })
  const common = [headersHash(), ask([tool, '--version']), found.version]
  const settings = [path.join(root, '.clang-tidy')]
  const stampOf = (entry) => {
    const command = flagsOf(entry).replaceAll(root, '')
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
  const text = await tidySources({
    tool,
    entries: pending,
    work: path.join(folder, 'tidy'),
    cwd: root,
    parallel: Math.max(
      1,
      Math.min(os.availableParallelism(), Math.floor(os.freemem() / bytesPerRun)),
    ),
    onGood: (entry) => fs.writeFileSync(stampOf(entry), ''),
  })
  return { outcome: text === '' ? 'passed' : 'failed', text }
}
