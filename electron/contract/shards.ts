import { z } from 'zod'

import { workbenchError } from './outcome'

/** Where the workers of a run are started. */
export const workersPlace = z.discriminatedUnion('kind', [
  /** Jobs of a Slurm array; `options` are those of sbatch. */
  z.object({
    kind: z.literal('slurm'),
    options: z.array(z.string()),
    opsmith: z.array(z.string().min(1)).min(1),
  }),
  /** Processes by command lines: the job with number N goes to target N modulo their count. */
  z.object({
    kind: z.literal('commands'),
    targets: z
      .array(
        z.object({
          name: z.string(),
          /** Runs the script that follows it as one more word. */
          command: z.array(z.string().min(1)).min(1),
          /** The script is quoted, because the command joins its words, as ssh does. */
          isJoined: z.boolean(),
          /** Opsmith there. */
          opsmith: z.array(z.string().min(1)).min(1),
        }),
      )
      .min(1),
  }),
])
export type WorkersPlace = z.infer<typeof workersPlace>

/** How a run gives its answer. */
export const runAnswer = z.object({
  format: z.enum(['text', 'json', 'markdown', 'csv']),
  /** Absolute path of a baseline; "" for none. */
  baseline: z.string(),
  failAbove: z.number(),
})
export type RunAnswer = z.infer<typeof runAnswer>

/** run.json: what does not change while a run goes on. */
export const runManifest = z.object({
  opsmithRun: z.literal(1),
  id: z.string(),
  /** Of the Opsmith that has made it: workers have the same. */
  version: z.string(),
  /** The verb that has made it: "bench". */
  verb: z.string(),
  /** For people: "bench my_op". */
  title: z.string(),
  /** Of the project; the same path on every node. */
  project: z.string(),
  place: workersPlace,
  /** Workers at a time, at most. */
  jobs: z.int().positive(),
  /** Milliseconds since 1970. */
  created: z.number(),
  shards: z.int().positive(),
  allowsSandbox: z.boolean(),
  answer: runAnswer,
})
export type RunManifest = z.infer<typeof runManifest>

/** A line of shards.jsonl: a part of the work that one worker does without a pause. */
export const shard = z.object({
  /** For people: "N 4096, float32". */
  name: z.string(),
  /** What the verb of the run makes of it. */
  work: z.unknown(),
})
export type Shard = z.infer<typeof shard>

/** What took a shard's result. */
export const nodeFacts = z.object({
  /** As Slurm calls it, else its host name. */
  node: z.string(),
  processor: z.string(),
  cores: z.int(),
  /** The worker's process. */
  pid: z.int(),
})
export type NodeFacts = z.infer<typeof nodeFacts>

/** results/N.json. An error is an answer too: the shard was worked on, and is not repeated. */
export const shardResult = z.object({
  shard: z.int(),
  attempt: z.int(),
  facts: nodeFacts,
  seconds: z.number(),
  outcome: z.union([
    z.object({ ok: z.literal(true), value: z.unknown() }),
    z.object({ ok: z.literal(false), error: workbenchError }),
  ]),
})
export type ShardResult = z.infer<typeof shardResult>

/** A shard with what came of it: neither result nor reason while the run goes on. */
export interface EndedShard {
  shard: Shard
  result?: ShardResult
  /** Its workers have died twice: why the last one did. */
  reason?: string
}

/** A line of a worker's journal, workers/NAME.jsonl. */
export const workerEvent = z.discriminatedUnion('event', [
  z.object({ event: z.literal('came'), facts: nodeFacts }),
  z.object({
    event: z.literal('started'),
    shard: z.int(),
    attempt: z.int(),
  }),
  z.object({ event: z.literal('finished'), shard: z.int() }),
  /** It found nothing more to do, was stopped, or cannot work at all: then with the reason. */
  z.object({ event: z.literal('left'), error: workbenchError.optional() }),
])
export type WorkerEvent = z.infer<typeof workerEvent>

/** A line of journal.jsonl, by whoever follows the run. */
export const runEvent = z.discriminatedUnion('event', [
  z.object({ event: z.literal('submitted'), jobs: z.array(z.string()) }),
  z.object({ event: z.literal('ended'), job: z.string(), reason: z.string() }),
  z.object({
    event: z.literal('died'),
    shard: z.int(),
    attempt: z.int(),
    /** A sentence. */
    reason: z.string(),
  }),
  /** It died twice. */
  z.object({ event: z.literal('failed'), shard: z.int(), reason: z.string() }),
  z.object({ event: z.literal('stopped') }),
])
export type RunEvent = z.infer<typeof runEvent>
