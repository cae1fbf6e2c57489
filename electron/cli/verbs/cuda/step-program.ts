import path from 'node:path'

import type { GpuProgram, GpuProgramRun } from '../../../engine/virtual-gpu/gpu-programs'
import { StepSession } from '../../../engine/virtual-gpu/stepping/step-session'
import type { Workbench } from '../../../engine/workbench'
import { exitCodes } from '../../exit-codes'
import { printError, progress } from '../../print'
import { neverStopped, obeyCommands, readBlock, readPlace } from '../../step-commands'

/** The exit code is the program's own; of a program that the user ends, it is 0. */
export async function stepProgram(
  workbench: Workbench,
  run: GpuProgram & GpuProgramRun,
  { step, block: named = '0,0,0' }: { step: string; block: string | undefined },
): Promise<number> {
  const target = readPlace(step)
  if (!target.ok) return printError(target.error, false)
  const block = readBlock(named)
  if (!block.ok) return printError(block.error, false)
  const folders = [...run.sources.map((source) => path.dirname(source)), ...run.includeFolders]
  const session = new StepSession({
    target: target.value,
    block: block.value,
    folder: run.folder,
    isUserFile: (file) => folders.some((folder) => file.startsWith(`${folder}/`)),
    onFinished: (kernel) =>
      progress(`opsmith: block (${block.value.join(', ')}) of ${kernel} ended`),
  })
  const environment = { ...run.environment, ...(await session.listen()) }
  const ending = new AbortController()
  run.signal.addEventListener('abort', () => ending.abort())
  const ran = workbench.gpuPrograms
    .run({ ...run, environment, signal: ending.signal })
    .finally(() => session.end())
  await obeyCommands(session)
  const hasQuit = !session.hasEnded
  if (hasQuit) ending.abort()
  const { exitCode } = await ran
  if (!session.hasStopped) {
    progress(neverStopped({ target: session.target, block: block.value }))
    return exitCode === exitCodes.good ? exitCodes.failed : exitCode
  }
  return hasQuit ? exitCodes.good : exitCode
}
