import { useStore } from 'zustand'
import { createStore, type StoreApi } from 'zustand/vanilla'

import type { AppEvent, AppEventName } from '../../electron/contract/app-calls'
import type { Result, WorkbenchError } from '../../electron/contract/outcome'
import { call, listen, newJob } from '../bridge/bridge'
import { runStamp } from './files'
import { noteCrash } from './host'
import { currentFolder } from './project'

/**
 * Work that main does for the window, one at a time: it has progress, can be stopped, and ends with a
 * value or an error. A newer wish takes the place of an older one, and nothing of an older project
 * arrives in a newer one.
 */
export type Job<Input, Value, Progress = null> = AnyJob & {
  store: StoreApi<JobState<Value, Progress>>
  /** Resolves when the work has ended: null when its result was dropped, because of a newer wish or project. */
  run: (input: Input) => Promise<Result<Value> | null>
  /** Changes what is known: a value that is shown from elsewhere, an error of the fields. */
  set: (change: Partial<Pick<JobState<Value, Progress>, 'value' | 'error' | 'stamp'>>) => void
}

export type JobState<Value, Progress> = {
  /** The name under which main knows the work; null while nothing runs. */
  running: string | null
  /** Set by stop(), until the work has ended. */
  stopping: boolean
  /** Milliseconds since 1970. */
  startedAt: number
  progress: Progress | null
  value: Value | null
  error: WorkbenchError | null
  /** The sources that value or error are of; null before the first. */
  stamp: string | null
}

/** What the shell needs of any job: Stop, the busy state, the reset when a project closes. */
export type AnyJob = {
  isRunning: () => boolean
  subscribe: (listener: () => void) => () => void
  stop: () => Promise<void>
  /** Stops what runs and forgets what is known. */
  reset: () => void
}

export type Work<Progress> = {
  /** "" where no project is open. */
  folder: string
  /** What main is given as `job`. */
  job: string
  /** The sources as they were when the work began. */
  stamp: string
  report: (progress: Progress) => void
  /** What is known of the progress now. */
  progress: () => Progress | null
}

/** What came of work; `partial` is what was done before it failed or was stopped. */
export type Outcome<Value> = Result<Value> | { ok: false; error: WorkbenchError; partial: Value }

/** Jobs of a group take turns: the newest wish of all of them counts, and one of them runs at a time. */
export type JobGroup = {
  newest: object | null
  active: Active | null
}

type Active = {
  job: string
  ended: Promise<unknown>
  /** Nobody waits for its result: the job was reset. */
  isDropped: boolean
}

export function createJobGroup(): JobGroup {
  return { newest: null, active: null }
}

type JobOptions<Input, Value, Progress> = {
  /** The beginning of the work's name. */
  kind: string
  /**
   * `wins`: the newest wish ends what runs. `waits`: what runs is finished first. `refused`: it goes on,
   * and the wish is dropped. `overtakes`: it goes on, and its result is dropped.
   */
  latest: 'wins' | 'waits' | 'refused' | 'overtakes'
  /** A group of its own where none is given. */
  group?: JobGroup
  /** Milliseconds that running work gets to end without being stopped: to stop user code costs its op host. */
  patience?: number
  /** What the result depends on. */
  stamp?: () => string
  run: (input: Input, work: Work<Progress>) => Promise<Outcome<Value>>
  /** Reads events of main about the running work; undefined leaves the progress as it is. */
  progress?: ProgressReader<Progress> | readonly ProgressReader<Progress>[]
  /** The result is of the machine: it is kept when another project opens, and needs none. */
  anyProject?: boolean
  /** Keeps the last value when newer work fails. */
  keepsValue?: boolean
  /** Frees what a value holds in the op host, when it is replaced or not wanted. */
  release?: (value: Value) => void
  /** Whether the answer is still asked for when it comes; it is dropped otherwise. */
  isWanted?: (input: Input) => boolean
}

type ProgressReader<Progress> = {
  [N in JobEventName]: {
    event: N
    read: (event: AppEvent<N>, before: Progress | null) => Progress | undefined
  }
}[JobEventName]

/** Events that name the job they are about. */
type JobEventName = {
  [N in AppEventName]: AppEvent<N> extends { job: string } ? N : never
}[AppEventName]

