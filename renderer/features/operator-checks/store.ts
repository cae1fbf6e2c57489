import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { Diagnostic } from '../../../electron/contract/diagnostics'
import type { CheckEntry } from '../../../electron/contract/manifest'
import type { OpcheckOutcome, PlacedFinding } from '../../../electron/contract/opcheck'
import type { WorkbenchError } from '../../../electron/contract/outcome'
import { call, listen, newJob } from '../../bridge/bridge'
import { runStamp } from '../../store/files'
import { noteCrash } from '../../store/host'
import { emptyOperatorCheckDraft, type OperatorCheckDraft } from './case'
import { currentFolder } from '../../store/project'

export type OperatorChecksState = {
  /** What is checked of the project, in this order: opsmith.json's `checks`, else calls and operators. */
  entries: CheckEntry[]
  job: string | null
  startedAt: number
  done: number
  total: number
  /** By place among `entries`, and the sources they are of. */
  outcomes: Record<number, { outcome: OpcheckOutcome; stamp: string }>
  /** None of the checks could be made. */
  error: WorkbenchError | null
  /** Set once the user asked for all: from then on they repeat after each good build. */
  repeats: boolean
  /** The sanitizers' checks too, when checks run next: they take a build of their own. */
  sanitize: boolean
  /** The entry that the fields were filled from, while they still say the same. */
  entry: number | null
  draft: OperatorCheckDraft
  /** The check of what the fields say. */
  oneJob: string | null
  oneStartedAt: number
  /** Of the fields as they are; null until they are checked by themselves. */
  one: OpcheckOutcome | null
  oneError: WorkbenchError | null
  oneStamp: string | null
}

export const operatorChecksStore = createStore<OperatorChecksState>(() => ({
  entries: [],
  job: null,
  startedAt: 0,
  done: 0,
  total: 0,
  outcomes: {},
  error: null,
  repeats: false,
  sanitize: false,
  entry: null,
  draft: emptyOperatorCheckDraft(),
  oneJob: null,
  oneStartedAt: 0,
  one: null,
  oneError: null,
  oneStamp: null,
}))

export function useOperatorChecks<T>(select: (state: OperatorChecksState) => T): T {
  return useStore(operatorChecksStore, select)
}

export function isCheckingOperators(state: OperatorChecksState): boolean {
  return state.job !== null || state.oneJob !== null
}

/** Verdicts on the sources as they are, against expectation. */
export function unexpectedOperators(
  state: Pick<OperatorChecksState, 'outcomes' | 'one' | 'oneStamp'>,
): OpcheckOutcome[] {
  const { outcomes, one, oneStamp } = state
  const now = runStamp()
  const all = Object.values(outcomes).flatMap(({ outcome, stamp }) =>
    outcome.asExpected || stamp !== now || outcome.entry === one?.entry ? [] : [outcome],
  )
  return one && !one.asExpected && oneStamp === now ? [...all, one] : all
}

/** What is checked; outcomes stay with the entries that still say the same. */
export async function loadEntries(): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const result = await call('opcheck.entries', { folder })
  if (!result.ok || currentFolder() !== folder) return
  operatorChecksStore.setState((state) => {
    const key = (entry: CheckEntry | undefined): string => JSON.stringify(entry)
    const outcomes = Object.entries(state.outcomes).filter(
      ([index]) => key(state.entries[Number(index)]) === key(result.value[Number(index)]),
    )
    return { entries: result.value, outcomes: Object.fromEntries(outcomes) }
  })
}

let running: Promise<void> = Promise.resolve()

/** When nothing of opsmith.json's is being checked. */
export function allChecked(): Promise<void> {
  return running
}

/** Checks the operators of the project; what runs already is ended, since its library is an older one. */
export async function checkOperators(): Promise<void> {
  operatorChecksStore.setState({ repeats: true })
  await runAll(false)
}

/** Only what was kept of failures. */
export async function checkCases(): Promise<void> {
  const { entries } = operatorChecksStore.getState()
  if (entries.some((entry) => entry.checks !== undefined && entry.shapes === 0)) await runAll(true)
}

let allWanted = 0

async function runAll(casesOnly: boolean): Promise<void> {
  allWanted += 1
  const mine = allWanted
  await stopAll()
  await running
  if (mine !== allWanted) return
  running = runOnce(casesOnly)
  await running
}

async function runOnce(casesOnly: boolean): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  await loadEntries()
  const job = newJob('opcheck')
  allStamp = runStamp()
  const { sanitize } = operatorChecksStore.getState()
  operatorChecksStore.setState({ job, startedAt: Date.now(), done: 0, total: 0, error: null })
  const result = await call('opcheck.runAll', { folder, job, casesOnly, sanitize })
  if (operatorChecksStore.getState().job !== job) return
  operatorChecksStore.setState({ job: null })
  if (result.ok) {
    // An answer may overtake the event of its last outcome: the answer has them all.
    for (const outcome of result.value) takeOutcome(outcome)
    return
  }
  if (result.error.exit) noteCrash(result.error.exit)
  if (result.error.code !== 'cancelled') operatorChecksStore.setState({ error: result.error })
}

/** Holds for the checks that are made from now on. */
export function setSanitize(sanitize: boolean): void {
  operatorChecksStore.setState({ sanitize })
}

let allStamp = ''

/** What the fields say of this very entry is what was just checked. */
function takeOutcome(outcome: OpcheckOutcome): void {
  operatorChecksStore.setState((state) => ({
    outcomes: { ...state.outcomes, [outcome.entry]: { outcome, stamp: allStamp } },
    ...(state.entry === outcome.entry ? { one: null, oneError: null } : {}),
  }))
}

async function stopAll(): Promise<void> {
  const { job } = operatorChecksStore.getState()
  if (job !== null) await call('job.cancel', { job })
}

export async function stopOperatorChecks(): Promise<void> {
  allWanted += 1
  const { oneJob } = operatorChecksStore.getState()
  await Promise.all([stopAll(), oneJob === null ? undefined : call('job.cancel', { job: oneJob })])
}

export function listenToOperatorChecks(): void {
  listen('opcheck.progressed', ({ job, done, total, outcome }) => {
    if (operatorChecksStore.getState().job !== job) return
    operatorChecksStore.setState({ done, total })
    if (outcome) takeOutcome(outcome)
  })
}

const none: Diagnostic[] = []
let cachedFor: unknown[] = []
let cached: Diagnostic[] = none

/** What failed against expectation, at the line to look at. */
export function operatorCheckDiagnostics(): Diagnostic[] {
  const state = operatorChecksStore.getState()
  const key = [state.outcomes, state.one, runStamp()]
  if (key.every((part, index) => part === cachedFor[index])) return cached
  cachedFor = key
  const all = unexpectedOperators(state).flatMap((outcome) =>
    (outcome.report?.findings ?? [])
      .filter((finding) => finding.status === 'failed')
      .map((finding) => asDiagnostic(outcome.op, finding)),
  )
  // A case that was kept says again what the operator's own checks say.
  const seen = new Set<string>()
  cached = all.filter(({ code, file, line, message }) => {
    const place = JSON.stringify([code, file, line, message])
    return !seen.has(place) && seen.add(place).has(place)
  })
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
