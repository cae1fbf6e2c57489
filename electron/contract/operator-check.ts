import { z } from 'zod'

import { gpuFinding } from './gpu-findings'
import { argument, inputSpec } from './manifest'
import { operatorCheckName, sanitizerCheck } from './operator-check-names'
import type { OperatorCheckName, SanitizerCheck } from './operator-check-names'
import { stackFrame, workbenchError } from './outcome'
import { programSource } from './run'
import { dtype } from './tensor'

export { operatorCheckName, sanitizerCheck }
export type { OperatorCheckName, SanitizerCheck }

export const operatorCheckRequest = z.object({
  /** An operator, or a function of the program. */
  op: z.string().min(1),
  args: z.array(argument),
  inputs: z.record(z.string(), inputSpec),
  /** Arguments and inputs are made from the schema, instead of those above. */
  fromSchema: z.boolean().default(false),
  /**
   * One number in all its places, in other calls than the given one. Without any, equal sizes of the inputs stay equal.
   */
  sizes: z
    .array(
      z.object({
        name: z.string(),
        min: z.int(),
        max: z.int(),
        given: z.int(),
        places: z.array(z.object({ input: z.string(), dim: z.int() })),
      }),
    )
    .default([]),
  /** Numbers that arguments name. */
  numbers: z
    .array(
      z.object({
        name: z.string(),
        integer: z.boolean(),
        min: z.number(),
        max: z.number(),
        given: z.number(),
      }),
    )
    .default([]),
  /** Of every floating or complex input, one after the other; empty: its own. */
  dtypes: z.array(dtype).default([]),
  /** Numbers that the operator's sources compare with: gradients are checked near them. */
  edges: z.array(z.number()).default([]),
  program: programSource.optional(),
  /** Empty: all but those that must be asked for. */
  checks: z.array(operatorCheckName).default([]),
  /** How many other calls are tried. */
  shapes: z.int().min(0).max(1000).default(6),
  seed: z.int().nonnegative().default(0),
})
export type OperatorCheckRequest = z.infer<typeof operatorCheckRequest>

/** A call with everything written out. */
export const operatorCheckCase = z.object({
  args: z.array(argument),
  /** Those that the arguments name. */
  inputs: z.record(z.string(), inputSpec),
})
export type OperatorCheckCase = z.infer<typeof operatorCheckCase>

export const operatorCheckFinding = z.object({
  check: operatorCheckName,
  status: z.enum(['passed', 'failed', 'skipped']),
  /** What was found; why it was skipped; what was looked at, when it passed. */
  reason: z.string(),
  /** What to do about a failure. */
  advice: z.string(),
  /** The tensor it is about, "" when none. */
  input: z.string(),
  output: z.int().optional(),
  /** Of an element of that tensor. */
  index: z.array(z.int()),
  /** The smallest shapes and simplest values that show it: "x float64[1, 2] of zeros"; "" when the given ones are. */
  shownBy: z.string(),
  /** The same as a call to make again; only of what failed. */
  shownCase: operatorCheckCase.optional(),
  /** How a copy of the op host ended in which a call was made: a record of native/runtime/process/crash_report.h. */
  ended: z.object({ report: z.string() }).optional(),
  /** What checked kernels did wrong in calls of this check, whatever its status is. */
  kernelReports: z
    .array(
      z.object({
        /** A `writtenGpuReport` a line. */
        report: z.string(),
        shownBy: z.string(),
        /** Absent where the call ended its op host. */
        shownCase: operatorCheckCase.optional(),
      }),
    )
    .optional(),
})
export type OperatorCheckFinding = z.infer<typeof operatorCheckFinding>

export const operatorCheckReport = z.object({
  op: z.string(),
  /** No check failed. */
  ok: z.boolean(),
  seconds: z.number(),
  findings: z.array(operatorCheckFinding),
  /** The call that was made from the schema, where none was given. */
  generated: operatorCheckCase.optional(),
})
export type OperatorCheckReport = z.infer<typeof operatorCheckReport>

/** What a sanitizer reports, as far as a program can tell. */
const sanitizerEvidence = z.object({
  /** The sanitizer's word: "heap-buffer-overflow", "signed-integer-overflow". */
  kind: z.string(),
  access: z.enum(['read', 'write']).optional(),
  /** Of the access. */
  bytes: z.int().optional(),
  /** Where it happened, innermost first. */
  stack: z.array(stackFrame),
  /** Where the memory was allocated, and freed; [] when that is not known. */
  allocated: z.array(stackFrame),
  freed: z.array(stackFrame),
})
export type SanitizerEvidence = z.infer<typeof sanitizerEvidence>

/** With the line to look at, of what failed: where the kernel that it is about is defined or registered. */
export const placedFinding = operatorCheckFinding
  .omit({ ended: true, kernelReports: true })
  .extend({
    /** Absolute; absent of what did not fail, and where no source is known, as of libtorch's own kernels. */
    file: z.string().optional(),
    line: z.int().optional(),
    sanitizer: sanitizerEvidence.optional(),
    /** Where the call ended its process, innermost first. */
    stack: z.array(stackFrame).optional(),
    /** What checked kernels did wrong, as far as no earlier check of the operator says it. */
    kernels: z.array(gpuFinding).optional(),
  })
export type PlacedFinding = z.infer<typeof placedFinding>

/** In the order of operatorCheckName. */
export const placedOperatorCheckReport = operatorCheckReport.extend({
  findings: z.array(placedFinding),
})
export type PlacedOperatorCheckReport = z.infer<typeof placedOperatorCheckReport>

/** How the operator checks of one operator went. */
export const operatorCheckOutcome = z.object({
  /** Its position among those that were checked. */
  entry: z.int(),
  /** The call: "my_op::f(x, y)". */
  name: z.string(),
  op: z.string(),
  expect: z.enum(['passed', 'failed']),
  /**
   * failed: at least one check did; error: it came to no verdict, `error` says why; skipped: it has no arguments in
   * opsmith.json and refuses those made from its schema (`error` lists them), or all of its checks were skipped, each
   * with a reason.
   */
  verdict: z.enum(['passed', 'failed', 'error', 'skipped']),
  /** The verdict is the expected one, or skipped; an error never is. */
  asExpected: z.boolean(),
  report: placedOperatorCheckReport.optional(),
  error: workbenchError.optional(),
})
export type OperatorCheckOutcome = z.infer<typeof operatorCheckOutcome>