export function createJob<Input, Value, Progress = null>(
  options: JobOptions<Input, Value, Progress>,
): Job<Input, Value, Progress> {
  const store = createStore<JobState<Value, Progress>>(() => ({
    running: null,
    stopping: false,
    startedAt: 0,
    progress: null,
    value: null,
    error: null,
    stamp: null,
  }))
  const group = options.group ?? createJobGroup()
  let wish: object | null = null
  let isListening = false

  function listenOnce(): void {
    if (isListening || !options.progress) return
    isListening = true
    const readers = [options.progress].flat() as readonly {
      event: JobEventName
      read: (event: unknown, before: Progress | null) => Progress | undefined
    }[]
    for (const { event, read } of readers) {
      listen(event, (payload) => {
        const { running, progress } = store.getState()
        if (payload.job !== running) return
        const next = read(payload, progress)
        if (next !== undefined) store.setState({ progress: next })
      })
    }
  }

  async function run(input: Input): Promise<Result<Value> | null> {
    const { active } = group
    if (options.latest === 'refused' && active !== null && !active.isDropped) return null
    const mine = {}
    wish = mine
    group.newest = mine
    if (active !== null && options.latest !== 'overtakes') {
      const patience = options.latest === 'waits' ? Number.POSITIVE_INFINITY : options.patience
      if (patience !== undefined) await within(patience, active.ended)
      if (group.newest !== mine) return null
      if (group.active === active) await cancel(active.job)
      await active.ended
      if (group.newest !== mine) return null
    }
    const next: Active = {
      job: newJob(options.kind),
      ended: Promise.resolve(),
      isDropped: false,
    }
    const work = once(input, next)
    next.ended = work.catch(() => undefined)
    return work
  }

  async function once(input: Input, active: Active): Promise<Result<Value> | null> {
    const folder = currentFolder()
    if (folder === null && options.anyProject !== true) return null
    listenOnce()
    const { job } = active
    group.active = active
    const stamp = (options.stamp ?? runStamp)()
    store.setState({ running: job, stopping: false, startedAt: Date.now(), progress: null })
    const report = (progress: Progress): void => {
      if (store.getState().running === job) store.setState({ progress })
    }
    const progress = (): Progress | null =>
      store.getState().running === job ? store.getState().progress : null
    const work = { folder: folder ?? '', job, stamp, report, progress }
    const result = await options.run(input, work)
    if (group.active === active) group.active = null
    const isOurs = store.getState().running === job
    const isOfProject = options.anyProject === true || currentFolder() === folder
    if (isOurs) store.setState({ running: null, stopping: false })
    if (!isOurs || !isOfProject || options.isWanted?.(input) === false) {
      const dropped = valueOf(result)
      if (dropped !== null) options.release?.(dropped)
      return null
    }
    if (!result.ok && result.error.exit) noteCrash(result.error.exit)
    take(result, stamp)
    return result
  }

  function take(result: Outcome<Value>, stamp: string): void {
    const { value: before } = store.getState()
    const isCancelled = !result.ok && result.error.code === 'cancelled'
    const value = valueOf(result)
    // Work that was stopped says nothing about the operator: what was known before stays.
    if (isCancelled && value === null) return
    const error = result.ok || isCancelled ? null : result.error
    if (value === null && options.keepsValue) {
      store.setState({ error, stamp })
      return
    }
    if (before !== null) options.release?.(before)
    store.setState({ value, error, stamp })
  }

  return {
    store,
    run,
    set: (change) => {
      const { value } = store.getState()
      if (change.value !== undefined && value !== null && change.value !== value) {
        options.release?.(value)
      }
      store.setState(change)
    },
    isRunning: () => store.getState().running !== null,
    subscribe: (listener) => store.subscribe(listener),
    stop: async () => {
      const { running } = store.getState()
      // What waits for the end of this would begin right after it.
      if (running !== null || group.newest === wish) group.newest = null
      if (running === null) return
      const { active } = group
      store.setState({ stopping: true })
      await cancel(running)
      await active?.ended
    },
    reset: () => {
      const { running, value } = store.getState()
      if (group.newest === wish) group.newest = null
      if (running !== null) {
        if (group.active?.job === running) group.active.isDropped = true
        void cancel(running)
      }
      if (value !== null) options.release?.(value)
      store.setState(store.getInitialState(), true)
    },
  }
}

async function cancel(job: string): Promise<void> {
  await call('job.cancel', { job })
}

function valueOf<Value>(outcome: Outcome<Value>): Value | null {
  if (outcome.ok) return outcome.value
  return 'partial' in outcome ? outcome.partial : null
}

export function useJob<Value, Progress, T>(
  job: { store: StoreApi<JobState<Value, Progress>> },
  select: (state: JobState<Value, Progress>) => T,
): T {
  return useStore(job.store, select)
}

async function within(milliseconds: number, promise: Promise<unknown>): Promise<void> {
  if (milliseconds === Number.POSITIVE_INFINITY) {
    await promise
    return
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise((resolve) => (timer = setTimeout(resolve, milliseconds)))
  await Promise.race([promise, late])
  clearTimeout(timer)
}

/** Work of a store that is not a job of its own kind, for Stop and the busy state. */
export function watchedWork<State>(
  store: StoreApi<State>,
  isRunning: (state: State) => boolean,
  stop: () => Promise<void>,
): AnyJob {
  return {
    isRunning: () => isRunning(store.getState()),
    subscribe: (listener) => store.subscribe(listener),
    stop,
    reset: () => void stop(),
  }
}
