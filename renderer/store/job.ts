import { useStore } from 'zustand'
import type { z } from 'zod'
import { createStore, type StoreApi } from 'zustand/vanilla'

import type { AppEvent, AppEventName, AppOutput } from '../../electron/contract/app-calls'
import type { Result, WorkbenchError } from '../../electron/contract/outcome'
import { call, listen, newJob } from '../bridge/bridge'
import { noteCrash, noteStopped } from './host'
import { currentFolder, projectStore } from './project'
import { libraryStamp } from './schemas'

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
  /**
   * If the window is killed while an engine of another machine does the work, the next window shows its result.
   * @param form of the input, which that machine keeps in the meantime
   */
  outlives: (form: z.ZodType<Input>) => void
  /** Shows a value of an earlier session, unless something is known already or work for it runs. */
  restore: (value: Value, stamp: string) => void
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
  /** Goes on with work of a window that was killed; false if it is not of this kind. */
  resume: (left: LeftJob) => boolean
}

/** Work that a killed window has left; see `job.left`. */
type LeftJob = AppOutput<'job.left'>[number]

export type Work<Progress> = {
  /** "" where no project is open. */
  folder: string
  /** What main is given as `job`. */
  job: string
  /** Of the sources that the work is made of. */
  stamp: string
  report: (progress: Progress) => void
  /** False once a newer wish waits or Stop was pressed: the rest of the work is for nobody. */
  isNewest: () => boolean
  /** What is known of the progress now. */
  progress: () => Progress | null
}

/** What came of work; `partial` is what was done before it failed or was stopped. */
export type Outcome<Value> = Result<Value> | { ok: false; error: WorkbenchError; partial: Value }

