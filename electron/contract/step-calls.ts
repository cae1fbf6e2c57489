import { z } from 'zod'

import { sourcePlace } from './gpu-findings'
import { index3, stepMode, stepView } from './gpu-stepping'
import { runRequest } from './run'

/** What the window asks to step a kernel. */
export const stepCalls = {
  /** Builds for stepping, and makes a call. It ends with the call; `step.stopped` says where its threads are. */
  'step.run': {
    input: z.object({
      folder: z.string(),
      job: z.string(),
      call: runRequest.pick({ op: true, args: true, inputs: true }),
      /** `file` is absolute. */
      place: sourcePlace,
      block: index3,
    }),
    output: z.object({
      /** False: no thread of the block came to the line. */
      hasStopped: z.boolean(),
      /** The first line with code from the wanted one on. */
      place: sourcePlace,
    }),
  },
  /** Lets the stopped block go on; with `place`, until threads come there. */
  'step.go': {
    input: z.object({ folder: z.string(), mode: stepMode, place: sourcePlace.optional() }),
    output: z.object({}),
  },
  /** The stopped block with the variables of another warp. */
  'step.view': {
    input: z.object({ folder: z.string(), warp: z.int().nonnegative() }),
    output: stepView,
  },
} as const

export const stepEvents = {
  'step.stopped': z.object({ folder: z.string(), job: z.string(), view: stepView }),
} as const
