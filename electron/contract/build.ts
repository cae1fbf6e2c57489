import { z } from 'zod'

import { diagnostic } from './diagnostics'
import { timeTrace } from './time-trace'

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
   * Made by the compile server: the same sources and the same -O2, but some seldom-run functions of libtorch are
   * called where a plain build may inline them. It is for the loop of editing and trying; what is timed and
   * exported is the plain build that follows.
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
