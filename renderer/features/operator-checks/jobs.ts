import type { CheckEntry } from '../../../electron/contract/manifest'
import type { OperatorCheckOutcome } from '../../../electron/contract/operator-check'
import { ok } from '../../../electron/contract/outcome'
import { call } from '../../bridge/bridge'
import { createJob, useJob } from '../../store/job'
import { calledText, type OperatorCheckDraft } from './case'
import { loadEntries, operatorChecksStore, useOperatorChecks } from './store'

type Asked = {
  /** The fields, as they are when the checks begin. */
  draft: OperatorCheckDraft
  /** What they say. */
  entry: CheckEntry
  /** The place among the entries that they were filled from. */
  place: number | null
  /** Nobody has asked for it. */
  isBackground: boolean
}

/** Makes the checks that the fields say. The newest wish wins. */
export const operatorCheckJob = createJob<Asked, OperatorCheckOutcome>({
  kind: 'operator-check',
  latest: 'wins',
  // To stop a check costs its op host.
  patience: 1_500,
  run: async ({ draft, entry, place, isBackground }, { folder, job }) => {
    const { sanitize, thorough } = operatorChecksStore.getState()
    const result = await call('operatorCheck.run', {
      folder,
      job,
      entry,
      sanitize,
      thorough,
      timeout: 0,
      isBackground,
    })
    if (!result.ok) return result
    const verdict = result.value.ok ? 'passed' : 'failed'
    const expect = entry.expect ?? 'passed'
    return ok({
      entry: place ?? -1,
      name: draft.rest.name ?? calledText(entry.op, draft.argsText),
      op: entry.op,
      expect,
      verdict,
      asExpected: verdict === expect,
      report: result.value,
    })
  },
  // An edit meanwhile is checked next: this answers a question that is no longer asked.
  isWanted: ({ draft }) => operatorChecksStore.getState().draft === draft,
})

// The list shows what is known of an entry, whoever asked for it.
operatorCheckJob.store.subscribe(({ value, stamp }, { value: before }) => {
  if (value === null || value === before || value.entry < 0 || stamp === null) return
  keepOutcome(value, stamp)
})

export type AllSteps = {
  done: number
  total: number
  stamp: string
  /** What the last step brought. */
  found: readonly OperatorCheckOutcome[]
}

/** Checks the operators of the project. A newer wish ends an older one: its library is an older one. */
export const allOperatorChecksJob = createJob<
  { casesOnly: boolean; isBackground: boolean },
  null,
  AllSteps
>({
  kind: 'operator-check',
  latest: 'wins',
  run: async ({ casesOnly, isBackground }, { folder, job, stamp, report }) => {
    report({ done: 0, total: 0, stamp, found: [] })
    await loadEntries()
    const { sanitize, thorough } = operatorChecksStore.getState()
    const result = await call('operatorCheck.runAll', {
      folder,
      job,
      casesOnly,
      sanitize,
      thorough,
      isBackground,
    })
    if (!result.ok) return result
    // An answer may overtake the event of its last outcome: the answer has them all.
    const total = result.value.length
    report({ done: total, total, stamp, found: result.value })
    return ok(null)
  },
  progress: {
    event: 'operatorCheck.progressed',
    read: ({ done, total, outcome }, before) => ({
      done,
      total,
      stamp: before?.stamp ?? '',
      found: outcome ? [outcome] : [],
    }),
  },
})

allOperatorChecksJob.store.subscribe(({ progress }, { progress: before }) => {
  if (progress === null || progress === before) return
  for (const outcome of progress.found) {
    keepOutcome(outcome, progress.stamp)
    // What the fields say of this very entry is what was just checked.
    const { entry } = operatorChecksStore.getState()
    if (entry === outcome.entry) operatorCheckJob.set({ value: null, error: null })
  }
})

function keepOutcome(outcome: OperatorCheckOutcome, stamp: string): void {
  operatorChecksStore.setState(({ outcomes }) => ({
    outcomes: { ...outcomes, [outcome.entry]: { outcome, stamp } },
  }))
}

export const operatorCheckJobs = [operatorCheckJob, allOperatorChecksJob] as const

/** Ends what runs. What waits for its turn goes on. */
export async function stopOperatorChecks(): Promise<void> {
  await Promise.all(operatorCheckJobs.flatMap((job) => (job.isRunning() ? [job.stop()] : [])))
}

/** The outcome of the chosen operator: of its own check, else of the check of all. */
export function useShownOutcome(): {
  outcome: OperatorCheckOutcome | undefined
  stamp: string | null
} {
  const one = useJob(operatorCheckJob, (state) => state.value)
  const oneStamp = useJob(operatorCheckJob, (state) => state.stamp)
  const known = useOperatorChecks((state) =>
    one === null && state.entry !== null ? state.outcomes[state.entry] : undefined,
  )
  return { outcome: one ?? known?.outcome, stamp: known?.stamp ?? oneStamp }
}
