import type { BenchReport, BenchRequest } from '../../contract/bench-report'
import type { Result } from '../../contract/outcome'
import type { Handlers } from './handle'
import { projectCall, projectJob } from './project-job'
import type { ProjectJob } from './project-job'

type BenchCalls =
  | 'bench.run'
  | 'bench.runAll'
  | 'bench.history'
  | 'bench.builds'
  | 'bench.nameBuild'
  | 'bench.ceilings'
  | 'bench.kernels'
  | 'bench.keep'

async function timed(
  { session, project, workbench, signal }: ProjectJob,
  { folder, job }: { folder: string; job: string },
  requests: readonly BenchRequest[] | undefined,
): Promise<Result<BenchReport>> {
  let rows = { done: 0, total: 0 }
  const onWait = (waiting: string): void => {
    session.send('bench.progressed', { job, ...rows, ...(waiting !== '' && { waiting }) })
  }
  const limits = { signal, onWait }
  return await workbench.benchmarks.run(folder, requests, limits, (done, total, row) => {
    rows = { done, total }
    project.noteFiles(row)
    session.send('bench.progressed', { job, ...rows, ...(row && { row }) })
  })
}

export const benchCalls: Handlers<BenchCalls> = {
  'bench.run': projectJob((job, input) => timed(job, input, [input.request])),
  'bench.runAll': projectJob((job, input) => timed(job, input, undefined)),
  'bench.history': projectCall(({ workbench }, { folder, request, row }) =>
    workbench.benchmarks.history(folder, request, row),
  ),
  'bench.builds': projectCall(({ workbench }, { folder }) => workbench.benchmarks.builds(folder)),
  'bench.nameBuild': projectCall(({ workbench }, { folder, key, name }) =>
    workbench.benchmarks.nameBuild(folder, key, name),
  ),
  'bench.ceilings': projectCall(({ workbench }, { threads }) =>
    workbench.benchmarks.measureCeilings(threads, {}),
  ),
  'bench.kernels': projectJob(({ workbench, signal }, { folder, request }) =>
    workbench.benchmarks.kernels(folder, request, { signal }),
  ),
  'bench.keep': projectCall(({ workbench }, { folder, entry }) =>
    workbench.benchmarks.keep(folder, entry),
  ),
}
