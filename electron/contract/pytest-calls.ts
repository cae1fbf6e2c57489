import { z } from 'zod'

import { pytestProgress, pytestReport, pytestRequest } from './pytest'
import { keepCallsRequest, keptCalls } from './recorded-calls'

/** What the window asks of the project's own pytest. */
export const pytestCalls = {
  /** On the library that was built last; progress also comes as pytest.progressed. */
  'pytest.run': {
    input: z.object({ folder: z.string(), job: z.string(), request: pytestRequest }),
    output: pytestReport,
  },
  /** Adds recorded calls to lists of opsmith.json, with their inputs; what is there stays. */
  'pytest.keepCalls': {
    input: z.object({ folder: z.string(), request: keepCallsRequest }),
    output: keptCalls,
  },
} as const

export const pytestEvents = {
  /** Of pytest.run: how far it is, and which tests were found or finished since the last of these. */
  'pytest.progressed': z.object({ job: z.string(), progress: pytestProgress }),
} as const
