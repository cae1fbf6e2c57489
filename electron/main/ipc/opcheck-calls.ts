import type { Handlers } from './handle'
import { inOpen } from './project-calls'

type OpcheckCalls = 'opcheck.run' | 'opcheck.runAll'

export const opcheckCalls: Handlers<OpcheckCalls> = {
  'opcheck.run': (session, { folder, job, request, timeout }) =>
    inOpen(session, folder, () =>
      session.job(job, async (signal) => {
        const report = await session.workbench.opchecks.run(folder, request, { timeout, signal })
        // A finding or the stack of a crash names files, which the window may then open.
        session.noteFiles(report)
        return report
      }),
    ),
  'opcheck.runAll': (session, { folder, job }) =>
    inOpen(session, folder, () =>
      session.job(job, async (signal) => {
        const limits = { timeout: 0, signal }
        const outcomes = await session.workbench.opchecks.runAll(folder, limits, {
          onProgress: (done, total, outcome) => {
            session.noteFiles(outcome)
            session.send('opcheck.progressed', { job, done, total, ...(outcome && { outcome }) })
          },
        })
        session.noteFiles(outcomes)
        return outcomes
      }),
    ),
}
