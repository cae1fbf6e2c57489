import { readSettings } from '../engine/project/settings-file'
import type { Workbench } from '../engine/workbench'
import { interruptSignal } from './build-command'
import { buildToCheck } from './checked-project'
import { exitCodes } from './exit-codes'
import { callerPath, printError, printJson, printLines, progress } from './print'
import { readProfileOptions, selectProfiled } from './profile-options'
import type { GivenProfileOptions } from './profile-options'
import { profileJson, profileText } from './profile-text'

/** `opsmith profile`: where one call of a project spends its time and takes its memory. */
export async function runProfile(
  workbench: Workbench,
  named: string,
  given: GivenProfileOptions,
): Promise<number> {
  const json = given.json ?? false
  const project = await buildToCheck(
    workbench,
    named,
    json,
    readProfileOptions(given),
    selectProfiled,
  )
  if (typeof project === 'number') return project
  const { folder, command, manifest, entries: call } = project
  const { callTimeout } = await readSettings(workbench.installation.cacheFolder)
  const { backward, threads } = command
  const timeout = command.timeout > 0 ? command.timeout : (call.timeout ?? callTimeout)
  const profiled = await workbench.profiles.run(
    folder,
    { op: call.op, args: call.args, inputs: manifest.inputs, backward, threads },
    { timeout, signal: interruptSignal() },
  )
  if (!profiled.ok) return printError(profiled.error, json)
  if (command.trace !== '') {
    const saved = await workbench.profiles.save(profiled.value.profile, callerPath(command.trace))
    if (!saved.ok) return printError(saved.error, json)
    progress(saved.value.path)
  }
  if (json) printJson(profileJson(profiled.value))
  else printLines(profileText(profiled.value, folder))
  return exitCodes.good
}
