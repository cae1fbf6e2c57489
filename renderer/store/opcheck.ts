import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { Diagnostic } from '../../electron/contract/diagnostics'
import type { OpcheckOutcome, PlacedFinding } from '../../electron/contract/opcheck'
import type { WorkbenchError } from '../../electron/contract/outcome'
import { call, listen, newJob } from '../bridge/bridge'
import { runStamp } from './files'
import { noteCrash } from './host'
import { currentFolder } from './project'

type OpcheckState = {
  job: string | null
  startedAt: number
  done: number
  total: number
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
  opcheckStore.setState({ ...begun, error: null, outcomes: [], stamp: runStamp() })
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
  const { outcomes, stamp } = opcheckStore.getState()
  const now = runStamp()
  if (outcomes === cachedFor[0] && now === cachedFor[1]) return cached
  cachedFor = [outcomes, now]
  const wrong = stamp === now ? outcomes.filter((outcome) => !outcome.asExpected) : []
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
