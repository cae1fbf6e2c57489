import type { BenchReport, BenchRequest } from '../../contract/bench-report'
import type { Result } from '../../contract/outcome'
import type { AppSession } from '../app-session'
import type { Handlers } from './handle'
import { inOpen } from './project-calls'

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
  session: AppSession,
  folder: string,
  job: string,
  requests: readonly BenchRequest[] | undefined,
): Promise<Result<BenchReport>> {
  return await session.job(job, async (signal) => {
    const { benchmarks } = session.workbench
    let rows = { done: 0, total: 0 }
    const onWait = (waiting: string): void => {
      session.send('bench.progressed', { job, ...rows, ...(waiting !== '' && { waiting }) })
    }
    const limits = { signal, onWait }
    const report = await benchmarks.run(folder, requests, limits, (done, total, row) => {
      rows = { done, total }
      session.noteFiles(row)
      session.send('bench.progressed', { job, ...rows, ...(row && { row }) })
    })
    // The stack of a crash names files, which the window may then open.
    session.noteFiles(report)
    return report
  })
}

export const benchCalls: Handlers<BenchCalls> = {
  'bench.run': (session, { folder, job, request }) =>
    inOpen(session, folder, () => timed(session, folder, job, [request])),
  'bench.runAll': (session, { folder, job }) =>
    inOpen(session, folder, () => timed(session, folder, job, undefined)),
  'bench.history': (session, { folder, request, row }) =>
    inOpen(session, folder, () => session.workbench.benchmarks.history(folder, request, row)),
  'bench.builds': (session, { folder }) =>
    inOpen(session, folder, () => session.workbench.benchmarks.builds(folder)),
  'bench.nameBuild': (session, { folder, key, name }) =>
    inOpen(session, folder, () => session.workbench.benchmarks.nameBuild(folder, key, name)),
  'bench.ceilings': (session, { folder, threads }) =>
    inOpen(session, folder, () => session.workbench.benchmarks.measureCeilings(threads, {})),
  'bench.kernels': (session, { folder, job, request }) =>
    inOpen(session, folder, () =>
      session.job(job, async (signal) => {
        const list = await session.workbench.benchmarks.kernels(folder, request, { signal })
        session.noteFiles(list)
        return list
      }),
    ),
  'bench.keep': (session, { folder, entry }) =>
    inOpen(session, folder, () => session.workbench.benchmarks.keep(folder, entry)),
}
