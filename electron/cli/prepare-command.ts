import os from 'node:os'

import { pruneBuildCaches } from '../engine/compile/build'
import type { Workbench } from '../engine/workbench'
import { interruptSignal } from './build-command'
import { exitCodes } from './exit-codes'
import { printError, printJson, progress } from './print'

/** What a compiler takes that precompiles all of libtorch's headers. */
const bytesPerCompiler = 2 * 2 ** 30

export async function runPrepare(
  workbench: Workbench,
  project: string,
  options: { json: boolean },
): Promise<number> {
  interruptSignal().addEventListener('abort', () => {
    void workbench.close()
  })
  const opened = project === '' ? undefined : await workbench.projects.open(project)
  if (opened && !opened.ok) return printError(opened.error, options.json)
  // Nobody works meanwhile, as in the window: all cores.
  const compilers = Math.min(os.cpus().length, Math.floor(os.freemem() / bytesPerCompiler))
  const result = await workbench.headers.prepare(Math.max(1, compilers), opened?.value)
  if (!result.ok) return printError(result.error, options.json)
  pruneBuildCaches(workbench.installation)
  if (options.json) printJson({ ok: true, ...result.value })
  else {
    progress(
      result.value.made === 0
        ? 'precompiled headers are there already'
        : `${result.value.made} precompiled headers made in ${result.value.seconds.toFixed(1)} s`,
    )
  }
  return exitCodes.good
}
