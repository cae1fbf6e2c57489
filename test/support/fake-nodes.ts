import { ok } from '../../electron/contract/outcome'
import type { Result } from '../../electron/contract/outcome'
import type { Shard } from '../../electron/contract/shards'
import { workerName } from '../../electron/engine/shards/nodes'
import type { JobState, Nodes } from '../../electron/engine/shards/nodes'
import type { RunFolder } from '../../electron/engine/shards/run-folder'
import { workOnRun } from '../../electron/engine/shards/work-on-run'

/** What a simulated node does with a shard; "dies" is the end of the worker in the middle of it. */
export type Performance = (
  shard: Shard,
  job: string,
) => Result<unknown> | 'dies' | Promise<Result<unknown> | 'dies'>

/** Nodes in this process: workers and whoever follows the run are the real ones. */
export class FakeNodes implements Nodes {
  readonly pause = 0
  readonly submissions: number[] = []
  readonly ended = new Map<string, JobState>()
  private readonly stops = new Map<string, AbortController>()

  constructor(
    private readonly perform: Performance,
    private readonly reason = 'the node failed: n1',
  ) {}

  submit(run: RunFolder, count: number): Promise<Result<string[]>> {
    this.submissions.push(count)
    const names = Array.from(
      { length: count },
      (_, place) => `${this.submissions.length}-${run.manifest.id}_${place}`,
    )
    for (const [place, job] of names.entries()) this.start(run, job, place)
    return Promise.resolve(ok(names))
  }

  private start(run: RunFolder, job: string, place: number): void {
    const stop = new AbortController()
    this.stops.set(job, stop)
    const end = (reason: string): void => {
      this.ended.set(job, { kind: 'ended', lives: 1, isCancelled: false, reason })
    }
    const facts = { node: `n${place}`, processor: 'simulated', cores: 1, pid: process.pid }
    void workOnRun(run, {
      name: workerName(job, 0),
      place,
      facts,
      signal: stop.signal,
      perform: async (shard) => {
        const made = await this.perform(shard, job)
        if (made !== 'dies') return made
        end(this.reason)
        // Nothing of it comes after that.
        return await new Promise<never>(() => undefined)
      },
    }).then(
      () => end('the worker ended'),
      (error: unknown) => end(String(error)),
    )
  }

  states(): Promise<Result<Map<string, JobState>>> {
    const running = { kind: 'running', lives: 1 } as const
    return Promise.resolve(
      ok(new Map([...this.stops.keys()].map((job) => [job, this.ended.get(job) ?? running]))),
    )
  }

  cancel(_run: RunFolder, jobs: readonly string[]): Promise<Result<null>> {
    for (const job of jobs) this.stops.get(job)?.abort()
    return Promise.resolve(ok(null))
  }
}
