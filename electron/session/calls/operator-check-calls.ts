import type { OperatorCheckOutcome } from '../../contract/operator-check'
import { ok } from '../../contract/outcome'
import { isSingleCase } from '../../engine/check/operator-check-case'
import type { Handlers } from './handle'
import { projectCall, projectJob } from './project-job'

type OperatorCheckCalls =
  | 'operatorCheck.run'
  | 'operatorCheck.runAll'
  | 'operatorCheck.entries'
  | 'operatorCheck.keep'

export const operatorCheckCalls: Handlers<OperatorCheckCalls> = {
  // 0 is the engine's own limit: an operator's checks take longer than one call of it.
  'operatorCheck.run': projectJob(
    ({ workbench, signal }, { folder, entry, sanitize, thorough, timeout, isBackground }) =>
      workbench.operatorChecks.run(
        folder,
        entry,
        { timeout, signal, isBackground },
        { sanitize, thorough },
      ),
  ),
  'operatorCheck.runAll': projectJob(
    async (
      { session, project, workbench, signal },
      { folder, job, casesOnly, sanitize, thorough, isBackground },
    ) => {
      const limits = { timeout: 0, signal, isBackground }
      const all = await workbench.operatorChecks.entries(folder, limits)
      if (!all.ok) return all
      const chosen = [...all.value.entries()].filter(
        ([, entry]) => !casesOnly || isSingleCase(entry),
      )
      // Their places among all, which the window knows them by.
      const placed = (outcome: OperatorCheckOutcome): OperatorCheckOutcome => ({
        ...outcome,
        entry: chosen[outcome.entry]?.[0] ?? outcome.entry,
      })
      const outcomes = await workbench.operatorChecks.runAll(folder, limits, {
        entries: chosen.map(([, entry]) => entry),
        sanitize,
        thorough,
        onProgress: (done, total, outcome) => {
          project.noteFiles(outcome)
          session.send('operatorCheck.progressed', {
            job,
            done,
            total,
            ...(outcome && { outcome: placed(outcome) }),
          })
        },
      })
      return outcomes.ok ? ok(outcomes.value.map(placed)) : outcomes
    },
  ),
  'operatorCheck.entries': projectCall(({ workbench }, { folder }) =>
    workbench.operatorChecks.entries(folder, { timeout: 0 }),
  ),
  'operatorCheck.keep': projectCall(({ workbench }, { folder, entry, failure }) =>
    workbench.operatorChecks.keep(folder, entry, failure),
  ),
}
