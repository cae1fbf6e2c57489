import type { Argument, InputSpec } from '../../../electron/contract/manifest'
import type { OperatorCheckCase } from '../../../electron/contract/operator-check'
import type { OperatorArgument } from '../../../electron/contract/operators'
import { isOptional, kindOf } from '../../store/arguments'
import { effectiveInputs, setInputs } from '../../store/inputs'
import { makeInputsJob } from './job'
import { runChosen, runStore, takeArguments } from './run'

/** Whether a tensor that the call cannot do without has no input. */
export function lacksInputs(
  signature: readonly OperatorArgument[] | null,
  texts: Readonly<Record<string, string>>,
): boolean {
  return (signature ?? []).some((argument) => {
    const isTensor = ['tensor', 'tensors'].includes(kindOf(argument.type))
    if (!isTensor || argument.default !== undefined || isOptional(argument)) return false
    return (texts[argument.name] ?? '').trim() === ''
  })
}

/** Adds inputs that suit the chosen operator to opsmith.json, chooses them, and calls it. */
export async function makeInputsAndRun(): Promise<void> {
  const { op } = runStore.getState()
  if (op === '') return
  const made = await makeInputsJob.run(op)
  if (!made?.ok || runStore.getState().op !== op) return
  const { inputs, args } = withFreeNames(made.value, effectiveInputs(), op)
  // Shown at once, written meanwhile.
  void setInputs(inputs)
  takeArguments(args)
  await runChosen()
}

/** What the Run button and its key do. */
export async function runOrMakeInputs(): Promise<void> {
  const { signature, texts, asked } = runStore.getState()
  runStore.setState({ asked: asked + 1 })
  await (lacksInputs(signature, texts) ? makeInputsAndRun() : runChosen())
}

/** An input of the project stays as it is: what has its name gets another. */
function withFreeNames(
  { args, inputs }: OperatorCheckCase,
  taken: Readonly<Record<string, InputSpec>>,
  op: string,
): OperatorCheckCase {
  const short = op.slice(op.lastIndexOf(':') + 1).replace(/\W+/g, '_')
  const names = new Map<string, string>()
  for (const name of Object.keys(inputs)) {
    const wanted = Object.hasOwn(taken, name) ? `${short}_${name}` : name
    let free = wanted
    for (let number = 2; Object.hasOwn(taken, free); number += 1) free = `${wanted}_${number}`
    names.set(name, free)
  }
  const renamed = (argument: Argument): Argument => {
    if (Array.isArray(argument)) return argument.map(renamed)
    return typeof argument === 'string' ? (names.get(argument) ?? argument) : argument
  }
  return {
    args: args.map(renamed),
    inputs: Object.fromEntries(
      Object.entries(inputs).map(([name, spec]) => [names.get(name) ?? name, spec]),
    ),
  }
}
