import { z } from 'zod'

import { buildReport } from './build'
import { diagnostic } from './diagnostics'
import { operatorCheckRequest } from './operator-check'

/** A call that operator checks would make, under sanitizers. */
export const sanitizedRequest = operatorCheckRequest.extend({
  /** Absolute path of the folder of logs: what a call writes to stderr goes to the file LOGS/PROCESS. */
  logs: z.string(),
})

/** One call of an operator in a separate process with a sanitizer. */
const sanitizedCall = z.object({
  /** What is different from the inputs asked for: "x transposed", "x float32[3, 1]"; "" when nothing. */
  given: z.string(),
  /** refused: the operator threw; stopped: the process ended before the call did. */
  end: z.enum(['ran', 'refused', 'stopped', 'timed out']),
  /** Number of the process, which is the name of its log. */
  process: z.int(),
  /** Where the inputs lay. */
  inputs: z.array(
    z.object({
      name: z.string(),
      /** Address of the first byte of its storage. */
      begin: z.number(),
      bytes: z.number(),
    }),
  ),
})
export type SanitizedCall = z.infer<typeof sanitizedCall>

/** What the sanitizers wrote about these calls is in their logs. */
export const sanitizedReport = z.object({
  op: z.string(),
  seconds: z.number(),
  calls: z.array(sanitizedCall),
})
export type SanitizedReport = z.infer<typeof sanitizedReport>

/** A project's calls in a build that ASan and UBSan watch. */
export const sanitizedRun = z.object({
  build: buildReport,
  /** One for each call of opsmith.json, as far as the build was good. */
  calls: z.array(
    z.object({
      op: z.string(),
      /** How many faults the sanitizers reported in it. */
      findings: z.int(),
      /** Why it gave no answer; "" when it did. */
      message: z.string(),
    }),
  ),
  /** The compiler's, and the sanitizers' reports, one for each fault, where it is. */
  diagnostics: z.array(diagnostic),
})
export type SanitizedRun = z.infer<typeof sanitizedRun>
