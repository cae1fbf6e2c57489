import { readManifest } from '../../engine/project/read-manifest'
import type { SteppedCall } from '../../engine/virtual-gpu/stepping/step-calls'
import type { Workbench } from '../../engine/workbench'
import { sayBuild } from '../building'
import { chooseCall } from '../chosen-call'
import { exitCodes } from '../exit-codes'
import { interruptSignal } from '../interrupt'
import { callArguments, number, text } from '../options'
import type { OptionValues } from '../options'
import { printError, progress } from '../print'
import { neverStopped, obeyCommands, readBlock, readPlace, stepNotes } from '../step-commands'
import { defineVerb, projectArgument } from '../verb'

const stepOptions = {
  at: text('<file:line>', 'stop at this line of a kernel; FILE is relative to the project'),
  block: text('<x,y,z>', 'the thread block to step through (default: 0,0,0)'),
  op: text(
    '<name>',
    "an operator, or a function of the project's TorchScript program; without this option, the first call of a function, else the first call in opsmith.json",
  ),
  args: callArguments('with --op: arguments of the call, a JSON list as in opsmith.json'),
  call: number(
    '<number>',
    'number of the call in opsmith.json, counted from 1; with --op, only calls of that name count',
    { least: 1, isWhole: true },
  ),
}

/** Steps a call, until it has ended or the user quits. */
async function runStep(
  workbench: Workbench,
  folder: string,
  { at = '', block: named = '0,0,0', op = '', args, call = 0 }: OptionValues<typeof stepOptions>,
): Promise<number> {
  const target = readPlace(at, folder)
  if (!target.ok) return printError(target.error, false)
  const block = readBlock(named)
  if (!block.ok) return printError(block.error, false)
  const manifest = await readManifest(folder)
  if (!manifest.ok) return printError(manifest.error, false)
  const chosen = chooseCall(manifest.value, { op, call, ...(args && { args }) })
  if (!chosen.ok) return printError(chosen.error, false)

  const ending = new AbortController()
  interruptSignal().addEventListener('abort', () => ending.abort())
  const build = await sayBuild((callbacks) =>
    workbench.stepCalls.build(folder, { ...callbacks, signal: ending.signal }),
  )
  if (!build.ok) return printError(build.error, false)
  if (!build.value.ok) return exitCodes.failed
  const wanted: SteppedCall = {
    call: { op: chosen.value.op, args: chosen.value.args, inputs: manifest.value.inputs },
    target: target.value,
    block: block.value,
    onFinished: (kernel) =>
      progress(`opsmith: block (${block.value.join(', ')}) of ${kernel} ended`),
  }
  const running = await workbench.stepCalls.start(folder, build.value, wanted, ending.signal)
  if (!running.ok) return printError(running.error, false)
  const { session, result } = running.value
  await obeyCommands(session)
  const hasQuit = !session.hasEnded
  if (hasQuit) ending.abort()
  const report = await result
  if (hasQuit) return exitCodes.good
  if (!report.ok) return printError(report.error, false)
  if (session.hasStopped) return exitCodes.good
  progress(neverStopped({ target: session.target, block: block.value }))
  return exitCodes.failed
}

export const verb = defineVerb({
  name: 'step',
  order: 19.5,
  description: 'build, and step one block of a CUDA kernel that a call launches on the virtual GPU',
  argument: projectArgument,
  options: stepOptions,
  readsInput: () => true,
  notes: [stepNotes],
  runsOperators: true,
  run: runStep,
})
