import { ok, type Result } from '../../../electron/contract/outcome'
import type { RunState } from '../../../electron/contract/run-calls'
import type { TimingRequest } from '../../../electron/contract/timing-report'
import { call } from '../../bridge/bridge'
import { notify, notifyError } from '../../store/notifications'
import { showPanel } from '../../store/layout'
import { currentFolder } from '../../store/project'
import { followJob, readJob } from './follow-job'
import { allTimingsJob, timingJob } from './jobs'
import { chosenRequest, runAllTimings, runTiming } from './run'
import { timingsStore } from './store'

/** Measures what the fields say: in this window, or in a run elsewhere. */
export async function measure(): Promise<void> {
  const { draft, where } = timingsStore.getState()
  if (where === '') await runTiming()
  else if (draft.op !== '') await startRun(chosenRequest(), timingJob)
}

/** The same of all benchmarks of opsmith.json, else of its calls. */
export async function measureAll(): Promise<void> {
  if (timingsStore.getState().where === '') await runAllTimings()
  else await startRun(ok(null), allTimingsJob)
}

/** @param shown where an error is shown */
async function startRun(
  request: Result<TimingRequest | null>,
  shown: typeof timingJob | typeof allTimingsJob,
): Promise<void> {
  const folder = currentFolder()
  const { where, jobs } = timingsStore.getState()
  if (folder === null) return
  const made = request.ok
    ? await call('runs.start', { folder, request: request.value, over: where, jobs })
    : request
  if (currentFolder() !== folder) return
  if (!made.ok) {
    shown.set({ error: made.error })
    return
  }
  shown.set({ error: null })
  timingsStore.setState(({ runs }) => ({ runs: [made.value, ...runs] }))
  await followRun(made.value.id)
}

/** Shows a run, and goes on with it until it is over: it starts jobs if none are left. */
export async function followRun(id: string): Promise<void> {
  timingsStore.setState({ view: 'run', shownRun: id })
  await followJob.run(id)
  await loadRuns()
}

/** Shows a run. One that has no jobs, and is not over, starts some only if the user wants that. */
export async function showRun(run: RunState): Promise<void> {
  timingsStore.setState({ view: 'run', shownRun: run.id })
  if (run.phase === 'idle' || isFollowed(run.id)) return
  if (goesOn(run)) await followRun(run.id)
  else await readJob.run(run.id)
}

export function isFollowed(id: string): boolean {
  const { running, progress } = followJob.store.getState()
  return running !== null && progress?.run === id
}

/** The run that commands are about: the one that is shown, else the newest. */
function chosenRun(): RunState | undefined {
  const { runs, shownRun } = timingsStore.getState()
  return runs.find(({ id }) => id === shownRun) ?? runs[0]
}

export const goesOn = ({ phase }: RunState): boolean => phase === 'working' || phase === 'unknown'

type RunAct = { isPossible: () => boolean; run: () => Promise<void> }

function actOn(isPossible: (run: RunState) => boolean, act: (id: string) => Promise<void>): RunAct {
  const chosen = (): RunState | undefined => {
    const run = chosenRun()
    return run && isPossible(run) ? run : undefined
  }
  return {
    isPossible: () => chosen() !== undefined,
    run: async () => {
      const run = chosen()
      if (run) await act(run.id)
    },
  }
}

/** What can be done with a run, from the palette too. */
export const runActs = {
  attach: actOn((run) => (goesOn(run) || run.phase === 'idle') && !isFollowed(run.id), followRun),
  stop: actOn(goesOn, stopRun),
  remove: actOn((run) => !goesOn(run), removeRun),
}

/** The run goes on without the window. */
export async function leaveRun(): Promise<void> {
  await followJob.stop()
}

/** Ends the jobs of a run. */
export async function stopRun(run: string): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const stopped = await call('runs.stop', { folder, run })
  if (!stopped.ok) notifyError(stopped.error)
  if (isFollowed(run)) await followJob.ended()
  await loadRuns()
}

export async function removeRun(run: string): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const removed = await call('runs.remove', { folder, run })
  if (!removed.ok) notifyError(removed.error)
  else if (timingsStore.getState().shownRun === run)
    timingsStore.setState(({ draft }) => ({
      shownRun: null,
      view: draft.op === '' ? 'all' : 'one',
    }))
  await loadRuns()
}

/** What is known of the runs of this project. */
export async function loadRuns(): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const runs = await call('runs.list', { folder })
  if (runs.ok && currentFolder() === folder) timingsStore.setState({ runs: runs.value })
}

/** Where workers can be started: the settings of the machine with the project say it. */
export async function loadPlaces(): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const places = await call('runs.places', { folder })
  if (places.ok && currentFolder() === folder) timingsStore.setState({ places: places.value })
}

/** After a project was opened: a run that was left, and still goes on, is offered. */
export async function offerRuns(): Promise<void> {
  await loadRuns()
  const run = timingsStore.getState().runs.find(({ phase }) => phase === 'working')
  if (!run) return
  const message = `The run “${run.title}” goes on. Points done: ${run.done} of ${run.shards}.`
  const show = (): void => {
    showPanel('timings')
    void showRun(run)
  }
  notify('info', message, { action: { label: 'Show the run', run: show } })
}
