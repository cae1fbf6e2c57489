import { setTimeout as wait } from 'node:timers/promises'

import { runEvent, workerEvent } from '../../contract/shards'
import type { NodeFacts, RunEvent, WorkerEvent } from '../../contract/shards'
import { err, ok } from '../../contract/outcome'
import type { Result, WorkbenchError } from '../../contract/outcome'
import { JournalReader, JournalWriter } from './journal'
import { workerName } from './nodes'
import type { JobState, Nodes } from './nodes'
import { mostAttempts } from './run-folder'
import type { RunFolder } from './run-folder'

/** Milliseconds between two looks at the journals of the workers. */
const lookTime = 500
/** Submissions one after the other whose workers have started no shard. */
const mostIdleSubmissions = 2

export type FollowEvent =
  | { kind: 'result'; shard: number; done: number; total: number }
  | { kind: 'died'; shard: number; reason: string; isLast: boolean }
  | { kind: 'submitted'; jobs: number }
  /** "" once no job waits. */
  | { kind: 'waiting'; note: string }
  | { kind: 'came'; facts: NodeFacts }

export interface RunSummary {
  /** Shards that died twice, and why. */
  failed: ReadonlyMap<number, string>
}

export interface FollowOptions {
  signal?: AbortSignal
  onEvent?: (event: FollowEvent) => void
  /** Milliseconds; for tests. */
  lookTime?: number
}

interface Attempt {
  shard: number
  attempt: number
}

/** A life of a job, and the shard that it is at. */
interface KnownWorker {
  journal: JournalReader<WorkerEvent>
  at: Attempt | undefined
  facts: NodeFacts | undefined
  /** Why it can do no work. */
  refusal: WorkbenchError | undefined
}

interface KnownJob {
  workers: KnownWorker[]
  state: JobState | undefined
  isClosed: boolean
}

/** Of a shard; free: no worker is at it, and it has no end. */
const status = { free: 0, started: 1, done: 2, failed: 3 } as const

/**
 * Follows a run until each shard has a result or has died twice. It starts jobs where none are left, and lets the shard
 * of a worker that has died be tried once more. All it knows is in the run's folder: another process can take over at any time.
 */
export class RunFollower {
  private readonly journal: JournalWriter<RunEvent>
  private readonly events: JournalReader<RunEvent>
  private readonly jobs = new Map<string, KnownJob>()
  private readonly shards: Uint8Array
  /** By shard: the attempt that was started last, and the one that died last; 0 for none. */
  private readonly attempts: Uint8Array
  private readonly deaths: Uint8Array
  private readonly failed = new Map<number, string>()
  private readonly lookTime: number
  private done = 0
  private started = 0
  private startedAtSubmission = 0
  private idleSubmissions = 0
  /** Workers that have died at a shard, and have not been replaced. */
  private missing = 0
  private asked = -Infinity
  private note = ''
  /** Why the last worker that could not work left. */
  private refusal: WorkbenchError | undefined
  private wasCancelled = false
  private lastReason = ''

  constructor(
    private readonly run: RunFolder,
    private readonly nodes: Nodes,
    private readonly options: FollowOptions = {},
  ) {
    this.journal = new JournalWriter(run.path('journal.jsonl'))
    this.events = new JournalReader(run.path('journal.jsonl'), runEvent)
    this.shards = new Uint8Array(run.manifest.shards)
    this.attempts = new Uint8Array(run.manifest.shards)
    this.deaths = new Uint8Array(run.manifest.shards)
    this.lookTime = options.lookTime ?? lookTime
  }

  /** Until the run has ended. If the signal is aborted, the run goes on without us: the error is "cancelled". */
  async follow(): Promise<Result<RunSummary>> {
    const { signal } = this.options
    for (;;) {
      const looked = await this.look()
      if (!looked.ok) return looked
      if (this.isOver()) return await this.end()
      if (await this.run.isStopped()) return err('cancelled', 'The run was stopped.')
      const submitted = await this.submitWhatIsNeeded()
      if (!submitted.ok) return submitted
      await wait(this.lookTime, undefined, signal ? { signal } : {}).catch(() => undefined)
      if (signal?.aborted)
        return err('cancelled', 'The run goes on. This command has stopped following it.')
    }
  }

  /** What waits in a queue is not needed any longer; what runs ends alone. */
  private async end(): Promise<Result<RunSummary>> {
    const waiting = [...this.jobs].flatMap(([name, { state, isClosed }]) =>
      !isClosed && state?.kind === 'waiting' ? [name] : [],
    )
    if (waiting.length > 0) {
      const cancelled = await this.nodes.cancel(this.run, waiting)
      if (!cancelled.ok) return cancelled
    }
    return ok({ failed: this.failed })
  }

  /** Ends the jobs of the run, and lets no worker begin another shard. */
  async stop(): Promise<Result<null>> {
    await this.run.askToStop()
    await this.readEvents()
    await this.journal.add({ event: 'stopped' })
    const open = this.openJobs()
    return open.length === 0 ? ok(null) : await this.nodes.cancel(this.run, open)
  }

