import type { OpcheckOutcome } from '../../contract/opcheck'
import { ok } from '../../contract/outcome'
import { isSingleCase } from '../../engine/check/opcheck-case'
import type { Handlers } from './handle'
import { projectCall, projectJob } from './project-job'

type OpcheckCalls = 'opcheck.run' | 'opcheck.runAll' | 'opcheck.entries' | 'opcheck.keep'

export const opcheckCalls: Handlers<OpcheckCalls> = {
  // 0 is the engine's own limit: an operator's checks take longer than one call of it.
  'opcheck.run': projectJob(({ workbench, signal }, { folder, entry, sanitize, timeout }) =>
    workbench.opchecks.run(folder, entry, { timeout, signal }, { sanitize }),
  ),
  'opcheck.runAll': projectJob(
    async ({ session, project, workbench, signal }, { folder, job, casesOnly, sanitize }) => {
      const limits = { timeout: 0, signal }
      const all = await workbench.opchecks.entries(folder, limits)
      if (!all.ok) return all
      const chosen = [...all.value.entries()].filter(
        ([, entry]) => !casesOnly || isSingleCase(entry),
      )
      // Their places among all, which the window knows them by.
      const placed = (outcome: OpcheckOutcome): OpcheckOutcome => ({
        ...outcome,
        entry: chosen[outcome.entry]?.[0] ?? outcome.entry,
      })
      const outcomes = await workbench.opchecks.runAll(folder, limits, {
        entries: chosen.map(([, entry]) => entry),
        sanitize,
        onProgress: (done, total, outcome) => {
          project.noteFiles(outcome)
          session.send('opcheck.progressed', {
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
  'opcheck.entries': projectCall(({ workbench }, { folder }) =>
    workbench.opchecks.entries(folder, { timeout: 0 }),
  ),
  'opcheck.keep': projectCall(({ workbench }, { folder, entry, failure }) =>
    workbench.opchecks.keep(folder, entry, failure),
  ),
}
