import { readSettings } from '../../engine/project/settings-file'
import type { AppSession } from '../app-session'
import type { Handlers } from './handle'
import { inOpen } from './project-calls'

type GradcheckCalls =
  | 'gradcheck.run'
  | 'gradcheck.runAll'
  | 'gradcheck.sweep'
  | 'gradcheck.search'
  | 'gradcheck.keep'
  | 'gradcheck.history'

async function limitsFor(
  session: AppSession,
  timeout: number,
  signal: AbortSignal,
): Promise<{ timeout: number; signal: AbortSignal }> {
  const settings = await readSettings(session.installation.cacheFolder)
  return { timeout: timeout === 0 ? settings.callTimeout : timeout, signal }
}

/** A stack of a crash names files, which the window may then open. */
function noting<T>(session: AppSession, result: T): T {
  session.noteFiles(result)
  return result
}

/** A search makes thousands of steps; the window wants to see it move, not each of them. */
const progressInterval = 50

export const gradcheckCalls: Handlers<GradcheckCalls> = {
  'gradcheck.run': (session, { folder, job, request, timeout }) =>
    inOpen(session, folder, () =>
      session.job(job, async (signal) => {
        const limits = await limitsFor(session, timeout, signal)
        return noting(session, await session.workbench.gradchecks.run(folder, request, limits))
      }),
    ),
  'gradcheck.runAll': (session, { folder, job }) =>
    inOpen(session, folder, () =>
      session.job(job, async (signal) => {
        const limits = await limitsFor(session, 0, signal)
        const outcomes = await session.workbench.gradchecks.runAll(folder, limits, {
          onOutcome: (outcome, done, total) => {
            session.send('gradcheck.progressed', {
              job,
              done,
              total,
              outcome: noting(session, outcome),
            })
          },
        })
        return noting(session, outcomes)
      }),
    ),
  'gradcheck.sweep': (session, { folder, job, request, timeout, eps, dtypes }) =>
    inOpen(session, folder, () =>
      session.job(job, async (signal) => {
        const limits = await limitsFor(session, timeout, signal)
        const report = await session.workbench.gradchecks.sweep(folder, request, limits, {
          eps,
          dtypes,
          onPoint: (point, done, total) => {
            session.send('gradcheck.progressed', { job, done, total, point })
          },
        })
        return noting(session, report)
      }),
    ),
  'gradcheck.search': (session, { folder, job, request, timeout, points, firstSeed }) =>
    inOpen(session, folder, () =>
      session.job(job, async (signal) => {
        const limits = await limitsFor(session, timeout, signal)
        let told = 0
        const report = await session.workbench.gradchecks.search(folder, request, limits, {
          points,
          firstSeed,
          onPoint: (done, total) => {
            const now = performance.now()
            if (done < total && now - told < progressInterval) return
            told = now
            session.send('gradcheck.progressed', { job, done, total })
          },
        })
        return noting(session, report)
      }),
    ),
  'gradcheck.keep': (session, { folder, request, name, expect }) =>
    inOpen(session, folder, () =>
      session.workbench.gradchecks.keep(folder, request, { name, expect }),
    ),
  'gradcheck.history': (session, { folder, request }) =>
    inOpen(session, folder, () => session.workbench.gradchecks.history(folder, request)),
}
