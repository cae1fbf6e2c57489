import { z } from 'zod'

import { diagnostic } from './diagnostics'
import { timeTrace } from './time-trace'

/** What a CUDA kernel takes of a GPU, as the assembler for it tells. */
export const kernelResources = z.object({
  /** "add_forces<float, long>(…)"; as the linker has it where there is no tool that reads that. */
  name: z.string(),
  /** The name without what it returns and its parameters: "add_forces<float, long>". */
  shortName: z.string(),
  /** "90" */
  architecture: z.string(),
  /** Of each thread. */
  registers: z.number().int(),
  /** Of each block, what is asked for at the launch not counted. */
  sharedBytes: z.number().int(),
  /** Of each thread, in memory: local arrays, and what registers did not hold. */
  stackBytes: z.number().int(),
  /** Registers that were written to memory and read back for lack of them. */
  spillStoreBytes: z.number().int(),
  spillLoadBytes: z.number().int(),
})
export type KernelResources = z.infer<typeof kernelResources>

/** One compiler or linker run of a build. */
export const buildStep = z.object({
  kind: z.enum(['compile', 'link']),
  /** What it makes, for people: "op.cpp", "libmy_op.so". */
  label: z.string(),
  command: z.array(z.string()),
  seconds: z.number(),
  /** Taken from the cache: nothing ran. */
  cached: z.boolean(),
  ok: z.boolean(),
  /** Of a CUDA source: its kernels, once for each architecture. */
  kernels: z.array(kernelResources).optional(),
})
export type BuildStep = z.infer<typeof buildStep>

/** A build that could be attempted; a failed one is an outcome, not an error. */
export const buildReport = z.object({
  ok: z.boolean(),
  seconds: z.number(),
  /** Absolute path of lib<name>.so; "" when the build failed. The Node addon <name>.node lies beside it. */
  library: z.string(),
  addon: z.string(),
  /** The same library at the content-addressed place it is loaded from. */
  loadPath: z.string(),
  /** Identifies what was built: equal keys mean equal libraries. */
  key: z.string(),
  /**
   * Made with the compile server up: the same sources and the same -O2, but in what the server compiled some
   * seldom-run functions of libtorch are called where a plain build may inline them, and the link took symbols
   * on trust. It is for the loop of editing and trying; what is timed and exported is the plain build that follows.
   */
  hot: z.boolean(),
  diagnostics: z.array(diagnostic),
  steps: z.array(buildStep),
  /** When it was asked for. */
  timeTrace: timeTrace.optional(),
  compiler: z.string(),
  libtorch: z.string(),
})
export type BuildReport = z.infer<typeof buildReport>