  /** Reads what has happened since the last look; nothing is started. */
  async look(): Promise<Result<null>> {
    await this.readEvents()
    // Before the journals: what a worker wrote before its job ended is read then.
    const asked = await this.askForStates()
    if (!asked.ok) return asked
    for (const [name, job] of this.jobs) if (!job.isClosed) await this.readJob(name, job)
    this.noteWaiting()
    return ok(null)
  }

  /** What is known after a look. */
  summary(): { done: number; started: number; failed: number; openJobs: number; isOver: boolean } {
    return {
      done: this.done,
      started: this.started,
      failed: this.failed.size,
      openJobs: this.openJobs().length,
      isOver: this.isOver(),
    }
  }

  private isOver(): boolean {
    return this.done + this.failed.size === this.run.manifest.shards
  }

  private say(event: FollowEvent): void {
    this.options.onEvent?.(event)
  }

  /** They wait for their next life: Slurm lets two minutes pass after a node has failed. */
  private requeuedJobs(): number {
    return [...this.jobs.values()].filter(
      ({ isClosed, state }) => !isClosed && state?.kind === 'waiting' && state.lives > 1,
    ).length
  }

  private openJobs(): string[] {
    return [...this.jobs].flatMap(([name, job]) => (job.isClosed ? [] : [name]))
  }

  /** Of whoever followed the run before, and what we have written. */
  private async readEvents(): Promise<void> {
    for (const event of await this.events.read()) {
      if (event.event === 'submitted') {
        for (const name of event.jobs)
          if (!this.jobs.has(name))
            this.jobs.set(name, { workers: [], state: undefined, isClosed: false })
      } else if (event.event === 'ended') await this.closeJob(event.job, event.reason)
      else if (event.event === 'died') this.noteDeath(event)
      else if (event.event === 'failed') this.noteFailure(event.shard, event.reason)
    }
  }

  private async closeJob(name: string, reason: string): Promise<void> {
    const job = this.jobs.get(name)
    if (!job || job.isClosed) return
    this.lastReason = reason
    await this.readWorkers(name, job, await this.run.livesOf(name))
    for (const worker of job.workers) await this.bury(worker, reason)
    job.isClosed = true
  }

  private async askForStates(): Promise<Result<null>> {
    const open = this.openJobs()
    if (open.length === 0 || performance.now() - this.asked < this.nodes.pause) return ok(null)
    const states = await this.nodes.states(this.run, open)
    if (!states.ok) return states
    this.asked = performance.now()
    for (const name of open) {
      const job = this.jobs.get(name)
      const state = states.value.get(name)
      if (job && state) job.state = state
    }
    return ok(null)
  }

  /** The queue is asked rarely: a worker that has come by now does not wait. */
  private noteWaiting(): void {
    const open = [...this.jobs.values()].filter(({ isClosed }) => !isClosed)
    const waiting = open.flatMap(({ state, workers }) =>
      state?.kind === 'waiting' && !workers[state.lives - 1]?.facts ? [state.note] : [],
    )
    const note =
      waiting.length === 0
        ? ''
        : `${waiting.length} of ${open.length} jobs wait: ${waiting[0] ?? ''}`
    if (note !== this.note) this.say({ kind: 'waiting', note })
    this.note = note
  }

  private async readJob(name: string, job: KnownJob): Promise<void> {
    const lives = Math.max(1, job.state?.lives ?? 1)
    await this.readWorkers(name, job, lives)
    const requeued =
      'the job was put back into the queue, because the node failed or another job needed the node'
    // All lives but the last have ended.
    for (const worker of job.workers.slice(0, -1)) await this.bury(worker, requeued)
    const { state } = job
    if (state?.kind !== 'ended') return
    this.wasCancelled ||= state.isCancelled
    this.lastReason = state.reason
    for (const worker of job.workers) await this.bury(worker, state.reason)
    job.isClosed = true
    await this.journal.add({ event: 'ended', job: name, reason: state.reason })
  }

  private async readWorkers(name: string, job: KnownJob, lives: number): Promise<void> {
    while (job.workers.length < lives) {
      const file = this.run.path('workers', `${workerName(name, job.workers.length)}.jsonl`)
      const journal = new JournalReader(file, workerEvent)
      job.workers.push({ journal, at: undefined, facts: undefined, refusal: undefined })
    }
    for (const worker of job.workers)
      for (const event of await worker.journal.read()) this.apply(worker, event)
  }

