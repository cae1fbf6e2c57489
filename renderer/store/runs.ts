import { z } from 'zod'
import { useStore } from 'zustand'
import { createStore, type StoreApi } from 'zustand/vanilla'

import type { AppEvent } from '../../electron/contract/app-calls'
import type { WorkbenchError } from '../../electron/contract/outcome'
import type {
  FollowedRun,
  RunResults,
  RunState,
  RunVerb,
  RunWork,
  WorkersChoice,
} from '../../electron/contract/run-calls'
import { call } from '../bridge/bridge'
import { createJob, type Job } from './job'
import { showPanel } from './layout'
import { notify, notifyError } from './notifications'
import { currentFolder } from './project'

/** A run that the window has followed, until it was over, stopped or left. */
export type Followed = {
  run: string
  results: RunResults
  /** Names of its benchmarks, by the `entry` of rows; [] while they are not known. */
  benchmarks: string[]
  missing: string[]
  end: FollowedRun['end']
}

export type FollowProgress = {
  run: string
  done: number
  total: number
  results: RunResults
  /** Why jobs wait; "" if none does. */
  waiting: string
  /** What happened to workers, the newest last. */
  news: string[]
}

export type FollowJob = Job<string, Followed, FollowProgress>

export type RunsState = {
  /** Where the work is done: "" in this window, else by workers, as `--over` names them. */
  where: string
  /** Workers at a time. */
  jobs: number
  places: WorkersChoice[]
  /** A run is being made. For operator checks, this waits for the op host. */
  isStarting: boolean
  /** Of this project and this verb, the newest first. */
  runs: RunState[]
  /** The name of the run that the panel shows; null: it shows its fields. */
  shownRun: string | null
}

/** Of a choice that is kept. */
export const runPlace = z.object({
  where: z.string().default(''),
  jobs: z.int().min(1).max(1000).default(2),
})

type RunsOptions = {
  verb: RunVerb
  /** The id of its feature, for the panel that comes to the front. */
  panel: string
  /** The beginning of ids of the page and of tests. */
  id: string
  /** What a shard is: "Points". */
  parts: string
}

type RunAct = { isPossible: () => boolean; run: () => Promise<void> }

/** The runs of one verb, as one panel starts, follows and lists them. */
export type Runs = RunsOptions & {
  store: StoreApi<RunsState>
  /** Follows a run by its name. To end this job is to leave the run, which goes on. */
  followJob: FollowJob
  /** The same for a run that is over, or was stopped: the run that is followed is not left for it. */
  readJob: FollowJob
  /** Makes a run at the chosen place, and follows it; the reason if it cannot be made. */
  start: (work: RunWork) => Promise<WorkbenchError | null>
  /** Shows a run, and goes on with it until it is over: it starts jobs if none are left. */
  follow: (id: string) => Promise<void>
  /** Shows a run. One that has no jobs, and is not over, starts some only if the user wants that. */
  show: (run: RunState) => Promise<void>
  /** Shows the fields of the panel again. */
  hide: () => void
  /** The run goes on without the window. */
  leave: () => Promise<void>
  /** Ends the jobs of a run. */
  stop: (id: string) => Promise<void>
  remove: (id: string) => Promise<void>
  /** Reads what is known of the runs of this project. */
  load: () => Promise<void>
  /** Reads where workers can be started: the settings of the machine with the project say it. */
  loadPlaces: () => Promise<void>
  /** After a project was opened: a run that was left, and still goes on, is offered. */
  offer: () => Promise<void>
  /** Another project opens, or none. Runs go on. */
  forget: () => void
  /** What can be done with the run that is shown, else with the newest. */
  acts: { attach: RunAct; stop: RunAct; remove: RunAct }
}

export const goesOn = ({ phase }: RunState): boolean => phase === 'working' || phase === 'unknown'

export const noResults: RunResults = {
  rows: [],
  gradchecks: [],
  searches: [],
  checks: [],
  wheels: [],
}

function withMore(before: RunResults, more: RunResults): RunResults {
  return {
    rows: [...before.rows, ...more.rows],
    gradchecks: [...before.gradchecks, ...more.gradchecks],
    searches: more.searches,
    checks: [...before.checks, ...more.checks],
    wheels: [...before.wheels, ...more.wheels],
  }
}

function progressOf(
  { done, total, results, waiting, news }: AppEvent<'runs.progressed'>,
  before: FollowProgress | null,
): FollowProgress | undefined {
  if (before === null) return undefined
  return {
    run: before.run,
    done,
    total,
    results: withMore(before.results, results),
    waiting,
    news: [...before.news, ...news],
  }
}