type JobOptions<Input, Value, Progress> = {
  /** The beginning of the work's name. */
  kind: string
  /**
   * `wins`: the newest wish ends what runs. `waits`: what runs is finished first. `refused`: it goes on,
   * and the wish is dropped. `overtakes`: it goes on, and its result is dropped.
   */
  latest: 'wins' | 'waits' | 'refused' | 'overtakes'
  /** Milliseconds that running work gets to end without being stopped: to stop user code costs its op host. */
  patience?: number
  /** Jobs that share a lane run one at a time: a wish of one ends what another runs. */
  lane?: Lane
  /** Wishes of equal keys are one: the second waits for the result of the first. */
  key?: (input: Input) => string
  /** What the result depends on; the library in the op host, and the program, where it is left out. */
  stamp?: () => string
  run: (input: Input, work: Work<Progress>) => Promise<Outcome<Value>>
  /** Reads events of main about the running work; undefined leaves the progress as it is. */
  progress?: ProgressReader<Progress> | readonly ProgressReader<Progress>[]
  /** The result is of the machine: it is kept when another project opens, and needs none. */
  anyProject?: boolean
  /** Keeps the last value when newer work fails. */
  keepsValue?: boolean
  /** Called before a value is shown, for what others read together with it. */
  arrived?: (value: Value, stamp: string) => void
  /** Called when a value is known, before the window renders it: for work that begins with it. */
  known?: (value: Value, input: Input) => void
  /** Frees what a value holds in the op host, after it was replaced or because it is not wanted. */
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

/** What runs for the jobs of a lane, and how many wishes there were. */
type Lane = { wishes: number; current: Current | null }

type Current = { cancel: () => Promise<unknown>; ended: Promise<unknown> }

export function createLane(): Lane {
  return { wishes: 0, current: null }
}

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
  const lane = options.lane ?? createLane()
  let newest: { wish: number; key: string; done: Promise<Result<Value> | null> } | null = null
  let isListening = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let outlivingForm: z.ZodType<Input> | undefined

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

  async function cancel(byUser = false): Promise<void> {
    const { running } = store.getState()
    if (running !== null)
      await call('job.cancel', { job: running, ...(byUser ? { byUser: true } : {}) })
  }

  async function run(input: Input): Promise<Result<Value> | null> {
    if (lane.current && options.latest === 'refused') return null
    clearTimeout(timer)
    const key = options.key?.(input)
    if (newest && newest.key === key && newest.wish === lane.wishes) return newest.done
    lane.wishes += 1
    const done = whenFree(input, lane.wishes)
    if (key === undefined) return done
    const mine = { wish: lane.wishes, key, done }
    newest = mine
    try {
      return await done
    } finally {
      if (newest === mine) newest = null
    }
  }

  /** Waits until the lane runs nothing, and ends what it runs as `latest` says. False when a newer wish came. */
  async function isFree(mine: number, after?: () => Promise<unknown>): Promise<boolean> {
    const before = lane.current
    if (before) {
      const patience = options.latest === 'waits' ? Number.POSITIVE_INFINITY : options.patience
      if (patience !== undefined) await within(patience, before.ended)
      if (mine !== lane.wishes) return false
      if (lane.current === before) await before.cancel()
      await before.ended
    }
    await after?.()
    return mine === lane.wishes
  }

  /** Runs when what the lane runs has ended; null when there is a newer wish by then. */
  async function whenFree(
    input: Input,
    mine: number,
    job = newJob(options.kind),
  ): Promise<Result<Value> | null> {
    // Where nothing runs, the work begins at once.
    const waits = options.latest !== 'overtakes' && lane.current !== null
    if (waits && !(await isFree(mine))) return null
    let leave = (): void => undefined
    const ended = new Promise<void>((resolve) => {
      leave = () => {
        if (lane.current?.ended === ended) lane.current = null
        resolve()
      }
    })
    lane.current = { cancel: () => cancel(), ended }
    return once(input, { job, leave, isNewest: () => mine === lane.wishes }).finally(leave)
  }

  async function once(
    input: Input,
    { job, leave, isNewest }: { job: string; leave: () => void; isNewest: () => boolean },
  ): Promise<Result<Value> | null> {
    const folder = currentFolder()
    if (folder === null && options.anyProject !== true) return null
    listenOnce()
    const stamp = (options.stamp ?? libraryStamp)()
    store.setState({ running: job, stopping: false, startedAt: Date.now(), progress: null })
    if (outlivingForm && isElsewhere()) {
      const noted = JSON.stringify(input ?? null)
      void call('job.note', { job, kind: options.kind, input: noted })
    }
    const isOurs = (): boolean => store.getState().running === job
    const result = await options.run(input, {
      folder: folder ?? '',
      job,
      stamp,
      report: (progress) => {
        if (isOurs()) store.setState({ progress })
      },
      isNewest,
      progress: () => (isOurs() ? store.getState().progress : null),
    })
    leave()
    const { value: before } = store.getState()
    const value = valueOf(result)
    const ended = { running: null, stopping: false }
    const isOfProject = options.anyProject === true || currentFolder() === folder
    if (!isOurs() || !isOfProject || options.isWanted?.(input) === false) {
      if (isOurs()) store.setState(ended)
      if (value !== null) options.release?.(value)
      return null
    }
    if (!result.ok && result.error.exit) {
      if (result.error.code !== 'cancelled') noteCrash(result.error.exit)
      else if (store.getState().stopping) noteStopped(result.error.exit)
    }
    const isCancelled = !result.ok && result.error.code === 'cancelled'
    if (isCancelled && value === null) {
      // Work that was stopped says nothing about the operator: what was known before stays.
      store.setState(ended)
      return result
    }
    const error = result.ok || isCancelled ? null : result.error
    if (value !== null) options.arrived?.(value, stamp)
    const isKept = value === null && options.keepsValue === true
    store.setState(isKept ? { ...ended, error, stamp } : { ...ended, value, error, stamp })
    if (before !== null && !isKept) options.release?.(before)
    if (value !== null) options.known?.(value, input)
    return result
  }

  return {
    store,
    run,
    turn: (after) => {
      clearTimeout(timer)
      lane.wishes += 1
      return isFree(lane.wishes, after)
    },
    later: (milliseconds, begin) => {
      clearTimeout(timer)
      timer = setTimeout(begin, milliseconds)
    },
    ended: async () => {
      if (store.getState().running !== null) await lane.current?.ended
    },
    clear: () => {
      clearTimeout(timer)
      const { value } = store.getState()
      store.setState({ value: null, error: null, stamp: null })
      if (value !== null) options.release?.(value)
    },
    set: (change) => {
      const { value } = store.getState()
      store.setState(change)
      const isReplaced = change.value !== undefined && change.value !== value
      if (isReplaced && value !== null) options.release?.(value)
    },
    outlives: (form) => {
      outlivingForm = form
    },
    resume: ({ job, kind, input: noted }) => {
      if (kind !== options.kind || !outlivingForm || lane.current !== null) return false
      const input = outlivingForm.safeParse(parsedJson(noted))
      if (!input.success) return false
      lane.wishes += 1
      void whenFree(input.data, lane.wishes, job)
      return true
    },
    restore: (value, stamp) => {
      const now = store.getState()
      if (now.running === null && now.value === null && now.error === null) {
        store.setState({ value, stamp })
      }
    },
    isRunning: () => store.getState().running !== null,
    subscribe: (listener) => store.subscribe(listener),
    stop: async () => {
      clearTimeout(timer)
      lane.wishes += 1
      if (store.getState().running === null) return
      const { current } = lane
      store.setState({ stopping: true })
      await cancel(true)
      await current?.ended
    },
    reset: () => {
      clearTimeout(timer)
      lane.wishes += 1
      const { value, running } = store.getState()
      void cancel()
      if (running !== null) lane.current = null
      store.setState(store.getInitialState(), true)
      if (value !== null) options.release?.(value)
    },
  }
}

/** The input of work comes back from another machine. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isElsewhere(): boolean {
  return (projectStore.getState().project?.target ?? '') !== ''
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
