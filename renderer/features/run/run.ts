import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { Argument, Call } from '../../../electron/contract/manifest'
import type { OperatorArgument, OperatorDetail } from '../../../electron/contract/operators'
import type { HostExit, WorkbenchError } from '../../../electron/contract/outcome'
import { call } from '../../bridge/bridge'
import { argumentText, kindOf, parseArguments } from '../../store/arguments'
import type { TestPlace } from '../../store/feature'
import { runStamp } from '../../store/files'
import { effectiveInputs } from '../../store/inputs'
import { currentManifest, projectStore } from '../../store/project'
import { loadProgramFunctions, programFunctions } from '../../store/program-functions'
import { parseSchema } from '../../store/schema-text'
import { operatorKey, schemasStore } from '../../store/schemas'
import { placeOfExit } from '../../store/tests'
import { makeInputsJob, runJob } from './job'
import { forgetShown } from './shown'

type RunState = {
  /** An operator, an overload or a function of the program; "" when nothing was chosen. */
  op: string
  /** The call of opsmith.json that the fields were filled from. */
  callIndex: number | null
  signature: OperatorArgument[] | null
  schema: string
  signatureError: WorkbenchError | null
  /** The argument fields' texts, by argument name; kept when the signature changes. */
  texts: Record<string, string>
  problems: Record<string, string>
  reference: string
  rtol: string
  atol: string
  /** Set once the user ran something: from then on it repeats after each good build. */
  repeats: boolean
  /** The last run was stopped; null while another runs, and after it. */
  stopped: StoppedRun | null
  /** Counts how often the user asked for a run: what comes of it is brought into view. */
  asked: number
}

export type StoppedRun = {
  /** After how long, and where it was, in a sentence. */
  message: string
  /** The line of the user's code that it was at; null where the call was in none. */
  place: TestPlace | null
}

export const runStore = createStore<RunState>(() => ({
  op: '',
  callIndex: null,
  signature: null,
  schema: '',
  signatureError: null,
  texts: {},
  problems: {},
  reference: '',
  rtol: '',
  atol: '',
  repeats: false,
  stopped: null,
  asked: 0,
}))

/** Among what is refreshed after a build. */
export const refreshOrder = 5

export function useRun<T>(select: (state: RunState) => T): T {
  return useStore(runStore, select)
}

export function forgetRun(): void {
  runStore.setState(runStore.getInitialState(), true)
  forgetShown()
}

/** Fills the fields from a call of opsmith.json. */
export async function chooseCall(index: number): Promise<void> {
  const chosen = currentManifest()?.calls[index]
  if (!chosen) return
  forgetResult()
  runStore.setState({
    op: chosen.op,
    callIndex: index,
    signature: null,
    texts: {},
    problems: {},
    reference: chosen.reference ?? '',
    rtol: chosen.rtol === undefined ? '' : String(chosen.rtol),
    atol: chosen.atol === undefined ? '' : String(chosen.atol),
  })
  await resolveSignature()
  const { signature, op } = runStore.getState()
  if (signature === null || op !== chosen.op) return
  runStore.setState({ texts: textsOf(signature, chosen.args) })
}

/** Chooses an operator or a function: arguments are guessed from the inputs' names. */
export async function chooseOperator(op: string): Promise<void> {
  forgetResult()
  runStore.setState({ op, callIndex: null, signature: null, problems: {}, reference: '' })
  runStore.setState({ rtol: '', atol: '', texts: {} })
  await resolveSignature()
  const { signature } = runStore.getState()
  if (signature !== null) runStore.setState({ texts: guessTexts(signature) })
}

/** The result of one operator must not stand under the name of another. */
function forgetResult(): void {
  // A call that still runs is ended: nobody waits for its answer any more.
  runJob.reset()
  makeInputsJob.reset()
  forgetShown()
  runStore.setState({ repeats: false, stopped: null })
}

export function setArgument(name: string, text: string): void {
  runStore.setState((state) => {
    const problems = { ...state.problems }
    delete problems[name]
    return { texts: { ...state.texts, [name]: text }, problems }
  })
}

/** Takes the signature that the last build, or the program, has of what is chosen. False where neither has it. */
function takeKnownSignature(): boolean {
  const { op } = runStore.getState()
  const known = builtOperator(op)
  const program = programFunctions().find((item) => item.name === op)
  if (known) takeSignature(known.arguments, known.schema)
  else if (program) takeSignature(parseSchema(program.schema).arguments, program.schema)
  return known !== undefined || program !== undefined
}