  private apply(worker: KnownWorker, event: WorkerEvent): void {
    if (event.event === 'came') {
      worker.facts = event.facts
      this.say({ kind: 'came', facts: event.facts })
    } else if (event.event === 'started') {
      const { shard, attempt } = event
      worker.at = { shard, attempt }
      this.started += 1
      this.attempts[shard] = Math.max(this.attempts[shard] ?? 0, attempt)
      const isDead = (this.deaths[shard] ?? 0) >= attempt
      if (this.shards[shard] === status.free && !isDead) this.shards[shard] = status.started
    } else if (event.event === 'finished') {
      worker.at = undefined
      if (this.shards[event.shard] === status.done) return
      this.failed.delete(event.shard)
      this.shards[event.shard] = status.done
      this.done += 1
      this.say({
        kind: 'result',
        shard: event.shard,
        done: this.done,
        total: this.run.manifest.shards,
      })
    } else if (event.error) {
      worker.refusal = event.error
      this.refusal = event.error
    }
  }

  /** The worker has ended: the shard that it was at is tried once more, or named. */
  private async bury(worker: KnownWorker, ended: string): Promise<void> {
    const { at, refusal, facts } = worker
    const reason = refusal ? `node ${facts?.node ?? ''}: ${refusal.message}` : ended
    worker.at = undefined
    if (!at || this.shards[at.shard] === status.done) return
    const { shard, attempt } = at
    const isLast = attempt >= mostAttempts
    if (!isLast) await this.run.tryAgain(shard)
    // Whoever followed the run before has written it down.
    if ((this.deaths[shard] ?? 0) >= attempt) return
    await this.journal.add({ event: 'died', shard, attempt, reason })
    if (isLast) await this.journal.add({ event: 'failed', shard, reason })
    this.noteDeath(at)
    if (isLast) this.noteFailure(shard, reason)
    this.missing += 1
    this.say({ kind: 'died', shard, reason, isLast })
  }

  private noteDeath({ shard, attempt }: Attempt): void {
    this.deaths[shard] = Math.max(this.deaths[shard] ?? 0, attempt)
    const isLatest = (this.attempts[shard] ?? 0) <= attempt
    if (isLatest && this.shards[shard] === status.started) this.shards[shard] = status.free
  }

  private noteFailure(shard: number, reason: string): void {
    if (this.shards[shard] === status.done) return
    this.shards[shard] = status.failed
    this.failed.set(shard, reason)
  }

  /** Shards that no worker is at, and that have no end yet. */
  private left(): number {
    return this.shards.reduce((sum, one) => sum + (one === status.free ? 1 : 0), 0)
  }

  private async submitWhatIsNeeded(): Promise<Result<null>> {
    const open = this.openJobs().length - this.requeuedJobs()
    const wanted = Math.min(this.run.manifest.jobs, this.left())
    // While others work, a job takes the place of one that died at a shard, and no more: a host that is gone stays gone.
    if (open > 0) return await this.submit(Math.min(wanted - open, this.missing))
    if (wanted === 0) return this.lost()
    if (this.wasCancelled) return this.cancelled()
    this.idleSubmissions = this.started > this.startedAtSubmission ? 0 : this.idleSubmissions
    if (this.idleSubmissions >= mostIdleSubmissions) return this.noWorker()
    this.idleSubmissions += 1
    if (this.jobs.size > 0) await this.freeForgottenClaims()
    return await this.submit(wanted)
  }

  private async submit(count: number): Promise<Result<null>> {
    if (count <= 0) return ok(null)
    const submitted = await this.nodes.submit(this.run, count)
    if (!submitted.ok) return submitted
    this.missing = 0
    this.startedAtSubmission = this.started
    this.asked = -Infinity
    await this.journal.add({ event: 'submitted', jobs: submitted.value })
    await this.readEvents()
    this.say({ kind: 'submitted', jobs: count })
    return ok(null)
  }

  /** Of workers that died between their claim and their first word on the shard. */
  private async freeForgottenClaims(): Promise<void> {
    for (const { shard, attempt } of await this.run.claims())
      if (this.shards[shard] === status.free && (this.deaths[shard] ?? 0) < attempt)
        await this.run.forgetClaim(shard, attempt)
  }

  private cancelled(): Result<never> {
    const { shards } = this.run.manifest
    return err(
      'cancelled',
      `The jobs of the run were cancelled. ${this.left()} of ${shards} shards (parts of the run) have no result. The reason of the last job that ended: ${this.lastReason}.`,
      { hint: `To run the remaining shards: opsmith runs ${this.run.name}` },
    )
  }

  private noWorker(): Result<never> {
    const { refusal, lastReason } = this
    const logs = this.run.path('logs')
    if (refusal) return { ok: false, error: refusal }
    return err(
      'target.unavailable',
      `No worker could start a shard (a part of the run): ${lastReason}.`,
      {
        hint: `What the workers printed is in ${logs}.`,
      },
    )
  }

  /** Journals and states do not fit: a file of the run was removed, or the disk is full. */
  private lost(): Result<never> {
    return err(
      'io',
      'Some shards (parts of the run) were started, but they have no result and no job works on them.',
      {
        hint: `Check that the disk of ${this.run.path('.')} is not full, and that no file of this folder was removed. Then continue the run with \`opsmith runs ${this.run.name}\`, or start a new run.`,
      },
    )
  }
}
