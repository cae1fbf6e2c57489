import type { GpuCheck, GpuCheckName, GpuReport } from '../../../electron/contract/gpu-check'
import { call } from '../../bridge/bridge'
import { createJob, type Job } from '../../store/job'

/** What is done so far, and what is under way. */
export type GpuProgress = { checks: readonly GpuCheck[]; running: GpuCheckName | null }

/** Ten checks of the GPU of this machine; they need no project. */
export const gpuJob: Job<void, GpuReport, GpuProgress> = createJob({
  kind: 'gpu',
  latest: 'refused',
  anyProject: true,
  keepsValue: true,
  run: (_, { job }) => call('doctor.gpu', { job }),
  progress: {
    event: 'gpu.progressed',
    read: ({ running, check }, before) => {
      const checks = before?.checks ?? []
      return check
        ? { checks: [...checks, check], running: null }
        : { checks, running: running ?? null }
    },
  },
})
