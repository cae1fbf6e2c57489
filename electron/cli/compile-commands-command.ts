import { commandsText } from '../engine/language/clangd/compile-commands'
import type { Workbench } from '../engine/workbench'
import { exitCodes } from './exit-codes'
import { printError } from './print'

/** compile_commands.json for other editors and tools; it is JSON with and without --json. */
export async function runCompileCommands(
  workbench: Workbench,
  project: string,
  options: { json: boolean },
): Promise<number> {
  const commands = await workbench.clangd.compileCommands(project)
  if (!commands.ok) return printError(commands.error, options.json)
  process.stdout.write(commandsText(commands.value))
  return exitCodes.good
}
