import type { Handlers } from './handle'
import { projectCall, projectJob } from './project-job'

type GradcheckCalls =
  | 'gradcheck.run'
  | 'gradcheck.runAll'
  | 'gradcheck.sweep'
  | 'gradcheck.search'
  | 'gradcheck.keep'
  | 'gradcheck.history'

/** Milliseconds. A search makes thousands of steps; the window wants to see it move, not each of them. */
const progressInterval = 50

export const gradcheckCalls: Handlers<GradcheckCalls> = {
  'gradcheck.run': projectJob(({ workbench, signal, timeout }, { folder, request }) =>
    workbench.gradchecks.run(folder, request, { timeout, signal }),
  ),
  'gradcheck.runAll': projectJob(
    ({ session, project, workbench, signal, timeout }, { folder, job, isBackground }) =>
      workbench.gradchecks.runAll(
        folder,
        { timeout, signal, isBackground },
        {
          onOutcome: (outcome, done, total) => {
            project.noteFiles(outcome)
            session.send('gradcheck.progressed', { job, done, total, outcome })
          },
        },
      ),
  ),
  'gradcheck.sweep': projectJob(
    ({ session, workbench, signal, timeout }, { folder, job, request, eps, dtypes }) =>
      workbench.gradchecks.sweep(
        folder,
        request,
        { timeout, signal },
        {
          eps,
          dtypes,
          onPoint: (point, done, total) => {
            session.send('gradcheck.progressed', { job, done, total, point })
          },
        },
      ),
  ),
  'gradcheck.search': projectJob(
    ({ session, workbench, signal, timeout }, { folder, job, request, points, firstSeed }) => {
      let sent = 0
      const onPoint = (done: number, total: number): void => {
        const now = performance.now()
        if (done < total && now - sent < progressInterval) return
        sent = now
        session.send('gradcheck.progressed', { job, done, total })
      }
      const limits = { timeout, signal }
      return workbench.gradchecks.search(folder, request, limits, { points, firstSeed, onPoint })
    },
  ),
  'gradcheck.keep': projectCall(({ workbench }, { folder, request, name, expect }) =>
    workbench.gradchecks.keep(folder, request, { name, expect }),
  ),
  'gradcheck.history': projectCall(({ workbench }, { folder, request }) =>
    workbench.gradchecks.history(folder, request),
  ),
}
