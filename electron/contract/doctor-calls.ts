import { z } from 'zod'

import { doctorReport, explainedFailure, largestLog } from './doctor'
import { gpuReport } from './gpu-check'

export const doctorCalls = {
  /** The known failures in the output of pip, setup.py, load() or Python; empty if there is none. */
  'doctor.explainLog': {
    input: z.object({ text: z.string().max(largestLog) }),
    output: z.array(explainedFailure),
  },
  /** Ten checks of the GPU, none of a project; each also comes as gpu.progressed. */
  'doctor.gpu': { input: z.object({ job: z.string() }), output: gpuReport },
  'doctor.report': { input: z.object({ folder: z.string() }), output: doctorReport },
} as const
