import type { TimingReport, TimingRequest } from '../../contract/timing-report'
import type { Result } from '../../contract/outcome'
import type { Handlers } from './handle'
import { projectCall, projectJob } from './project-job'
import type { ProjectJob } from './project-job'

type TimingCalls =
  | 'timing.run'
  | 'timing.runAll'
  | 'timing.history'
  | 'timing.builds'
  | 'timing.nameBuild'
  | 'timing.ceilings'
  | 'timing.kernels'
  | 'timing.keep'

async function timed(
  { session, project, workbench, signal }: ProjectJob,
  { folder, job }: { folder: string; job: string },
  requests: readonly TimingRequest[] | undefined,
): Promise<Result<TimingReport>> {
  let rows = { done: 0, total: 0 }
  const onWait = (waiting: string): void => {
    session.send('timing.progressed', { job, ...rows, ...(waiting !== '' && { waiting }) })
  }
  const limits = { signal, onWait }
  return await workbench.timings.run(folder, requests, limits, (done, total, row) => {
    rows = { done, total }
    project.noteFiles(row)
    session.send('timing.progressed', { job, ...rows, ...(row && { row }) })
  })
}

export const timingCalls: Handlers<TimingCalls> = {
  'timing.run': projectJob((job, input) => timed(job, input, [input.request])),
  'timing.runAll': projectJob((job, input) => timed(job, input, undefined)),
  'timing.history': projectCall(({ workbench }, { folder, request, row }) =>
    workbench.timings.history(folder, request, row),
  ),
  'timing.builds': projectCall(({ workbench }, { folder }) => workbench.timings.builds(folder)),
  'timing.nameBuild': projectCall(({ workbench }, { folder, key, name }) =>
    workbench.timings.nameBuild(folder, key, name),
  ),
  'timing.ceilings': projectCall(({ workbench }, { threads }) =>
    workbench.timings.measureCeilings(threads, {}),
  ),
  'timing.kernels': projectJob(({ workbench, signal }, { folder, request }) =>
    workbench.timings.kernels(folder, request, { signal }),
  ),
  'timing.keep': projectCall(({ workbench }, { folder, entry }) =>
    workbench.timings.keep(folder, entry),
  ),
}
