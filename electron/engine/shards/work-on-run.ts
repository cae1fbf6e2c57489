import { setTimeout as wait } from 'node:timers/promises'

import type { NodeFacts, Shard, WorkerEvent } from '../../contract/shards'
import type { ErrorCode, Result } from '../../contract/outcome'
import { JournalWriter } from './journal'
import { mostAttempts } from './run-folder'
import type { RunFolder } from './run-folder'

/** Milliseconds between signs of life. */
const beatTime = 5_000

export interface Worker {
  /** Its job, and which life of the job: "12_3.0". Nobody else has this name. */
  name: string
  /** From 0: where it begins to look for work, so that workers do not meet. */
  place: number
  facts: NodeFacts
  /** What has to be ready before the first shard; an error ends the worker. */
  prepare?: (signal: AbortSignal) => Promise<Result<unknown>>
  /** Does the work of a shard. What it throws ends the worker. */
  perform: (shard: Shard, signal: AbortSignal) => Promise<Result<unknown>>
  /** Before a shard: waits until nobody else on the node works on one. @returns lets the next one begin */
  waitForTurn?: (signal: AbortSignal) => Promise<() => void>
  signal?: AbortSignal
}

/** Errors that say something of the node, not of the shard: another node may do it. */
const faultsOfNode = new Set<ErrorCode>([
  'toolchain.missing',
  'toolchain.mismatch',
  'project.missing',
  'build.required',
  'library.load',
  'host.unavailable',
  'device.lost',
  'target.unavailable',
  'io',
])

/**
 * Takes one shard of a run after the other, until nothing is left that nobody has, or the run is stopped. Workers do not
 * know each other: a claim is a file that one of them makes.
 */
export async function workOnRun(run: RunFolder, worker: Worker): Promise<void> {
  const journal = new JournalWriter<WorkerEvent>(run.path('workers', `${worker.name}.jsonl`))
  await journal.add({ event: 'came', facts: worker.facts })
  const stop = new AbortController()
  const stopped = (): void => stop.abort()
  worker.signal?.addEventListener('abort', stopped)
  if (worker.signal?.aborted) stop.abort()
  const beating = beat(run, journal, stop)
  let left: WorkerEvent = { event: 'left' }
  try {
    const prepared = await worker.prepare?.(stop.signal)
    if (prepared?.ok === false) {
      left = { event: 'left', error: prepared.error }
      return
    }
    const shards = await run.allShards()
    for await (const { shard, attempt } of claims(run, worker)) {
      if (stop.signal.aborted) break
      const work = shards[shard]
      // Its first worker was only thought to be dead.
      if (!work || (attempt > 1 && (await run.hasResult(shard)))) continue
      await journal.add({ event: 'started', shard, attempt })
      const endTurn = await worker.waitForTurn?.(stop.signal)
      const started = performance.now()
      const outcome = await worker.perform(work, stop.signal)
      endTurn?.()
      if (!outcome.ok && faultsOfNode.has(outcome.error.code)) {
        left = { event: 'left', error: outcome.error }
        return
      }
      // What Stop has cut short is no result: whoever goes on with the run does the shard.
      if (stop.signal.aborted && !outcome.ok) break
      const seconds = (performance.now() - started) / 1000
      await run.writeResult({ shard, attempt, facts: worker.facts, seconds, outcome })
      await journal.add({ event: 'finished', shard })
    }
  } finally {
    worker.signal?.removeEventListener('abort', stopped)
    stop.abort()
    await beating
    await journal.add(left)
  }
}

/** Shows that the worker lives, and sees when the run is stopped. */
async function beat(
  run: RunFolder,
  journal: JournalWriter<WorkerEvent>,
  stop: AbortController,
): Promise<void> {
  const { signal } = stop
  while (!signal.aborted) {
    await wait(beatTime, undefined, { signal, ref: false }).catch(() => undefined)
    if (signal.aborted) return
    try {
      if (await run.isStopped()) stop.abort()
      else await journal.beat()
    } catch {
      // The folder was removed, or its disk is full: no result could be written.
      stop.abort()
    }
  }
}

interface Claim {
  shard: number
  attempt: number
}

/**
 * Claims of one worker. It begins with a stripe of its own, every N-th shard for N workers, so that few try for the same
 * file; then it takes what is left of others' stripes, then what is tried again.
 */
async function* claims(run: RunFolder, { name, place }: Worker): AsyncGenerator<Claim> {
  const { shards, jobs } = run.manifest
  for (let shard = place % jobs; shard < shards; shard += jobs) {
    if (await run.isStopped()) return
    if (await run.claim(shard, 1, name)) yield { shard, attempt: 1 }
  }
  // From its own stripe on: two that are ready at the same time begin at different ones.
  const claimed = await run.claims()
  const taken = new Set(claimed.flatMap(({ shard, attempt }) => (attempt === 1 ? [shard] : [])))
  for (let step = 0; step < shards; step += 1) {
    const shard = ((place % jobs) * Math.ceil(shards / jobs) + step) % shards
    if (taken.has(shard) || !(await run.claim(shard, 1, name))) continue
    if (await run.isStopped()) return
    yield { shard, attempt: 1 }
  }
  for (const shard of await run.again()) {
    if (await run.isStopped()) return
    if (await run.claim(shard, mostAttempts, name)) yield { shard, attempt: mostAttempts }
  }
}
