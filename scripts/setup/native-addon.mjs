// Builds native/ against the chosen libtorch by the engine's own set-up (electron/engine/setup/native-addon.ts).
import path from 'node:path'

import { CommandFailure, runCommand } from '../lib/command.mjs'
import { readJson } from '../lib/files.mjs'
import { cacheFolder, root, settingsFile, setupFolder } from '../lib/paths.mjs'
import { SetupFailure } from '../lib/steps.mjs'
import { engineSetup } from './engine-setup.mjs'

/** The value of an engine's answer; a bad one ends set-up with its words. */
export function valueOf(result) {
  if (result.ok) return result.value
  const { message, hint, detail } = result.error
  throw new SetupFailure([message, detail, hint].filter(Boolean).join('\n'))
}

/** Runs a command for the engine's set-up; it ends with this process. */
export async function runTool(command, environment = {}) {
  try {
    const env = { ...process.env, ...environment }
    const { output } = await runCommand(command, { cwd: root, env, timeoutSeconds: 3600 })
    return { ok: true, output }
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    return { ok: false, output: error.output || error.reason }
  }
}

/** CMake works in the clone, so that a changed source recompiles alone. */
const work = { workFolder: path.join(setupFolder, 'addon'), run: runTool }

/** The compiler chosen in the settings, else the best on PATH. */
export async function chooseCompiler() {
  const chosen = readJson(settingsFile())?.compiler ?? ''
  const engine = await engineSetup()
  return valueOf(await engine['chooseCompiler'](chosen, ''))
}

async function partsOf(libtorch, compiler) {
  const { describeLibtorch } = await engineSetup()
  return {
    installation: { root, cacheFolder: cacheFolder() },
    libtorch: describeLibtorch(libtorch.folder, libtorch.origin),
    compiler,
  }
}

/** A folder with compile_commands.json, for clang-tidy. */
export async function compileCommandsFolder(libtorch, compiler) {
  const { configureAddon } = await engineSetup()
  return valueOf(await configureAddon(await partsOf(libtorch, compiler), work))
}

/** @type {import('../lib/steps.mjs').Step} */
export const nativeAddon = {
  title: 'native addon',
  async check(context) {
    const { findBuiltAddon } = await engineSetup()
    // An earlier set-up may have kept less of it.
    if (context.compiler?.linker === undefined) context.compiler = await chooseCompiler()
    context.addon = findBuiltAddon(await partsOf(context.libtorch, context.compiler))
    return context.addon === undefined ? undefined : ''
  },
  async make(context, say) {
    const { libtorch, compiler } = context
    const name = `${compiler.family} ${compiler.version}`
    say(`compiling native/ with ${name} against libtorch ${libtorch.version}`)
    const { buildAddon } = await engineSetup()
    context.addon = valueOf(await buildAddon(await partsOf(libtorch, compiler), work))
    return name
  },
}