function newFollowJob(): FollowJob {
  const followJob: FollowJob = createJob({
    kind: 'runs',
    latest: 'wins',
    run: async (run, { folder, job, report, progress }) => {
      followJob.set({ value: null, error: null })
      report({ run, done: 0, total: 0, results: noResults, waiting: '', news: [] })
      const followed = await call('runs.follow', { folder, job, run })
      if (followed.ok) {
        const { results, benchmarks, missing, end } = followed.value
        return { ok: true, value: { run, results, benchmarks, missing, end } }
      }
      // The results that came are kept next to the error.
      const results = progress()?.results ?? noResults
      return { ...followed, partial: { run, results, benchmarks: [], missing: [], end: 'left' } }
    },
    progress: { event: 'runs.progressed', read: progressOf },
  })
  return followJob
}

export function createRuns(options: RunsOptions): Runs {
  const { verb, panel, parts } = options
  const store = createStore<RunsState>(() => ({
    where: '',
    jobs: 2,
    places: [],
    isStarting: false,
    runs: [],
    shownRun: null,
  }))
  const followJob = newFollowJob()
  const readJob = newFollowJob()

  const isFollowed = (id: string): boolean => {
    const { running, progress } = followJob.store.getState()
    return running !== null && progress?.run === id
  }

  async function start(work: RunWork): Promise<WorkbenchError | null> {
    const folder = currentFolder()
    const { where, jobs, isStarting } = store.getState()
    if (folder === null || isStarting) return null
    store.setState({ isStarting: true })
    const made = await call('runs.start', { folder, work, over: where, jobs })
    // The state of another project is its own.
    if (currentFolder() !== folder) return null
    store.setState({ isStarting: false })
    if (!made.ok) return made.error
    store.setState(({ runs }) => ({ runs: [made.value, ...runs] }))
    void follow(made.value.id)
    return null
  }

  async function follow(id: string): Promise<void> {
    store.setState({ shownRun: id })
    await followJob.run(id)
    await load()
  }

  async function show(run: RunState): Promise<void> {
    store.setState({ shownRun: run.id })
    if (run.phase === 'idle' || isFollowed(run.id)) return
    if (goesOn(run)) await follow(run.id)
    else await readJob.run(run.id)
  }

  async function stop(run: string): Promise<void> {
    const folder = currentFolder()
    if (folder === null) return
    const stopped = await call('runs.stop', { folder, run })
    if (!stopped.ok) notifyError(stopped.error)
    if (isFollowed(run)) await followJob.ended()
    await load()
  }

  async function remove(run: string): Promise<void> {
    const folder = currentFolder()
    if (folder === null) return
    const removed = await call('runs.remove', { folder, run })
    if (!removed.ok) notifyError(removed.error)
    else if (store.getState().shownRun === run) store.setState({ shownRun: null })
    await load()
  }

  async function load(): Promise<void> {
    const folder = currentFolder()
    if (folder === null) return
    const runs = await call('runs.list', { folder, verb })
    if (runs.ok && currentFolder() === folder) store.setState({ runs: runs.value })
  }

  async function loadPlaces(): Promise<void> {
    const folder = currentFolder()
    if (folder === null) return
    const places = await call('runs.places', { folder })
    if (places.ok && currentFolder() === folder) store.setState({ places: places.value })
  }

  async function offer(): Promise<void> {
    await load()
    const run = store.getState().runs.find(({ phase }) => phase === 'working')
    if (!run) return
    const message = `The run “${run.title}” goes on. ${parts} done: ${run.done} of ${run.shards}.`
    const showRun = (): void => {
      showPanel(panel)
      void show(run)
    }
    notify('info', message, { action: { label: 'Show the run', run: showRun } })
  }

  function actOn(
    isPossible: (run: RunState) => boolean,
    act: (id: string) => Promise<void>,
  ): RunAct {
    const chosen = (): RunState | undefined => {
      const { runs, shownRun } = store.getState()
      const run = runs.find(({ id }) => id === shownRun) ?? runs[0]
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

  return {
    ...options,
    store,
    followJob,
    readJob,
    start,
    follow,
    show,
    hide: () => store.setState({ shownRun: null }),
    leave: () => followJob.stop(),
    stop,
    remove,
    load,
    loadPlaces,
    offer,
    forget: () => {
      followJob.reset()
      readJob.reset()
      store.setState(store.getInitialState(), true)
    },
    acts: {
      attach: actOn((run) => (goesOn(run) || run.phase === 'idle') && !isFollowed(run.id), follow),
      stop: actOn(goesOn, stop),
      remove: actOn((run) => !goesOn(run), remove),
    },
  }
}

export function useRuns<T>({ store }: Pick<Runs, 'store'>, select: (state: RunsState) => T): T {
  return useStore(store, select)
}
