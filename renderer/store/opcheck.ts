import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { Diagnostic } from '../../electron/contract/diagnostics'
import type { OpcheckOutcome, PlacedFinding } from '../../electron/contract/opcheck'
import type { WorkbenchError } from '../../electron/contract/outcome'
import { call, listen, newJob } from '../bridge/bridge'
import { runStamp } from './files'
import { gradcheckStore } from './gradcheck'
import { chosenCase } from './gradcheck-run'
import { noteCrash } from './host'
import { currentFolder } from './project'

type OpcheckState = {
  job: string | null
  startedAt: number
  done: number
  total: number
  /** The case that the gradients' fields name, checked by itself. */
  single: OpcheckOutcome | null
  /** In the order in which they were checked. */
  outcomes: OpcheckOutcome[]
  error: WorkbenchError | null
  stamp: string | null
  /** Set once the user asked for them: from then on they repeat after each good build. */
  repeats: boolean
}

export const opcheckStore = createStore<OpcheckState>(() => ({
  job: null,
  startedAt: 0,
  done: 0,
  total: 0,
  single: null,
  outcomes: [],
  error: null,
  stamp: null,
  repeats: false,
}))

export function useOpcheck<T>(select: (state: OpcheckState) => T): T {
  return useStore(opcheckStore, select)
}

let running: Promise<void> = Promise.resolve()

/** Checks the operators of opsmith.json; what runs already is ended, since its library is an older one. */
export async function checkOperators(): Promise<void> {
  await stopOpchecks()
  await running
  running = runAll()
  await running
}

async function runAll(): Promise<void> {
  const folder = currentFolder()
  if (folder === null || opcheckStore.getState().job !== null) return
  const job = newJob('opcheck')
  const begun = { job, startedAt: Date.now(), done: 0, total: 0, repeats: true }
  opcheckStore.setState({ ...begun, error: null, outcomes: [], single: null, stamp: runStamp() })
  const result = await call('opcheck.runAll', { folder, job })
  if (opcheckStore.getState().job !== job) return
  opcheckStore.setState({ job: null })
  if (result.ok) {
    opcheckStore.setState({ outcomes: result.value })
    return
  }
  if (result.error.exit) noteCrash(result.error.exit)
  if (result.error.code !== 'cancelled') opcheckStore.setState({ error: result.error })
}

/** Operator checks of the case that the gradients' fields name, which may be libtorch's. */
export async function checkOperator(): Promise<void> {
  const folder = currentFolder()
  const asked = chosenCase()
  if (folder === null || opcheckStore.getState().job !== null) return
  if (!asked.ok) {
    opcheckStore.setState({ error: asked.error })
    return
  }
  const { op, args, inputs } = asked.value
  const job = newJob('opcheck')
  const stamp = runStamp()
  opcheckStore.setState({ job, startedAt: Date.now(), done: 0, total: 0, error: null })
  const request = { op, args, inputs }
  const result = await call('opcheck.run', { folder, job, request, timeout: 0 })
  if (opcheckStore.getState().job !== job) return
  opcheckStore.setState({ job: null })
  if (!result.ok) {
    if (result.error.exit) noteCrash(result.error.exit)
    if (result.error.code !== 'cancelled') opcheckStore.setState({ error: result.error, stamp })
    return
  }
  const verdict = result.value.ok ? 'passed' : 'failed'
  const name = `${op}(${gradcheckStore.getState().draft.argsText})`
  const single: OpcheckOutcome = {
    ...{ entry: -1, name, op, expect: 'passed', verdict },
    ...{ asExpected: result.value.ok, report: result.value },
  }
  // What was said of all is not of these sources any more: it would look as new as this.
  const older = opcheckStore.getState().stamp !== stamp
  opcheckStore.setState({ single, stamp, ...(older ? { outcomes: [] } : {}) })
}

export async function stopOpchecks(): Promise<void> {
  const { job } = opcheckStore.getState()
  if (job !== null) await call('job.cancel', { job })
}

/** After a good build. */
export async function repeatOpchecks(): Promise<void> {
  if (opcheckStore.getState().repeats) await checkOperators()
}

export function listenToOpchecks(): void {
  listen('opcheck.progressed', ({ job, done, total, outcome }) => {
    opcheckStore.setState((state) => {
      if (state.job !== job) return {}
      return { done, total, outcomes: outcome ? [...state.outcomes, outcome] : state.outcomes }
    })
  })
}

export function forgetOpchecks(): void {
  void stopOpchecks()
  opcheckStore.setState(opcheckStore.getInitialState(), true)
}

const none: Diagnostic[] = []
let cachedFor: unknown[] = []
let cached: Diagnostic[] = none

/** What failed against expectation, at the line to look at. */
export function opcheckDiagnostics(): Diagnostic[] {
  const { outcomes, single, stamp } = opcheckStore.getState()
  const key = [outcomes, single, runStamp()]
  if (key.every((part, index) => part === cachedFor[index])) return cached
  cachedFor = key
  const all = single ? [...outcomes.filter((one) => one.name !== single.name), single] : outcomes
  const wrong = stamp === runStamp() ? all.filter((outcome) => !outcome.asExpected) : []
  cached = wrong.flatMap((outcome) =>
    (outcome.report?.findings ?? [])
      .filter((finding) => finding.status === 'failed')
      .map((finding) => asDiagnostic(outcome.op, finding)),
  )
  if (cached.length === 0) cached = none
  return cached
}

function asDiagnostic(op: string, finding: PlacedFinding): Diagnostic {
  const place = { file: '', line: 0, column: 0 }
  const note = { severity: 'note' as const, ...place, message: finding.advice }
  return {
    severity: 'warning',
    ...place,
    ...(finding.file === undefined ? {} : { file: finding.file, line: finding.line ?? 0 }),
    message: `${op}: ${finding.reason}`,
    source: 'opcheck',
    code: finding.check,
    notes: finding.advice === '' ? [] : [note],
  }
}
