import type { TimingRow } from '../../../electron/contract/timing-report'
import { useJob, type Job, type JobState } from '../../store/job'
import { allTimingsJob, timingJob, type Timed, type TimingProgress } from './jobs'
import { timingsStore, useTimings, type TimingsState } from './store'

type TimingState = JobState<Timed, TimingProgress>

const jobs = [timingJob, allTimingsJob]
const noRows: TimingRow[] = []

/** The job whose rows a view shows. */
function jobOf(view: TimingsState['view']): Pick<Job<never, Timed, TimingProgress>, 'store'> {
  return view === 'all' ? allTimingsJob : timingJob
}

/** The job of the view that is shown. */
export function useShownJob<T>(select: (state: TimingState) => T): T {
  return useJob(jobOf(useTimings((state) => state.view)), select)
}

/** Rows as they come, once the first is there. */
export function shownTimingRows({ running, progress, value }: TimingState): TimingRow[] {
  if (running !== null && progress !== null && progress.rows.length > 0) return progress.rows
  return value?.rows ?? noRows
}

/** The benchmark's own call among rows: what is timed first and all else is compared with. */
export function ownRow(rows: readonly TimingRow[]): TimingRow | undefined {
  return rows.find((row) => row.kind === 'operator' && row.summary) ?? rows[0]
}

/** A row's identity among those of a report, and from one report to the next. */
export function rowKey(row: TimingRow): string {
  return JSON.stringify([row.entry, row.kind, row.variant, row.direction, row.point])
}

/** The row that is looked at closely: the chosen one while it is there, else the first of its own. */
export function chosenRow(): TimingRow | undefined {
  const { view, row } = timingsStore.getState()
  return rowOf(jobOf(view).store.getState(), row)
}

export function useChosenRow(): TimingRow | undefined {
  const key = useTimings((state) => state.row)
  return useShownJob((state) => rowOf(state, key))
}

function rowOf(state: TimingState, key: string | null): TimingRow | undefined {
  const rows = shownTimingRows(state)
  return rows.find((row) => rowKey(row) === key) ?? ownRow(rows)
}

/** Whether anything is timed. */
export function isTiming(): boolean {
  return jobs.some((job) => job.isRunning())
}

export function useIsTiming(): boolean {
  const one = useJob(timingJob, isRunning)
  const all = useJob(allTimingsJob, isRunning)
  return one || all
}

function isRunning({ running }: TimingState): boolean {
  return running !== null
}

/** What has to end before anything is timed; "" where nothing has. */
export function useWaiting(): string {
  const one = useJob(timingJob, waitingFor)
  const all = useJob(allTimingsJob, waitingFor)
  return one === '' ? all : one
}

function waitingFor({ running, progress }: TimingState): string {
  return running === null ? '' : (progress?.waiting ?? '')
}

/** While the clock runs, nothing moves in the window: its drawing would be in the times. */
export function followTimings(): void {
  const changed = (): void => {
    const isMeasured = jobs.some((job) => {
      const state = job.store.getState()
      return isRunning(state) && waitingFor(state) === ''
    })
    document.documentElement.toggleAttribute('data-timing', isMeasured)
  }
  for (const job of jobs) job.subscribe(changed)
}
