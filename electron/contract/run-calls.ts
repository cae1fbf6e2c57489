import { z } from 'zod'

import { timingRequest, timingRow } from './timing-report'

const folder = z.object({ folder: z.string() })
/** The name of a run's folder. */
const runId = z.string().regex(/^[\w-]+$/, 'this is not the name of a run')
const ofRun = folder.extend({ run: runId })

/** What is known of a run. */
export const runState = z.object({
  id: z.string(),
  /** The verb that has made it: "bench". */
  verb: z.string(),
  /** For people: "bench my_op". */
  title: z.string(),
  /** Where its workers are, as it was asked for: "slurm", "ssh:node1, ssh:node2". */
  place: z.string(),
  /**
   * `working`: jobs are in the queue or at work. `idle`: shards are left, but no job is. `ended`: some shards have no
   * result. `unknown`: the queue does not answer; `problem` says why.
   */
  phase: z.enum(['working', 'idle', 'stopped', 'unknown', 'done', 'ended']),
  problem: z.string(),
  openJobs: z.number().int(),
  done: z.number().int(),
  failed: z.number().int(),
  shards: z.number().int(),
  /** Milliseconds since 1970. */
  created: z.number(),
  folder: z.string(),
})
export type RunState = z.infer<typeof runState>

/** Where workers of a run can be started. */
export const workersChoice = z.object({
  /** As `--over` takes it. */
  name: z.string(),
  kind: z.enum(['local', 'slurm', 'cluster', 'target', 'ssh']),
  /** Why it cannot be used; "" if it can. */
  missing: z.string(),
})
export type WorkersChoice = z.infer<typeof workersChoice>

/** A row of a run of timings, and where it comes from. */
export const runRow = timingRow.extend({
  /** Its place among the shards. */
  shard: z.number().int(),
  node: z.string(),
  /** Times of different hardware are in different tables, and in no common ratio. */
  hardware: z.string(),
})
export type RunRow = z.infer<typeof runRow>

/** A run of timings when the window no longer follows it. */
export const followedRun = z.object({
  state: runState,
  /** `left`: it goes on. */
  end: z.enum(['over', 'stopped', 'left']),
  rows: z.array(runRow),
  /** Names of its benchmarks, by the `entry` of rows. */
  benchmarks: z.array(z.string()),
  /** Shards that have ended without times, a sentence each. */
  missing: z.array(z.string()),
})
export type FollowedRun = z.infer<typeof followedRun>

/** Of the window about work that is spread over nodes: a part of appCalls. Runs are those of the project. */
export const runCalls = {
  'runs.places': { input: folder, output: z.array(workersChoice) },
  /** Newest first. */
  'runs.list': { input: folder, output: z.array(runState) },
  /** Makes a run of timings; runs.follow starts its workers. */
  'runs.start': {
    input: folder.extend({
      /** null: all benchmarks of opsmith.json, else its calls. */
      request: timingRequest.nullable(),
      /** As `--over` takes it. */
      over: z.string().min(1),
      jobs: z.number().int().min(1).max(1000),
    }),
    output: runState,
  },
  /** Until the run is over or was stopped. If the job is cancelled, the run goes on. */
  'runs.follow': { input: ofRun.extend({ job: z.string() }), output: followedRun },
  /** Ends the jobs of the run; its results stay. */
  'runs.stop': { input: ofRun, output: z.object({}) },
  'runs.remove': { input: ofRun, output: z.object({}) },
} as const

export const runEvents = {
  /** Of runs.follow: how far the run is, with what is new. */
  'runs.progressed': z.object({
    job: z.string(),
    done: z.number().int(),
    total: z.number().int(),
    rows: z.array(runRow),
    /** How many jobs wait, where in the queue the first is, and why; "" if none waits. */
    waiting: z.string(),
    /** Workers that came, died or were started since the last event, a sentence each. */
    news: z.array(z.string()),
  }),
} as const
