import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type {
  CheckedReport,
  GradcheckOutcome,
  GradcheckPoint,
  GradcheckReport,
  SearchReport,
  SweepPoint,
  SweepReport,
} from '../../../electron/contract/gradcheck'
import type { WorkbenchError } from '../../../electron/contract/outcome'
import { call, newJob } from '../../bridge/bridge'
import { emptyDraft, type GradcheckDraft } from './case'
import { hostStore } from '../../store/host'

/** An entry of opsmith.json's `gradchecks`, and the sources it was made from. */
export type StampedOutcome = { outcome: GradcheckOutcome; stamp: string }

/** Work on the chosen case that goes through many gradchecks. */
export type LongWork = { job: string; startedAt: number; done: number; total: number }

export type GradcheckState = {
  /** By position in opsmith.json. */
  outcomes: Record<number, StampedOutcome>
  all: LongWork | null
  /** None of the checks could be made. */
  allError: WorkbenchError | null
  /** The entry that the fields were filled from, while they still say the same. */
  entry: number | null
  draft: GradcheckDraft
  job: string | null
  startedAt: number
  report: CheckedReport | null
  error: WorkbenchError | null
  stamp: string | null
  /** The op host that holds the report's Jacobians. */
  generation: number
  history: GradcheckPoint[]
  /** The finding whose Jacobian is looked at. */
  finding: number | null
  sweeping: LongWork | null
  sweep: SweepReport | null
  /** What the sweep that runs has found so far. */
  sweepPoints: SweepPoint[]
  sweepError: WorkbenchError | null
  /** What was swept: equal keys mean that the chart is about the chosen case. */
  sweepKey: string
  sweepStamp: string | null
  searching: LongWork | null
  search: SearchReport | null
  searchError: WorkbenchError | null
  searchKey: string
  searchStamp: string | null
}

export const gradcheckStore = createStore<GradcheckState>(() => ({
  outcomes: {},
  all: null,
  allError: null,
  entry: null,
  draft: emptyDraft(),
  job: null,
  startedAt: 0,
  report: null,
  error: null,
  stamp: null,
  generation: 0,
  history: [],
  finding: null,
  sweeping: null,
  sweep: null,
  sweepPoints: [],
  sweepError: null,
  sweepKey: '',
  sweepStamp: null,
  searching: null,
  search: null,
  searchError: null,
  searchKey: '',
  searchStamp: null,
}))

export function useGradcheck<T>(select: (state: GradcheckState) => T): T {
  return useStore(gradcheckStore, select)
}

/** Whether anything runs that Stop would end. */
export function isChecking(state: GradcheckState): boolean {
  return [state.job, state.all, state.sweeping, state.searching].some((work) => work !== null)
}

/** Lets go of the Jacobians of a report; those of an op host that ended are gone with it. */
export function releaseJacobians(report: GradcheckReport | null, generation: number): void {
  if (!report || generation !== hostStore.getState().host?.generation) return
  const handles = report.findings.flatMap((finding) =>
    [finding.analytical, finding.numerical, finding.error].flatMap((item) => item?.handle ?? []),
  )
  if (handles.length > 0) void call('tensor.release', { handles })
}

/** The finding to look at first: the worst that failed, else the first with a Jacobian. */
export function firstFinding(report: GradcheckReport): number | null {
  const seen = report.findings.map((finding, index) => ({ finding, index }))
  const drawn = seen.filter(({ finding }) => finding.error !== undefined)
  const failed = drawn.filter(({ finding }) => finding.status === 'failed')
  const worst = failed.sort(
    (a, b) => (b.finding.worst?.absolute ?? 0) - (a.finding.worst?.absolute ?? 0),
  )
  return (worst[0] ?? drawn[0])?.index ?? null
}

export function begunWork(kind: string): LongWork {
  return { job: newJob(kind), startedAt: Date.now(), done: 0, total: 0 }
}
