import { z } from 'zod'

import { machineCeilings, machineFacts } from './timing'
import { deviceCeilings, deviceFacts, deviceState } from './timing-device'
import { timingEntry } from './timing-entry'
import { timingDirection } from './timing-names'
import { workbenchError } from './outcome'

/** What is timed: an entry as opsmith.json would have it, and builds to time it against. */
export const timingRequest = timingEntry.extend({
  /** "last": the one before this; else a name or a key that bench.builds gives. */
  builds: z.array(z.string().min(1)).default([]),
})
export type TimingRequest = z.infer<typeof timingRequest>

/** Of the samples of one row, in seconds of one call. */
export const timingSummary = z.object({
  median: z.number(),
  p25: z.number(),
  p75: z.number(),
  min: z.number(),
  max: z.number(),
  /** Where the median lies with 95 % confidence, by bootstrap. */
  interval: z.tuple([z.number(), z.number()]),
  samples: z.int(),
  callsPerSample: z.int(),
})
export type TimingSummary = z.infer<typeof timingSummary>

/** One row's time over another's, from samples taken in turn (A B B A), so that drift cancels. */
export const timingRatio = z.object({
  /** 2: it takes twice the time. */
  ratio: z.number(),
  /** With 95 % confidence, by bootstrap over the pairs. */
  interval: z.tuple([z.number(), z.number()]),
  /** "no difference": 1 lies within the interval, or the ratio is within 1 % of it. */
  verdict: z.enum(['slower', 'faster', 'no difference']),
})
export type TimingRatio = z.infer<typeof timingRatio>

/** A point of a sweep; {} and "" where nothing is swept. */
export const timingPoint = z.object({
  sizes: z.record(z.string(), z.int()),
  dtype: z.string(),
  threads: z.int(),
  cold: z.boolean(),
})
export type TimingPoint = z.infer<typeof timingPoint>

export const timingRow = z.object({
  /** Position of the benchmark among those that were asked for. */
  entry: z.int(),
  op: z.string(),
  /** The benchmark's own call has "operator"; the others are compared with it. */
  kind: z.enum(['operator', 'other', 'expression', 'build']),
  /** For people: the operator, the expression, "build of 21 Nov 14:03". */
  variant: z.string(),
  direction: timingDirection,
  device: z.string(),
  point: timingPoint,
  /** Absent where no speed is shown; `refused` says why. */
  summary: timingSummary.optional(),
  /** "the result differs …", "the call has no backward …", a crash; "" where there is a summary. */
  refused: z.string(),
  error: workbenchError.optional(),
  /** This row's time over that of the benchmark's own call at the same point. */
  ratio: timingRatio.optional(),
  bytesPerSecond: z.number().optional(),
  flopsPerSecond: z.number().optional(),
  /** Of a forward, by the entry's formula, else counted; absent where its outputs are views. */
  bytes: z.number().optional(),
  /** Of a forward: every output is a view of an input, so that nothing is moved. */
  givesViews: z.boolean().optional(),
  /** Of a forward, by the entry's formula, else counted; absent where neither is to be had. */
  flops: z.number().optional(),
  /** The variant whose products, convolutions and attention were counted; absent where the entry has a formula. */
  flopsCountedIn: z.string().optional(),
  /** CPU seconds over wall seconds. */
  cores: z.number().optional(),
  instructions: z.number().optional(),
  cycles: z.number().optional(),
  /** Hz of the processor while its samples were taken: the middle, and where nine tenths lie. */
  frequency: z.object({ median: z.number(), low: z.number(), high: z.number() }).optional(),
  /** Of a device other than the CPU. */
  gpu: z
    .object({
      /** Seconds for which one call keeps the host. */
      launch: z.number(),
      /** Of one call in a graph that is replayed: without its launches. Warm, forward. */
      replay: z.object({ median: z.number(), p25: z.number(), p75: z.number() }).optional(),
      /** Why there is no replay; "" else. */
      noReplay: z.string(),
      before: deviceState,
      after: deviceState,
    })
    .optional(),
  /** Seconds: dispatcher and autograd next to the kernel; of operators, forward. */
  layers: z
    .object({ full: z.number(), belowAutograd: z.number(), kernel: z.number().optional() })
    .optional(),
  /** Noise, drift, other load, traps: each a sentence that says what to do. */
  warnings: z.array(z.string()),
  /** In the order in which they were taken, seconds of one call, and when, in seconds since the first. */
  samples: z.array(z.number()),
  times: z.array(z.number()),
})
export type TimingRow = z.infer<typeof timingRow>

export const timingReport = z.object({
  rows: z.array(timingRow),
  machine: machineFacts,
  /** Of the most threads among the rows. Measured once for a machine, then kept. */
  ceilings: machineCeilings.optional(),
  /** Why they may be too low, and are measured again next time; "" when the machine was at rest. */
  ceilingsDoubt: z.string(),
  /** Other devices than the CPU that were timed on. */
  devices: z.array(
    deviceFacts.extend({
      ceilings: deviceCeilings.optional(),
      /** Why there are none; "" else. */
      ceilingsMissing: z.string(),
    }),
  ),
  seconds: z.number(),
  /** Of the build that was timed. */
  build: z.string(),
})
export type TimingReport = z.infer<typeof timingReport>

/** What the machine can do at most, and why that may be too low ("" when it was at rest). */
export const judgedCeilings = z.object({ ceilings: machineCeilings, doubt: z.string() })
export type JudgedCeilings = z.infer<typeof judgedCeilings>

/** One row's median at one build, oldest first. */
export const timingHistoryPoint = z.object({
  build: z.string(),
  /** Milliseconds since 1970. */
  time: z.number(),
  median: z.number(),
  p25: z.number(),
  p75: z.number(),
  /** Unified diff of the project's sources against the build before; "" for the first. */
  diff: z.string(),
})
export type TimingHistoryPoint = z.infer<typeof timingHistoryPoint>

/** A build whose library is still there to be timed against. */
/** What a kept build is found by: its files have this name. */
export const buildKey = z.string().regex(/^[0-9a-f]{32}$/, 'this is not the key of a build')

export const keptBuild = z.object({
  key: buildKey,
  /** "" until it is named. */
  name: z.string(),
  time: z.number(),
  current: z.boolean(),
})
export type KeptBuild = z.infer<typeof keptBuild>
