import { z } from 'zod'

import { argument, inputSpec } from './manifest-values'
import { programSource } from './run'

/** What is profiled: a call of an operator or of a function of the program. */
export const profileRequest = z.object({
  op: z.string().min(1),
  args: z.array(argument),
  inputs: z.record(z.string(), inputSpec),
  program: programSource.optional(),
  /** Also the backward of the sum of the outputs. */
  backward: z.boolean(),
  /** Of libtorch's intra-op pool. */
  threads: z.int().min(1).max(1024),
})
export type ProfileRequest = z.infer<typeof profileRequest>

/** By its number in `profileEvents.kind`. */
export const profileKinds = [
  'range', // "forward" and "backward" of the run, and what user code marks itself
  'function', // of the program
  'custom', // an operator that is not libtorch's
  'operator',
  'backward', // a node of the autograd graph
  'runtime', // a call of the device's runtime: cudaLaunchKernel
  'device', // a kernel, a copy or a fill on a device's stream
] as const
export type ProfileKind = (typeof profileKinds)[number]

const integers = z.array(z.number())

/**
 * What ran, a column each, as many entries in each; parents come before their children. -1 is "none".
 * Times are in ns from the start of the run.
 */
export const profileEvents = z.object({
  /** Of `names`. */
  name: integers,
  kind: integers,
  start: integers,
  duration: integers,
  /** Of `tracks`. */
  track: integers,
  /** The event within which it ran, or which started it on a device. */
  parent: integers,
  /** Of `stacks`: where in the program it was called. */
  stack: integers,
  /** Of the trace's `inputs`. */
  inputs: integers,
  /** Of an autograd node: the event of the operator that made it. */
  forward: integers,
  /** Of `details`. */
  details: integers,
})
export type ProfileEvents = z.infer<typeof profileEvents>

/** Memory allocated (bytes above 0) and freed, in the order of time. */
export const profileAllocations = z.object({
  time: integers,
  bytes: integers,
  /** Of `devices`. */
  device: integers,
  /** The innermost event within which it happened. */
  event: integers,
  /** Equal for a block's allocation and its release. */
  block: integers,
})
export type ProfileAllocations = z.infer<typeof profileAllocations>

/** One run as libtorch's profiler saw it: native/runtime/profile. */
export const profileTrace = z.object({
  op: z.string(),
  threads: z.int(),
  names: z.array(z.string()),
  /** "float32[64, 64], 2", of an operator's arguments; "…" for what the profiler does not keep. */
  inputs: z.array(z.string()),
  /** What the profiler says of a kernel (grid, registers, …), as the text of JSON fields. */
  details: z.array(z.string()),
  /** "cpu", "cuda:0". */
  devices: z.array(z.string()),
  /** Lines of the program; line 0 where only the function is known. */
  frames: z.array(z.object({ function: z.string(), file: z.string(), line: z.int() })),
  /** Numbers of frames, outermost first. */
  stacks: z.array(integers),
  tracks: z.array(z.object({ name: z.string(), isDevice: z.boolean() })),
  events: profileEvents,
  allocations: profileAllocations,
  /** How many did not fit: 100,000 of each are kept. */
  cutEvents: z.int(),
  cutAllocations: z.int(),
  /** ns of each profiled run, and which of them this is: the median one. */
  runs: integers,
  chosen: z.int(),
  /** Runs without the profiler, and ns of their median. */
  plainRuns: z.int(),
  plainTime: z.number(),
  /** Bytes of the storages that the arguments hold, and of those that only the results hold. */
  inputBytes: z.number(),
  resultBytes: z.number(),
  /** Kernels of a device were looked for. */
  hasDevice: z.boolean(),
  /** Why none were seen; "" else. */
  deviceMissing: z.string(),
})
export type ProfileTrace = z.infer<typeof profileTrace>

/** Totals of all events of one name, or of one line of the program; times in ns. */
export const profileTotal = z.object({
  /** "aten::mm"; of a line, its function. */
  name: z.string(),
  kind: z.enum(profileKinds),
  calls: z.int(),
  /** Nested calls of the same name counted once. */
  total: z.number(),
  /** Without the calls inside it. */
  self: z.number(),
  /** Of `self`, among the time of the run; a device's comes on top of it. */
  share: z.number(),
  /** Bytes that it allocated itself, without the calls inside it. */
  allocated: z.number(),
  /** Where it was called; more places than this one: `places`. */
  file: z.string(),
  line: z.int(),
  places: z.int(),
})
export type ProfileTotal = z.infer<typeof profileTotal>

/** A node of the flame graph: all events with the same path of names. Parents come first. */
export const profileFlame = z.object({
  name: z.string(),
  kind: z.enum(profileKinds),
  /** Position of the parent, -1 for none. */
  parent: z.int(),
  calls: z.int(),
  total: z.number(),
  self: z.number(),
  allocated: z.number(),
  file: z.string(),
  line: z.int(),
})
export type ProfileFlame = z.infer<typeof profileFlame>

/** The memory that an operator of a line holds at the peak. */
export const profileHolder = z.object({
  bytes: z.number(),
  blocks: z.int(),
  /** The innermost operator that took it; "" outside of all. */
  name: z.string(),
  event: z.int(),
  file: z.string(),
  line: z.int(),
})
export type ProfileHolder = z.infer<typeof profileHolder>

/** Memory of one device that was taken during the run, over time. */
export const profileMemory = z.object({
  device: z.string(),
  /** ns; the curve steps at each. */
  times: integers,
  bytes: integers,
  peak: z.number(),
  peakTime: z.number(),
  /** At the end of the run: what its results hold. */
  end: z.number(),
  holders: z.array(profileHolder),
})
export type ProfileMemory = z.infer<typeof profileMemory>

export const profileReport = z.object({
  /** The engine's number for it, for profile.save. */
  profile: z.int(),
  backward: z.boolean(),
  trace: profileTrace,
  /** Own time of each event, in ns: without what ran within it on the same track. */
  self: integers,
  /** Bytes that each event allocated itself, without the calls inside it. */
  allocated: integers,
  /** Of the trace's `frames`: the line of the program behind each event. */
  places: integers,
  /** Of the run's ranges, in ns. */
  total: z.number(),
  operators: z.array(profileTotal),
  lines: z.array(profileTotal),
  flame: z.array(profileFlame),
  memory: z.array(profileMemory),
})
export type ProfileReport = z.infer<typeof profileReport>
