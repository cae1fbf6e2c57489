import { commandsText } from '../../engine/language/clangd/compile-commands'
import type { Workbench } from '../../engine/workbench'
import { exitCodes } from '../exit-codes'
import { printError } from '../print'
import { flag } from '../options'
import type { OptionValues } from '../options'
import { defineVerb, projectArgument } from '../verb'

const verbOptions = { json: flag('print an error as JSON to stdout') }

/** compile_commands.json for other editors and tools; it is JSON with and without --json. */
async function runCompileCommands(
  workbench: Workbench,
  project: string,
  options: OptionValues<typeof verbOptions>,
): Promise<number> {
  const commands = await workbench.clangd.compileCommands(project)
  if (!commands.ok) return printError(commands.error, options.json)
  process.stdout.write(commandsText(commands.value))
  return exitCodes.good
}

export const verb = defineVerb({
  name: 'compile-commands',
  order: 17,
  description: 'print compile_commands.json, for clangd in other editors',
  argument: projectArgument,
  options: verbOptions,
  run: runCompileCommands,
})
