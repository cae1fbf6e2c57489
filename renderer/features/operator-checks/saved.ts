import { z } from 'zod'

import { operatorCheckName, operatorCheckOutcome } from '../../../electron/contract/operator-check'
import { checkEntry } from '../../../electron/contract/manifest'
import { dtype } from '../../../electron/contract/tensor'
import { kept, keptOf, restored, restoreJob } from '../../store/earlier-results'
import type { SavedChoice, SavedResults } from '../../store/feature'
import { runPlace } from '../../store/runs'
import { emptyOperatorCheckDraft } from './case'
import { operatorCheckJob } from './jobs'
import { operatorCheckRuns } from './runs'
import { operatorChecksStore } from './store'

const ranges = z.record(z.string(), z.object({ min: z.number(), max: z.number() }))
const { inputs, name, skip, timeout, expect } = checkEntry.shape

const fields = z.object({
  op: z.string(),
  argsText: z.string(),
  inputs: inputs.unwrap(),
  sizes: ranges,
  integers: ranges,
  floats: ranges,
  dtypes: z.array(dtype),
  shapes: z.number(),
  seed: z.number(),
  checks: z.array(operatorCheckName).nullable(),
  rest: z.object({ name, skip, timeout, expect }),
})

/** What the fields say. */
export const operatorChecksChoice: SavedChoice = {
  stores: [operatorChecksStore, operatorCheckRuns.store],
  read: () => {
    const { draft, entry, sanitize, thorough } = operatorChecksStore.getState()
    const { where, jobs } = operatorCheckRuns.store.getState()
    return draft.op === '' ? null : { draft, entry, sanitize, thorough, where, jobs }
  },
  restore: (saved) => {
    const parsed = z
      .object({
        draft: fields,
        entry: z.number().nullable(),
        sanitize: z.boolean(),
        // A session of an earlier version has none.
        thorough: z.boolean().default(false),
        ...runPlace.shape,
      })
      .safeParse(saved)
    if (!parsed.success) return
    const { draft, entry, sanitize, thorough, where, jobs } = parsed.data
    operatorCheckRuns.store.setState({ where, jobs })
    operatorChecksStore.setState({
      draft: { ...emptyOperatorCheckDraft(), ...draft },
      entry,
      sanitize,
      thorough,
    })
  },
}

const saved = z.object({ chosen: z.unknown(), outcomes: z.array(z.unknown()) })

export const operatorChecksResults: SavedResults = {
  stores: [operatorChecksStore, operatorCheckJob.store],
  read: () => {
    const chosen = keptOf(operatorCheckJob)
    const all = Object.values(operatorChecksStore.getState().outcomes)
    const outcomes = all.map(({ outcome, stamp }) => kept(outcome, stamp))
    return chosen === null && outcomes.length === 0 ? null : { chosen, outcomes }
  },
  restore: (given) => {
    const parsed = saved.safeParse(given)
    if (!parsed.success) return
    restoreJob(operatorCheckJob, operatorCheckOutcome, parsed.data.chosen)
    const outcomes = parsed.data.outcomes.flatMap((item) => {
      const result = restored(operatorCheckOutcome, item)
      if (result === null) return []
      return [[result.value.entry, { outcome: result.value, stamp: result.stamp }] as const]
    })
    operatorChecksStore.setState((state) => ({
      outcomes: { ...Object.fromEntries(outcomes), ...state.outcomes },
    }))
  },
}
