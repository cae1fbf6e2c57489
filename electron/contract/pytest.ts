import { z } from 'zod'

import { recordedCall } from './recorded-calls'

/**
 * How a test of the project's own pytest came out, in pytest's words; `crashed`: the process ended in it; `none`:
 * it was found, and not run.
 */
export const pytestOutcome = z.enum([
  'none',
  'passed',
  'failed',
  'error',
  'skipped',
  'xfailed',
  'xpassed',
  'crashed',
])
export type PytestOutcome = z.infer<typeof pytestOutcome>

/** Whether the outcome makes the run a failed one. */
export function isBadOutcome(outcome: PytestOutcome): boolean {
  return outcome === 'failed' || outcome === 'error' || outcome === 'crashed'
}

/** A line of the project that a failure went through. */
export const pytestPlace = z.object({
  /** Absolute. */
  file: z.string(),
  /** 1-based. */
  line: z.int(),
  /** The function. */
  name: z.string(),
})
export type PytestPlace = z.infer<typeof pytestPlace>

export const pytestTest = z.object({
  /** pytest's node id, its file relative to the project: "tests/test_add.py::TestAdd::test_one[2]". */
  id: z.string(),
  /** Absolute. */
  file: z.string(),
  /** 1-based; 0 where it is unknown. */
  line: z.int(),
  outcome: pytestOutcome,
  /** Of set-up, test and teardown together. */
  seconds: z.number(),
  /** Why it failed or was skipped, in short; "" where it passed. */
  message: z.string(),
  /** pytest's own account of the failure; "" where there is none. */
  text: z.string(),
  /** What the test printed and logged. */
  output: z.string(),
  /** From the test to the line that raised, in files of the project. */
  places: z.array(pytestPlace),
})
export type PytestTest = z.infer<typeof pytestTest>

export const pytestRequest = z.object({
  /** Node ids, files and folders, relative to the project or absolute; [] for all that pytest finds. */
  ids: z.array(z.string().min(1)),
  /** Finds the tests, and runs none. */
  onlyList: z.boolean(),
  /** Calls that the tests make of the project's operators are reported; each call then takes longer. */
  recordsCalls: z.boolean(),
})
export type PytestRequest = z.infer<typeof pytestRequest>

/** A run of pytest that came to its end, good or bad. */
export const pytestReport = z.object({
  /** Nothing failed, and nothing ended the run early. */
  ok: z.boolean(),
  python: z.string(),
  /** Versions. */
  pytest: z.string(),
  torch: z.string(),
  /** The library that was tested. */
  library: z.string(),
  /** Python modules and files that the tests loaded and that the library replaced. */
  replaced: z.array(z.string()),
  /** In the order in which pytest runs them. */
  tests: z.array(pytestTest),
  /** Each kind of call once, at most 20 of an operator; null where calls were not recorded. */
  calls: z.array(recordedCall).nullable(),
  seconds: z.number(),
  /** Why the run ended before its last test; "" where it did not. */
  ended: z.string(),
  /** The last part of what pytest itself printed. */
  log: z.string(),
})
export type PytestReport = z.infer<typeof pytestReport>

/** How far a run is. */
export const pytestProgress = z.object({
  done: z.int(),
  /** 0 until the tests are found. */
  total: z.int(),
  /** The id of the test that runs; "" between two. */
  running: z.string(),
  /** Found or finished since the last report. */
  tests: z.array(pytestTest),
})
export type PytestProgress = z.infer<typeof pytestProgress>
