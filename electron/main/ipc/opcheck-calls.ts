import type { OpcheckOutcome } from '../../contract/opcheck'
import { ok } from '../../contract/outcome'
import { isSingleCase } from '../../engine/check/opcheck-case'
import type { Handlers } from './handle'
import { inOpen } from './project-calls'

type OpcheckCalls = 'opcheck.run' | 'opcheck.runAll' | 'opcheck.entries' | 'opcheck.keep'

export const opcheckCalls: Handlers<OpcheckCalls> = {
  'opcheck.run': (session, { folder, job, entry, sanitize, timeout }) =>
    inOpen(session, folder, () =>
      session.job(job, async (signal) => {
        const limits = { timeout, signal }
        const report = await session.workbench.opchecks.run(folder, entry, limits, { sanitize })
        // A finding or the stack of a crash names files, which the window may then open.
        session.noteFiles(report)
        return report
      }),
    ),
  'opcheck.runAll': (session, { folder, job, casesOnly, sanitize }) =>
    inOpen(session, folder, () =>
      session.job(job, async (signal) => {
        const limits = { timeout: 0, signal }
        const all = await session.workbench.opchecks.entries(folder, limits)
        if (!all.ok) return all
        const chosen = [...all.value.entries()].filter(
          ([, entry]) => !casesOnly || isSingleCase(entry),
        )
        // Their places among all, which the window knows them by.
        const placed = (outcome: OpcheckOutcome): OpcheckOutcome => ({
          ...outcome,
          entry: chosen[outcome.entry]?.[0] ?? outcome.entry,
        })
        const outcomes = await session.workbench.opchecks.runAll(folder, limits, {
          entries: chosen.map(([, entry]) => entry),
          sanitize,
          onProgress: (done, total, outcome) => {
            session.noteFiles(outcome)
            session.send('opcheck.progressed', {
              job,
              done,
              total,
              ...(outcome && { outcome: placed(outcome) }),
            })
          },
        })
        session.noteFiles(outcomes)
        return outcomes.ok ? ok(outcomes.value.map(placed)) : outcomes
      }),
    ),
  'opcheck.entries': (session, { folder }) =>
    inOpen(session, folder, () => session.workbench.opchecks.entries(folder, { timeout: 0 })),
  'opcheck.keep': (session, { folder, entry, failure }) =>
    inOpen(session, folder, () => session.workbench.opchecks.keep(folder, entry, failure)),
}
