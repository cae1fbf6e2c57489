import { z } from 'zod'

import { benchDirection } from './bench-names'
import { argument, inputSpec } from './manifest-values'
import { comparison, programSource } from './run'
import { real } from './tensor'

/** One call that the op host makes again and again. */
export const timedCall = z.object({
  /** An operator, or a function of the program; "" with an expression. */
  op: z.string(),
  args: z.array(argument),
  inputs: z.record(z.string(), inputSpec),
  program: programSource.optional(),
  /** A TorchScript expression over the inputs' names, in place of an operator. */
  expression: z.string().optional(),
  direction: benchDirection,
  /** Of libtorch's intra-op pool. */
  threads: z.number().int().min(1).max(1024),
  /** The caches are flushed before every call; a sample is one call then. */
  cold: z.boolean(),
})
export type TimedCall = z.infer<typeof timedCall>

export const benchTrap = z.object({
  kind: z.enum([
    'cached', // gives an old output for an input that was changed in place
    'constant', // gives the same output for inputs that differ
    'asynchronous', // its outputs change, or it works, after it has returned
    'not a number', // NaN among its outputs
  ]),
  message: z.string(),
})
export type BenchTrap = z.infer<typeof benchTrap>

/** A call that is warm and ready to be timed. */
export const openedBench = z.object({
  handle: z.number().int(),
  op: z.string(),
  /** How many calls a sample takes, so that reading the clock costs under 0.1 % of it. */
  callsPerSample: z.number().int(),
  /** A first estimate, from the end of the warm-up. */
  secondsPerCall: z.number(),
  warmup: z.object({ calls: z.number().int(), seconds: z.number(), steady: z.boolean() }),
  /** Bytes of the inputs and outputs, each tensor once. */
  bytes: z.number(),
  traps: z.array(benchTrap),
})
export type OpenedBench = z.infer<typeof openedBench>

export const benchSamples = z.object({
  /** Of one call: a sample's time over its calls. */
  seconds: z.array(real),
  /** Of taking them, by the clock; CPU time of the calling thread, of the whole op host, of the whole machine. */
  wallSeconds: z.number(),
  threadSeconds: z.number(),
  processSeconds: z.number(),
  machineSeconds: z.number(),
  /** Of one call, where the system allows to count them. */
  instructions: z.number().optional(),
  cycles: z.number().optional(),
})
export type BenchSamples = z.infer<typeof benchSamples>

/** Seconds of one call of an operator: as asked, without autograd, and the kernel called directly. */
export const benchLayers = z.object({
  full: z.number(),
  belowAutograd: z.number(),
  /** Absent where the kernel cannot be called directly: it is composite, or takes no boxed call. */
  kernel: z.number().optional(),
})
export type BenchLayers = z.infer<typeof benchLayers>

export const machineFacts = z.object({
  processor: z.string(),
  cores: z.number().int(),
  /** Of the last level. */
  cacheBytes: z.number(),
  /** Of the frequency: "performance", "schedutil"; "" where the system does not say. */
  governor: z.string(),
  /** Why instructions and cycles are not counted; "" when they are. */
  countersMissing: z.string(),
})
export type MachineFacts = z.infer<typeof machineFacts>

/** What the machine can do at most, measured by a large copy and a large product of matrices. */
export const machineCeilings = z.object({
  threads: z.number().int(),
  /** Read and written. */
  bytesPerSecond: z.number(),
  flopsPerSecond: z.object({ float32: z.number(), float64: z.number() }),
})
export type MachineCeilings = z.infer<typeof machineCeilings>

export const benchComparison = z.object({ comparisons: z.array(comparison) })
export type BenchComparison = z.infer<typeof benchComparison>
