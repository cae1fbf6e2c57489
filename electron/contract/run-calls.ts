import { z } from 'zod'

import { checkEntry } from './check-entry'
import { exportForm, exportRequest, formReport } from './export'
import { gradcheckOutcome, gradcheckRequest, searchReport } from './gradcheck'
import { gradcheckEntry } from './manifest'
import { operatorCheckOutcome } from './operator-check'
import { timingRequest, timingRow } from './timing-report'

const folder = z.object({ folder: z.string() })
/** The name of a run's folder. */
const runId = z.string().regex(/^[\w-]+$/, 'this is not the name of a run')
const ofRun = folder.extend({ run: runId })
/** The verbs that make runs: each is what one panel of the window does, too. */
const runVerb = z.enum(['bench', 'gradcheck', 'check', 'export'])
export type RunVerb = z.infer<typeof runVerb>

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
  openJobs: z.int(),
  done: z.int(),
  failed: z.int(),
  shards: z.int(),
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
  shard: z.int(),
  node: z.string(),
  /** Times of different hardware are in different tables, and in no common ratio. */
  hardware: z.string(),
})
export type RunRow = z.infer<typeof runRow>

/** The search of one gradcheck, joined from the parts of a run. */
export const runSearch = z.object({
  /** The gradcheck that is searched, and its place among those of the run. */
  searched: gradcheckEntry,
  index: z.int(),
  name: z.string(),
  report: searchReport,
  /** Where parts of it were done. */
  nodes: z.array(z.string()),
})
export type RunSearch = z.infer<typeof runSearch>

/** A gradcheck of a run. */
export const runGradcheck = z.object({ node: z.string(), outcome: gradcheckOutcome })
export type RunGradcheck = z.infer<typeof runGradcheck>

/** The operator checks of one operator in a run. */
export const runCheck = z.object({
  node: z.string(),
  checked: checkEntry,
  outcome: operatorCheckOutcome,
})
export type RunCheck = z.infer<typeof runCheck>

/** A wheel of a run, or why there is none. */
export const runWheel = z.object({
  node: z.string(),
  /** "wheel for torch 2.13.0+cpu" */
  name: z.string(),
  report: formReport,
})
export type RunWheel = z.infer<typeof runWheel>

/** What shards gave; each verb fills its own lists. */
export const runResults = z.object({
  rows: z.array(runRow),
  gradchecks: z.array(runGradcheck),
  searches: z.array(runSearch),
  checks: z.array(runCheck),
  wheels: z.array(runWheel),
})
export type RunResults = z.infer<typeof runResults>

/** A run when the window no longer follows it. */
export const followedRun = z.object({
  state: runState,
  /** `left`: it goes on. */
  end: z.enum(['over', 'stopped', 'left']),
  results: runResults,
  /** Names of its benchmarks, by the `entry` of rows. */
  benchmarks: z.array(z.string()),
  /** Shards that have ended without a result, a sentence each. */
  missing: z.array(z.string()),
})
export type FollowedRun = z.infer<typeof followedRun>

/** What a run is to do. */
export const runWork = z.discriminatedUnion('verb', [
  /** null: all benchmarks of opsmith.json, else its calls. */
  z.object({ verb: z.literal('bench'), request: timingRequest.nullable() }),
  z.object({
    verb: z.literal('gradcheck'),
    /** For the worst of many random points. null: all gradchecks of opsmith.json, at their own points. */
    search: z
      .object({
        request: gradcheckRequest.omit({ program: true, keepJacobians: true }),
        points: z.int().min(1).max(1_000_000),
        firstSeed: z.int().nonnegative(),
        /** Seconds; 0 takes the settings'. */
        timeout: z.number().nonnegative(),
      })
      .nullable(),
  }),
  /** All operators of the project. */
  z.object({ verb: z.literal('check'), sanitize: z.boolean(), thorough: z.boolean() }),
  /** A wheel for the torch of each Python. The export in `directory` was made before. */
  exportRequest.pick({ directory: true }).extend({
    verb: z.literal('export'),
    form: exportForm,
    pythons: exportRequest.shape.pythons.min(1),
  }),
])
export type RunWork = z.infer<typeof runWork>

/** Of the window about work that is spread over nodes: a part of appCalls. Runs are those of the project. */
export const runCalls = {
  'runs.places': { input: folder, output: z.array(workersChoice) },
  /** Newest first. */
  'runs.list': { input: folder.extend({ verb: runVerb }), output: z.array(runState) },
  /** Makes a run; runs.follow starts its workers. */
  'runs.start': {
    input: folder.extend({
      work: runWork,
      /** As `--over` takes it. */
      over: z.string().min(1),
      jobs: z.int().min(1).max(1000),
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
    done: z.int(),
    total: z.int(),
    /** Results that are new; of searches, all that is known so far. */
    results: runResults,
    /** How many jobs wait, where in the queue the first is, and why; "" if none waits. */
    waiting: z.string(),
    /** Workers that came, died or were started since the last event, a sentence each. */
    news: z.array(z.string()),
  }),
} as const
