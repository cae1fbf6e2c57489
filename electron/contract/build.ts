import { z } from 'zod'

import { diagnostic } from './diagnostics'
import { timeTrace } from './time-trace'

/**
 * What kernels are compiled for on the virtual GPU: to run, to report mistakes, or to count what their warps do.
 */
export const kernelVariant = z.enum(['plain', 'checked', 'counted'])
export type KernelVariant = z.infer<typeof kernelVariant>
/** What a build was for: one for stepping is made next to the project's others, for a call. */
const builtVariant = z.enum([...kernelVariant.options, 'stepped'])
export type BuiltVariant = z.infer<typeof builtVariant>

/** The resources that a CUDA kernel uses on a GPU, as ptxas reports them. */
export const kernelResources = z.object({
  /** "add_forces<float, long>(…)"; as the linker has it where there is no tool that reads that. */
  name: z.string(),
  /** The name without what it returns and its parameters: "add_forces<float, long>". */
  shortName: z.string(),
  /** "90" */
  architecture: z.string(),
  /** Of each thread. */
  registers: z.int(),
  /** Of each block, without the memory that is requested at the launch. */
  sharedBytes: z.int(),
  /** Of each thread, in memory: local arrays, and what registers did not hold. */
  stackBytes: z.int(),
  /** Registers that were written to memory and read back because there were too few. */
  spillStoreBytes: z.int(),
  spillLoadBytes: z.int(),
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
  /** Absolute path of lib<name>.so; "" when the build failed. The Node addon <name>.node is next to it. */
  library: z.string(),
  addon: z.string(),
  /** The same library at the content-addressed place it is loaded from. */
  loadPath: z.string(),
  /** Identifies what was built: equal keys mean equal libraries. */
  key: z.string(),
  /**
   * Made with the compile server up: the same sources and the same -O2, but the server's code calls some rarely used
   * functions of libtorch that a plain build may inline, and the link did not check symbols. It is for quick edits; the
   * plain build that follows is timed and exported.
   */
  hot: z.boolean(),
  diagnostics: z.array(diagnostic),
  steps: z.array(buildStep),
  /** When it was asked for. */
  timeTrace: timeTrace.optional(),
  compiler: z.string(),
  libtorch: z.string(),
  /** The library that gives libtorch the virtual GPU, where the project uses it; absolute. */
  virtualDevice: z.string().optional(),
  /** What its kernels report. Such a build is not timed, exported or put into the project's folder. */
  kernelVariant: builtVariant.exclude(['plain']).optional(),
})
export type BuildReport = z.infer<typeof buildReport>
