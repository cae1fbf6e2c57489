import { z } from 'zod'

import { pytestProgress, pytestReport, pytestRequest } from './pytest'

/** What the window asks of the project's own pytest. */
export const pytestCalls = {
  /** On the library that was built last; progress also comes as pytest.progressed. */
  'pytest.run': {
    input: z.object({ folder: z.string(), job: z.string(), request: pytestRequest }),
    output: pytestReport,
  },
} as const

export const pytestEvents = {
  /** Of pytest.run: how far it is, and which tests were found or finished since the last of these. */
  'pytest.progressed': z.object({ job: z.string(), progress: pytestProgress }),
} as const
