import { readSettings } from '../../../engine/project/settings-file'
import type { Workbench } from '../../../engine/workbench'
import { interruptSignal } from '../../interrupt'
import { chooseCall } from '../../chosen-call'
import { buildToCheck } from '../../checked-project'
import { exitCodes } from '../../exit-codes'
import type { OptionValues } from '../../options'
import { callerPath, printError, printJson, printLines, progress } from '../../print'
import { defineVerb, projectArgument } from '../../verb'
import { profileVerbOptions, readProfileOptions } from './options'
import { profileJson, profileText } from './text'

/** `opsmith profile`: where one call of a project spends its time and memory. */
async function runProfile(
  workbench: Workbench,
  named: string,
  options: OptionValues<typeof profileVerbOptions>,
): Promise<number> {
  const { json } = options
  const project = await buildToCheck(
    workbench,
    named,
    json,
    readProfileOptions(options),
    chooseCall,
  )
  if (typeof project === 'number') return project
  const { folder, command, manifest, entries: call } = project
  const { callTimeout } = await readSettings(workbench.installation.configFolder)
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

export const verb = defineVerb({
  name: 'profile',
  order: 11,
  description: 'build, and show where one call spends its time and allocates its memory',
  argument: projectArgument,
  options: profileVerbOptions,
  notes: [
    'Without --function, --op or --call, this command profiles the first call in opsmith.json to a function of the program. If\nopsmith.json has no such call, this command profiles the first call. Opsmith runs the call a few times, and shows the run\nwith the median time. The operators are sorted by self time.',
  ],
  runsOperators: true,
  run: runProfile,
})