/** The signature of what is chosen, as the last build, the program or the registry has it. */
export async function resolveSignature(): Promise<void> {
  const { op } = runStore.getState()
  if (op === '' || takeKnownSignature()) return
  if (op.includes('::')) {
    const dot = op.indexOf('.', op.indexOf('::'))
    const name = dot < 0 ? op : op.slice(0, dot)
    const overload = dot < 0 ? '' : op.slice(dot + 1)
    const result = await call('registry.describe', { name, overload })
    if (runStore.getState().op !== op) return
    // A build may have come meanwhile, and knows better.
    const built = builtOperator(op)
    if (built) takeSignature(built.arguments, built.schema)
    else if (result.ok) takeSignature(result.value.arguments, result.value.schema)
    else runStore.setState({ signature: null, signatureError: result.error })
  } else {
    runStore.setState({ signature: null, signatureError: null })
  }
}

/** As the last build has it; a name without an overload stands for the first. */
function builtOperator(op: string): OperatorDetail | undefined {
  const operators = schemasStore.getState().load?.operators ?? []
  return (
    operators.find((item) => operatorKey(item) === op) ?? operators.find((item) => item.name === op)
  )
}

function takeSignature(signature: OperatorArgument[], schema: string): void {
  // The dispatcher names nothing in some bindings: a position is a name too.
  const named = signature.map((argument, index) =>
    argument.name === '' ? { ...argument, name: String(index) } : argument,
  )
  const { texts, callIndex, op } = runStore.getState()
  const chosen = callIndex === null ? undefined : currentManifest()?.calls[callIndex]
  const isEmpty = Object.keys(texts).length === 0
  const filled = isEmpty && chosen?.op === op ? textsOf(named, chosen.args) : texts
  runStore.setState({ signature: named, schema, signatureError: null, texts: filled })
}

export async function runChosen(): Promise<void> {
  const state = runStore.getState()
  if (state.op === '' || runJob.isRunning()) return
  if (state.signature === null) await resolveSignature()
  const { signature, signatureError, texts } = runStore.getState()
  if (signature === null) {
    if (signatureError) runJob.set({ error: signatureError, value: null })
    return
  }
  const inputs = effectiveInputs()
  const parsed = parseArguments(signature, texts, inputs)
  if (!parsed.ok) {
    runStore.setState({ problems: parsed.problems })
    return
  }
  runStore.setState({ problems: {}, repeats: true, stopped: null })
  const otherCall = callOfReference(runStore.getState())
  const reference = otherCall === null ? state.reference.trim() : ''
  const result = await runJob.run({
    request: {
      op: state.op,
      args: parsed.args,
      inputs,
      ...(reference === '' ? {} : { reference }),
      ...tolerance('rtol', state.rtol),
      ...tolerance('atol', state.atol),
    },
    timeout: callTimeout(state.callIndex),
    otherCall,
  })
  if (result?.ok !== false || result.error.code !== 'cancelled') return
  // To stop user code ends the op host that holds the values of the run before.
  runJob.set({ value: null })
  runStore.setState({ stopped: stoppedBy(result.error.exit) })
}

/**
 * The call that the reference of opsmith.json is for, as text, if the fields say another one: a reference names inputs, and
 * would call the right result of other inputs wrong. Null if the result can be compared: the arguments are those of
 * opsmith.json, or the user wrote the reference.
 */
export function callOfReference(
  state: Pick<RunState, 'callIndex' | 'signature' | 'texts' | 'reference'>,
): string | null {
  const { callIndex, signature, texts, reference } = state
  const call = callIndex === null ? undefined : currentManifest()?.calls[callIndex]
  if (!call || signature === null || reference.trim() === '') return null
  if (reference.trim() !== call.reference?.trim()) return null
  const inputs = effectiveInputs()
  const now = parseArguments(signature, texts, inputs)
  const kept = parseArguments(signature, textsOf(signature, call.args), inputs)
  if (!now.ok || !kept.ok || JSON.stringify(now.args) === JSON.stringify(kept.args)) return null
  return `${call.op}(${call.args.map(argumentText).join(', ')})`
}

