import os from 'node:os'

import { pruneBuildCaches } from '../../engine/compile/build'
import type { Workbench } from '../../engine/workbench'
import { interruptSignal } from '../interrupt'
import { exitCodes } from '../exit-codes'
import { printError, printJson, progress } from '../print'
import { flag } from '../options'
import type { OptionValues } from '../options'
import { defineVerb } from '../verb'

/** What a compiler takes that precompiles all of libtorch's headers. */
const bytesPerCompiler = 2 * 2 ** 30

const verbOptions = { json: flag('print the result as JSON to stdout') }

async function runPrepare(
  workbench: Workbench,
  project: string,
  options: OptionValues<typeof verbOptions>,
): Promise<number> {
  interruptSignal().addEventListener('abort', () => {
    void workbench.close()
  })
  const opened = project === '' ? undefined : await workbench.projects.open(project)
  if (opened && !opened.ok) return printError(opened.error, options.json)
  // Nobody works meanwhile, as in the window: all cores.
  const compilers = Math.min(os.cpus().length, Math.floor(os.freemem() / bytesPerCompiler))
  const result = await workbench.headers.prepare(Math.max(1, compilers), opened?.value, progress)
  if (!result.ok) return printError(result.error, options.json)
  pruneBuildCaches(workbench.installation)
  if (options.json) printJson({ ok: true, ...result.value })
  else {
    progress(
      result.value.made === 0
        ? 'the precompiled headers already exist'
        : `precompiled headers and compile servers made: ${result.value.made}, in ${result.value.seconds.toFixed(1)} s of compiler time`,
    )
  }
  return exitCodes.good
}

export const verb = defineVerb({
  name: 'prepare',
  order: 16,
  description:
    "precompile libtorch's headers for the compiler and flags of the settings, or of a project",
  argument: {
    name: 'project',
    description:
      'project folder; Opsmith uses the tools and flags that opsmith.json of this project selects (default: the tools and flags of the settings)',
    isOptional: true,
  },
  options: verbOptions,
  run: runPrepare,
})
