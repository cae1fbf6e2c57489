import { ok, type Result } from '../../../electron/contract/outcome'
import type { TimingRequest } from '../../../electron/contract/timing-report'
import { allTimingsJob, timingJob } from './jobs'
import { chosenRequest, runAllTimings, runTiming } from './run'
import { timingRuns } from './runs'
import { timingsStore } from './store'

const isElsewhere = (): boolean => timingRuns.store.getState().where !== ''

/** Measures what the fields say: in this window, or in a run elsewhere. */
export async function measure(): Promise<void> {
  if (!isElsewhere()) await runTiming()
  else if (timingsStore.getState().draft.op !== '') await startRun(chosenRequest(), timingJob)
}

/** The same of all benchmarks of opsmith.json, else of its calls. */
export async function measureAll(): Promise<void> {
  if (isElsewhere()) await startRun(ok(null), allTimingsJob)
  else await runAllTimings()
}

/** @param shown where an error is shown */
async function startRun(
  request: Result<TimingRequest | null>,
  shown: typeof timingJob | typeof allTimingsJob,
): Promise<void> {
  const error = request.ok
    ? await timingRuns.start({ verb: 'bench', request: request.value })
    : request.error
  shown.set({ error })
}
