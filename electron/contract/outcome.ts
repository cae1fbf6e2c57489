import { z } from 'zod'

import { errorCodes, type ErrorCode } from './error-codes'

/**
 * Why a question could not be answered. Outcomes such as a failed compile or a
 * comparison that does not match are values, never one of these.
 */
export const errorCode = z.enum(Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]])
export type { ErrorCode }

/** One frame of a native stack; `file` and `line` where debug information has them. */
export const stackFrame = z.object({
  address: z.string(),
  symbol: z.string(),
  module: z.string(),
  file: z.string().optional(),
  line: z.int().optional(),
  /** The frame is in a source of the project. */
  isUser: z.boolean(),
})
export type StackFrame = z.infer<typeof stackFrame>

/** How one generation of the op host ended. */
export const hostExit = z.object({
  generation: z.int(),
  reason: z.enum([
    'stopped', // we asked it to
    'segfault',
    'stack-overflow',
    'arithmetic', // SIGFPE: integer division by zero or overflow
    'illegal-instruction',
    'abort', // abort(), assert(), heap corruption found by the allocator
    'heap-corruption',
    'terminate', // std::terminate: an uncaught exception
    'exit', // the operator called exit()
    'out-of-memory',
    'timeout',
    'output', // printed more than the limit
    'processes', // it started more processes than the limit
    'temporary-files', // it wrote more than the limit to $TMPDIR
    'descriptors', // code closed, or wrote to, descriptors that the op host needs
    'device', // a kernel left the GPU, or another device, unusable for the process
    'killed', // a signal from outside
    'unknown',
  ]),
  /** One sentence for the user: what happened, and in which phase. */
  message: z.string(),
  /** What the host was doing: "call my_op::f", "loading libmy_op.so"; empty when idle. */
  phase: z.string(),
  signal: z.string().optional(),
  exitCode: z.int().optional(),
  /** The call worked on a graph so deep that libtorch's passes may need more stack than there is. */
  graphIsDeep: z.boolean().optional(),
  stack: z.array(stackFrame),
  /** The last lines the host printed, newest last. */
  lastOutput: z.string(),
})
export type HostExit = z.infer<typeof hostExit>

export const workbenchError = z.object({
  code: errorCode,
  /** What is wrong, in plain words. */
  message: z.string(),
  /** What to do about it. */
  hint: z.string().optional(),
  /** The raw text behind it, for "show details". */
  detail: z.string().optional(),
  /** The offending field, `inputs.x.shape[1]`. */
  path: z.string().optional(),
  file: z.string().optional(),
  line: z.int().optional(),
  column: z.int().optional(),
  exit: hostExit.optional(),
})
export type WorkbenchError = z.infer<typeof workbenchError>

export type Result<T> = { ok: true; value: T } | { ok: false; error: WorkbenchError }

export function ok<T>(value: T): Result<T> {
  return { ok: true, value }
}

export function err(
  code: ErrorCode,
  message: string,
  more: Omit<WorkbenchError, 'code' | 'message'> = {},
): { ok: false; error: WorkbenchError } {
  return { ok: false, error: { code, message, ...more } }
}

/** Carries a WorkbenchError through code that throws; `handle()` turns it back into a Result. */
export class WorkbenchFailure extends Error {
  constructor(readonly error: WorkbenchError) {
    super(error.message)
    this.name = 'WorkbenchFailure'
  }
}

export function fail(
  code: ErrorCode,
  message: string,
  more: Omit<WorkbenchError, 'code' | 'message'> = {},
): never {
  throw new WorkbenchFailure({ code, message, ...more })
}

/** The value of a good result; a bad one is thrown as a WorkbenchFailure. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new WorkbenchFailure(result.error)
}
