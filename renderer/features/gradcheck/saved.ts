import { z } from 'zod'

import {
  checkedReport,
  gradcheckOptions,
  gradcheckOutcome,
  gradcheckRequest,
} from '../../../electron/contract/gradcheck'
import { inputSpec } from '../../../electron/contract/manifest'
import { dtype } from '../../../electron/contract/tensor'
import { kept, keptOf, restored, restoreJob } from '../../store/earlier-results'
import type { SavedChoice, SavedResults } from '../../store/feature'
import { currentManifest } from '../../store/project'
import { runPlace } from '../../store/runs'
import { draftOf, emptyDraft, type GradcheckDraft } from './case'
import { gradcheckJob, searchJob, sweepJob } from './jobs'
import { gradcheckRuns } from './runs'
import { gradcheckStore } from './store'

const fields = z.object({
  op: z.string(),
  argsText: z.string(),
  inputs: z.record(z.string(), inputSpec),
  secondOrder: z.boolean(),
  dtype: dtype.nullable(),
  options: gradcheckOptions,
  timeout: z.number(),
})

const choice = z.object({ draft: fields, entry: z.number().nullable(), ...runPlace.shape })

/** What the fields say. */
export const gradcheckChoice: SavedChoice = {
  stores: [gradcheckStore, gradcheckRuns.store],
  read: () => {
    const { draft, entry } = gradcheckStore.getState()
    const { where, jobs } = gradcheckRuns.store.getState()
    return draft.op === '' ? null : { draft, entry, where, jobs }
  },
  restore: (saved) => {
    const parsed = choice.safeParse(saved)
    if (!parsed.success) return
    const { where, jobs } = parsed.data
    gradcheckRuns.store.setState({ where, jobs })
    const draft = { ...emptyDraft(), ...parsed.data.draft }
    gradcheckStore.setState({ draft, entry: entryOf(draft, parsed.data.entry) })
  },
}

const searched = z.object({
  draft: fields,
  request: gradcheckRequest.omit({ program: true, keepJacobians: true }),
  key: z.string(),
})
sweepJob.outlives(searched)
searchJob.outlives(searched.extend({ points: z.number(), firstSeed: z.number() }))

/** The place among opsmith.json's gradchecks, if it still says the same there. */
function entryOf(draft: GradcheckDraft, entry: number | null): number | null {
  const manifest = currentManifest()
  const now = entry === null ? undefined : manifest?.gradchecks[entry]
  if (!manifest || !now) return null
  return JSON.stringify(draftOf(now, manifest.inputs)) === JSON.stringify(draft) ? entry : null
}

/** The Jacobians are gone: the process that held them has exited. */
const checked = z
  .object({ report: checkedReport })
  .transform(({ report }) => ({ report, generation: -1, question: '' }))

const saved = z.object({ chosen: z.unknown(), outcomes: z.array(z.unknown()) })

export const gradcheckResults: SavedResults = {
  stores: [gradcheckStore, gradcheckJob.store],
  read: () => {
    const chosen = keptOf(gradcheckJob)
    const all = Object.values(gradcheckStore.getState().outcomes)
    const outcomes = all.map(({ outcome, stamp }) => kept(outcome, stamp))
    return chosen === null && outcomes.length === 0 ? null : { chosen, outcomes }
  },
  restore: (given) => {
    const parsed = saved.safeParse(given)
    if (!parsed.success) return
    restoreJob(gradcheckJob, checked, parsed.data.chosen)
    const gradchecks = currentManifest()?.gradchecks ?? []
    const outcomes = parsed.data.outcomes.flatMap((item) => {
      const result = restored(gradcheckOutcome, item)
      // opsmith.json may have other gradchecks by now.
      if (result === null || gradchecks[result.value.entry]?.op !== result.value.op) return []
      return [[result.value.entry, { outcome: result.value, stamp: result.stamp }] as const]
    })
    gradcheckStore.setState((state) => ({
      outcomes: { ...Object.fromEntries(outcomes), ...state.outcomes },
    }))
  },
}
