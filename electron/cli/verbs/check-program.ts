import type { Workbench } from '../../engine/workbench'
import { buildAloud, buildJson } from '../building'
import { exitCodes } from '../exit-codes'
import { describeDiagnostic, printError, printJson, printLines, progress } from '../print'
import { loadTimeout } from '../building'
import { jsonFlag } from '../options'
import type { OptionValues } from '../options'
import { defineVerb, projectArgument } from '../verb'

const verbOptions = { json: jsonFlag }

/** `opsmith check-program`: what the TorchScript compiler says of the project's program, each function for itself. */
async function runCheckProgram(
  workbench: Workbench,
  project: string,
  options: OptionValues<typeof verbOptions>,
): Promise<number> {
  // The program calls what the library registers.
  const build = await buildAloud(workbench, project)
  if (!build.ok) return printError(build.error, options.json)
  if (!build.value.ok) {
    if (options.json)
      printJson({ ok: false, file: '', diagnostics: [], build: buildJson(build.value) })
    progress('the build failed')
    return exitCodes.failed
  }
  const load = await workbench.libraries.load(project, { timeout: loadTimeout })
  if (!load.ok) return printError(load.error, options.json)
  const checked = await workbench.programChecks.check(project)
  if (!checked.ok) return printError(checked.error, options.json)
  const file = checked.value?.file ?? ''
  const diagnostics = checked.value?.diagnostics ?? []
  const isGood = diagnostics.length === 0
  if (options.json) printJson({ ok: isGood, file, diagnostics })
  else if (file === '')
    progress('This project has no TorchScript program: opsmith.json has no "program".')
  else if (isGood) progress(`${file}: no errors`)
  else printLines(diagnostics.map((one) => describeDiagnostic(one)))
  return isGood ? exitCodes.good : exitCodes.failed
}

export const verb = defineVerb({
  name: 'check-program',
  order: 5,
  description: 'build, and compile the TorchScript program: list its errors, function by function',
  argument: projectArgument,
  options: verbOptions,
  runsOperators: true,
  run: runCheckProgram,
})
