import type { AppEvent } from '../../../electron/contract/app-calls'
import type { KernelList } from '../../../electron/contract/timing-device'
import type {
  TimingHistoryPoint,
  TimingReport,
  TimingRequest,
  TimingRow,
  JudgedCeilings,
} from '../../../electron/contract/timing-report'
import { err, ok, type Result } from '../../../electron/contract/outcome'
import { call } from '../../bridge/bridge'
import { createJob, createLane, type Job, type Outcome, type Work } from '../../store/job'
import type { TimingDraft } from './draft'
import { askedKey, timingsStore } from './store'

/** Rows that were timed, and the sources they are of. */
export type Timed = {
  rows: TimingRow[]
  /** Of the machine and the whole run; null when it failed or was ended before that. */
  report: TimingReport | null
  /** It was stopped before its end: rows are missing. */
  isStopped: boolean
  /** Of the fields that it was asked with: equal keys mean that it answers what they say now. */
  asked: string
  stamp: string
}

export type TimingProgress = {
  done: number
  total: number
  rows: TimingRow[]
  /** What of the workbench's own has to end first; "" where nothing has. */
  waiting: string
}

type DraftRequest = { draft: TimingDraft; request: TimingRequest }
type HistoryRequest = DraftRequest & { key: string | null; row: TimingRow }

/** One thing at a time is timed: two would slow one another down. */
const lane = createLane()

/** Times what the fields say. Its stamp is of the last try, whatever came of it. */
export const timingJob: Job<DraftRequest, Timed, TimingProgress> = createJob({
  kind: 'timing',
  latest: 'wins',
  lane,
  keepsValue: true,
  run: async ({ draft, request }, work) => {
    historyJob.set({ value: null })
    timingJob.set({ error: null, stamp: work.stamp })
    const asked = askedKey(draft)
    const { folder, job } = work
    return timedOf(await call('timing.run', { folder, job, request }), asked, work)
  },
  progress: { event: 'timing.progressed', read: progressOf },
  // Another benchmark was chosen in the meantime: the result is not about it.
  isWanted: ({ draft }) => timingsStore.getState().draft.op === draft.op,
})

/** Times all of opsmith.json's benchmarks, else its calls. */
export const allTimingsJob: Job<void, Timed, TimingProgress> = createJob({
  kind: 'timing',
  latest: 'wins',
  lane,
  keepsValue: true,
  run: async (_, work) => {
    allTimingsJob.set({ error: null, stamp: work.stamp })
    const { folder, job } = work
    return timedOf(await call('timing.runAll', { folder, job }), '', work)
  },
  progress: { event: 'timing.progressed', read: progressOf },
})

/** What the GPU does in one forward of what the fields say. */
export const kernelsJob: Job<DraftRequest, KernelList> = createJob({
  kind: 'kernels',
  latest: 'refused',
  run: ({ request }, { folder, job }) => {
    kernelsJob.set({ value: null, error: null })
    return call('timing.kernels', { folder, job, request })
  },
  isWanted: ({ draft }) => timingsStore.getState().draft === draft,
})

/** What the machine can do at most with so many threads. */
export const ceilingsJob = createJob<number, JudgedCeilings>({
  kind: 'ceilings',
  latest: 'refused',
  run: (threads, { folder }) => call('timing.ceilings', { folder, threads }),
})

/** What the chosen row took at the builds before. */
export const historyJob = createJob<HistoryRequest, TimingHistoryPoint[]>({
  kind: 'history',
  latest: 'overtakes',
  run: ({ request, row }, { folder }) => call('timing.history', { folder, request, row }),
  isWanted: ({ key, draft }) => {
    const now = timingsStore.getState()
    return now.row === key && now.draft === draft
  },
})

/** Of work that was stopped or failed, the rows that were done are kept. */
function timedOf(
  result: Result<TimingReport>,
  asked: string,
  { stamp, progress }: Work<TimingProgress>,
): Outcome<Timed> {
  if (result.ok) {
    const rows = result.value.rows.filter((row) => row.error?.code !== 'cancelled')
    const isStopped = rows.length < result.value.rows.length
    if (rows.length === 0 && isStopped) return err('cancelled', 'No row was completed.')
    return ok({ rows, report: result.value, isStopped, stamp, asked })
  }
  const rows = progress()?.rows ?? []
  if (rows.length === 0) return result
  return { ...result, partial: { rows, report: null, isStopped: true, stamp, asked } }
}

function progressOf(
  { done, total, row, waiting = '' }: AppEvent<'timing.progressed'>,
  before: TimingProgress | null,
): TimingProgress {
  const rows = before?.rows ?? []
  return { done, total, rows: row ? [...rows, row] : rows, waiting }
}