function stoppedBy(exit: HostExit | undefined): StoppedRun {
  if (exit) return { message: exit.message, place: placeOfExit(exit) }
  // It waited for its turn.
  const seconds = (Date.now() - runJob.store.getState().startedAt) / 1000
  return { message: `Stopped after ${seconds.toFixed(1)} s, before the call began.`, place: null }
}

/** Fills the argument fields. */
export function takeArguments(args: readonly Argument[]): void {
  const { signature } = runStore.getState()
  if (signature !== null) runStore.setState({ texts: textsOf(signature, args), problems: {} })
}

/** The text of the arguments of a call of opsmith.json, by name. */
function textsOf(signature: OperatorArgument[], args: readonly Argument[]): Record<string, string> {
  const texts: Record<string, string> = {}
  signature.forEach((argument, index) => {
    texts[argument.name] = argumentText(args[index])
  })
  return texts
}

/** An input of the argument's name, else the next one that was not taken yet. */
function guessTexts(signature: OperatorArgument[]): Record<string, string> {
  const names = Object.keys(effectiveInputs())
  const free = names.filter((name) => !signature.some((argument) => argument.name === name))
  const texts: Record<string, string> = {}
  for (const argument of signature) {
    if (names.includes(argument.name)) texts[argument.name] = argument.name
    else if (kindOf(argument.type) === 'tensor' && argument.default === undefined) {
      texts[argument.name] = argument.type.endsWith('?') ? '' : (free.shift() ?? '')
    }
  }
  return texts
}

/**
 * What the fields say, as a call of opsmith.json; null while something in them does not parse. A reference for other
 * arguments is left out.
 */
export function chosenAsCall(): Call | null {
  const { op, signature, texts, rtol, atol } = runStore.getState()
  const reference =
    callOfReference(runStore.getState()) === null ? runStore.getState().reference : ''
  if (op === '' || signature === null) return null
  const parsed = parseArguments(signature, texts, effectiveInputs())
  if (!parsed.ok) {
    runStore.setState({ problems: parsed.problems })
    return null
  }
  return {
    op,
    args: parsed.args,
    ...(reference.trim() === '' ? {} : { reference: reference.trim() }),
    ...tolerance('rtol', rtol),
    ...tolerance('atol', atol),
  }
}

function tolerance(name: 'rtol' | 'atol', text: string): { rtol?: number; atol?: number } {
  const value = Number(text)
  return text.trim() === '' || Number.isNaN(value) ? {} : { [name]: value }
}

function callTimeout(index: number | null): number {
  return index === null ? 0 : (currentManifest()?.calls[index]?.timeout ?? 0)
}

/** Something sensible to begin with: the first call of opsmith.json, else the first operator. */
export async function chooseFirst(): Promise<void> {
  if (runStore.getState().op !== '') {
    await resolveSignature()
    return
  }
  if ((projectStore.getState().project?.manifest?.calls.length ?? 0) > 0) {
    await chooseCall(0)
    return
  }
  const first = schemasStore.getState().load?.operators[0]
  if (first) await chooseOperator(operatorKey(first))
}

export function chooseFirstIfNone(): void {
  if (runStore.getState().op === '') void chooseFirst()
}

/** After a build or an edit of the program: the last run shows what changed. */
export async function refreshRun(cause: 'build' | 'program'): Promise<void> {
  if (cause === 'program') await resolveSignature()
  else {
    const op = runStore.getState().op || currentManifest()?.calls[0]?.op
    // Not an operator: it may be one of the program's functions, which are otherwise read after the run.
    if (op !== undefined && builtOperator(op) === undefined) await loadProgramFunctions()
    // Where nothing is to be asked, the call goes out before the window renders the build.
    if (!takeKnownSignature()) await chooseFirst()
  }
  const { repeats } = runStore.getState()
  const { error, stamp } = runJob.store.getState()
  // What ended the op host would end it again: that is for the user to ask for.
  const wouldCrash = cause === 'build' && error?.exit !== undefined && stamp === runStamp()
  if (repeats && !wouldCrash) await runChosen()
}

/** After an edit of the inputs in opsmith.json; a build repeats the run when it is done. */
export function repeatRun({ building }: { building: boolean }): void {
  if (!building && runStore.getState().repeats) void runChosen()
}
