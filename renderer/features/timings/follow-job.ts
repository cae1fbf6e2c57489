import type { AppEvent } from '../../../electron/contract/app-calls'
import type { FollowedRun, RunRow } from '../../../electron/contract/run-calls'
import { call } from '../../bridge/bridge'
import { createJob, type Job } from '../../store/job'

/** A run that the window has followed, until it was over, stopped or left. */
export type Followed = {
  run: string
  rows: RunRow[]
  /** Names of its benchmarks, by the `entry` of rows; [] while they are not known. */
  benchmarks: string[]
  missing: string[]
  end: FollowedRun['end']
}

export type FollowProgress = {
  run: string
  done: number
  total: number
  rows: RunRow[]
  /** Why jobs wait; "" if none does. */
  waiting: string
  /** What happened to workers, the newest last. */
  news: string[]
}

type FollowJob = Job<string, Followed, FollowProgress>

function newFollowJob(): FollowJob {
  const followJob: FollowJob = createJob({
    kind: 'runs',
    latest: 'wins',
    run: async (run, { folder, job, report, progress }) => {
      followJob.set({ value: null, error: null })
      report({ run, done: 0, total: 0, rows: [], waiting: '', news: [] })
      const result = await call('runs.follow', { folder, job, run })
      if (result.ok) {
        const { rows, benchmarks, missing, end } = result.value
        return { ok: true, value: { run, rows, benchmarks, missing, end } }
      }
      // The rows that came are kept next to the error.
      const rows = progress()?.rows ?? []
      return { ...result, partial: { run, rows, benchmarks: [], missing: [], end: 'left' } }
    },
    progress: { event: 'runs.progressed', read: progressOf },
  })
  return followJob
}

/** Follows a run by its name. To end this job is to leave the run, which goes on. */
export const followJob = newFollowJob()

/** The same for a run that is over, or was stopped: the run that is followed is not left for it. */
export const readJob = newFollowJob()

function progressOf(
  { done, total, rows, waiting, news }: AppEvent<'runs.progressed'>,
  before: FollowProgress | null,
): FollowProgress | undefined {
  if (before === null) return undefined
  return {
    run: before.run,
    done,
    total,
    rows: [...before.rows, ...rows],
    waiting,
    news: [...before.news, ...news],
  }
}
