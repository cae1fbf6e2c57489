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
  /**
   * Ends what runs, as `latest` says, so that run() can then begin at once with what is asked by that time.
   * False when a newer wish came meanwhile, or a stop.
   * @param after what else has to end first
   */
  turn: (after?: () => Promise<unknown>) => Promise<boolean>
  /** Calls `begin` after some milliseconds, unless another wish, a stop or a reset comes first. */
  later: (milliseconds: number, begin: () => void) => void
  /** Resolves when the work that runs now has ended. */
  ended: () => Promise<unknown>
  /** Forgets what is known, and what was to begin later. What runs goes on. */
  clear: () => void
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
  folder: string
  /** What main is given as `job`. */
  job: string
  /** The sources as they were when the work began. */
  stamp: string
  report: (progress: Progress) => void
}

type JobOptions<Input, Value, Progress> = {
  /** The beginning of the work's name. */
  kind: string
  /** `wins`: the newest wish ends what runs. `waits`: what runs is finished first. `refused`: it goes on, and the wish is dropped. */
  latest: 'wins' | 'waits' | 'refused'
  /** Milliseconds that running work gets to end without being stopped: to stop user code costs its op host. */
  patience?: number
  /** What the result depends on. */
  stamp?: () => string
  run: (input: Input, work: Work<Progress>) => Promise<Result<Value>>
  /** Reads an event of main about the running work; undefined leaves the progress as it is. */
  progress?: ProgressReader<Progress>
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
  let wishes = 0
  let ended: Promise<unknown> = Promise.resolve()
  let isListening = false
  let timer: ReturnType<typeof setTimeout> | undefined

  function listenOnce(): void {
    if (isListening || !options.progress) return
    isListening = true
    const { event, read } = options.progress as {
      event: JobEventName
      read: (event: unknown, before: Progress | null) => Progress | undefined
    }
    listen(event, (payload) => {
      const { running, progress } = store.getState()
      if (payload.job !== running) return
      const next = read(payload, progress)
      if (next !== undefined) store.setState({ progress: next })
    })
  }

  async function cancel(): Promise<void> {
    const { running } = store.getState()
    if (running !== null) await call('job.cancel', { job: running })
  }

  /** Answers with the wish's number when nothing runs any more; with null when a newer one came. */
  async function wish(after?: () => Promise<unknown>): Promise<number | null> {
    clearTimeout(timer)
    const isBusy = store.getState().running !== null
    if (isBusy && options.latest === 'refused') return null
    wishes += 1
    const mine = wishes
    if (isBusy) {
      const patience = options.latest === 'waits' ? Number.POSITIVE_INFINITY : options.patience
      if (patience !== undefined) await within(patience, ended)
      if (mine !== wishes) return null
      await cancel()
      await ended
    }
    await after?.()
    return mine === wishes ? mine : null
  }

  async function run(input: Input): Promise<Result<Value> | null> {
    const isBusy = store.getState().running !== null
    const mine = wish()
    // Idle, the work begins at once.
    if (isBusy && (await mine) !== wishes) return null
    const work = once(input)
    ended = work.catch(() => undefined)
    return work
  }

  async function once(input: Input): Promise<Result<Value> | null> {
    const folder = currentFolder()
    if (folder === null) return null
    listenOnce()
    const job = newJob(options.kind)
    const stamp = (options.stamp ?? runStamp)()
    store.setState({ running: job, stopping: false, startedAt: Date.now(), progress: null })
    const report = (progress: Progress): void => {
      if (store.getState().running === job) store.setState({ progress })
    }
    const result = await options.run(input, { folder, job, stamp, report })
    const isOurs = store.getState().running === job
    const { value: before } = store.getState()
    if (!isOurs || currentFolder() !== folder || options.isWanted?.(input) === false) {
      if (isOurs) store.setState({ running: null, stopping: false })
      if (result.ok) options.release?.(result.value)
      return null
    }
    store.setState({ running: null, stopping: false })
    if (!result.ok && result.error.exit) noteCrash(result.error.exit)
    // Work that was stopped says nothing about the operator: what was known before stays.
    if (!result.ok && result.error.code === 'cancelled') return result
    if (before !== null && (result.ok || !options.keepsValue)) options.release?.(before)
    if (result.ok) store.setState({ value: result.value, error: null, stamp })
    else if (options.keepsValue) store.setState({ error: result.error, stamp })
    else store.setState({ value: null, error: result.error, stamp })
    return result
  }

  return {
    store,
    run,
    turn: async (after) => (await wish(after)) === wishes,
    later: (milliseconds, begin) => {
      clearTimeout(timer)
      timer = setTimeout(begin, milliseconds)
    },
    ended: () => ended,
    clear: () => {
      clearTimeout(timer)
      const { value } = store.getState()
      if (value !== null) options.release?.(value)
      store.setState({ value: null, error: null, stamp: null })
    },
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
      clearTimeout(timer)
      wishes += 1
      if (store.getState().running !== null) store.setState({ stopping: true })
      await cancel()
      await ended
    },
    reset: () => {
      clearTimeout(timer)
      wishes += 1
      void cancel()
      const { value } = store.getState()
      if (value !== null) options.release?.(value)
      store.setState(store.getInitialState(), true)
    },
  }
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
