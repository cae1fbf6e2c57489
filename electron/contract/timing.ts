import { z } from 'zod'

import { deviceSamples } from './timing-device'
import { timingDirection } from './timing-names'
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
  direction: timingDirection,
  /** Of libtorch's intra-op pool. */
  threads: z.int().min(1).max(1024),
  /** The caches are flushed before every call; a sample is one call then. */
  cold: z.boolean(),
  /** Other values, in other memory, for every few samples; else the same inputs for all. */
  fresh: z.boolean(),
})
export type TimedCall = z.infer<typeof timedCall>

export const timingTrap = z.object({
  kind: z.enum([
    'cached', // gives an old output for an input that was changed in place
    'constant', // gives the same output for inputs that differ
    'asynchronous', // its outputs change, or it works, after it has returned; or on another stream
    'waits', // for the device before it returns
    'not a number', // NaN among its outputs
  ]),
  message: z.string(),
})
export type TimingTrap = z.infer<typeof timingTrap>

/** A call that is warm and ready to be timed. */
export const openedTiming = z.object({
  handle: z.int(),
  op: z.string(),
  /** "cpu", or where its inputs or outputs are, or where it works. */
  device: z.string(),
  /** How many calls a sample takes, so that reading the clock costs under 0.1 % of it. */
  callsPerSample: z.int(),
  /** A first estimate, from the end of the warm-up. */
  secondsPerCall: z.number(),
  warmup: z.object({ calls: z.int(), seconds: z.number(), steady: z.boolean() }),
  /**
   * What one forward moves: its inputs, outputs in memory of their own, and inputs that it writes, these
   * twice. 0 where `givesViews`.
   */
  bytes: z.number(),
  /**
   * Of one forward's matrix products, convolutions and attention through libtorch's dispatcher, as
   * torch.utils.flop_counter counts them. 0 where there are none, or others that are not counted.
   */
  flops: z.number(),
  /** Every output is a view of an input, and no input is written. */
  givesViews: z.boolean(),
  /** Seconds between two events of its device with nothing between them; 0 on the CPU. */
  betweenEvents: z.number(),
  traps: z.array(timingTrap),
})
export type OpenedTiming = z.infer<typeof openedTiming>

export const timingSamples = z.object({
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
  /** Hz of the processor right before the samples and right after them, where it can be measured. */
  frequencies: z.array(z.number()).length(2).optional(),
  /** Absent on the CPU. */
  device: deviceSamples.optional(),
})
export type TimingSamples = z.infer<typeof timingSamples>

/** Seconds of one call of an operator: as asked, without autograd, and the kernel called directly. */
export const timingLayers = z.object({
  full: z.number(),
  belowAutograd: z.number(),
  /** Absent where the kernel cannot be called directly: it is composite, or takes no boxed call. */
  kernel: z.number().optional(),
})
export type TimingLayers = z.infer<typeof timingLayers>

export const machineFacts = z.object({
  processor: z.string(),
  cores: z.int(),
  /** Of the last level. */
  cacheBytes: z.number(),
  frequency: z.object({
    /** "performance", "schedutil"; "" where the system does not say. */
    governor: z.string(),
    /** Hz between which it may be set; 0 where the system does not say. */
    least: z.number(),
    most: z.number(),
    /** Whether it may go above what is asked for; "" where the system does not say. */
    turbo: z.enum(['on', 'off', '']),
  }),
  /** Why instructions and cycles are not counted; "" when they are. */
  countersMissing: z.string(),
})
export type MachineFacts = z.infer<typeof machineFacts>

/** What the machine can do at most, measured by a large copy and a large product of matrices. */
export const machineCeilings = z.object({
  threads: z.int(),
  /** Read and written. */
  bytesPerSecond: z.number(),
  flopsPerSecond: z.object({ float32: z.number(), float64: z.number() }),
  /** Cores that other programs kept busy meanwhile. */
  othersBusy: z.number(),
  /** How far the middle one of the copies lay above the shortest, as a part of that. */
  spread: z.number(),
})
export type MachineCeilings = z.infer<typeof machineCeilings>

export const timingComparison = z.object({ comparisons: z.array(comparison) })
export type TimingComparison = z.infer<typeof timingComparison>
