import { z } from 'zod'

import { runReport } from '../../../electron/contract/run'
import { keptOf, restoreJob } from '../../store/earlier-results'
import type { SavedChoice, SavedResults } from '../../store/feature'
import { currentManifest } from '../../store/project'
import { runJob } from './job'
import { runStore } from './run'

const fields = z.object({
  op: z.string(),
  callIndex: z.number().int().nullable(),
  texts: z.record(z.string(), z.string()),
  reference: z.string(),
  rtol: z.string(),
  atol: z.string(),
})

/** What the fields say. */
export const runChoice: SavedChoice = {
  store: runStore,
  read: () => {
    const { op, callIndex, texts, reference, rtol, atol } = runStore.getState()
    return op === '' ? null : { op, callIndex, texts, reference, rtol, atol }
  },
  restore: (saved) => {
    const parsed = fields.safeParse(saved)
    if (!parsed.success) return
    const { callIndex, ...others } = parsed.data
    // opsmith.json may have other calls by now.
    const isSame = callIndex !== null && currentManifest()?.calls[callIndex]?.op === others.op
    runStore.setState({ ...others, callIndex: isSame ? callIndex : null })
  },
}

/** The values are gone: the process that held them has exited. */
const called = z
  .object({ report: runReport })
  .transform(({ report }) => ({ report, generation: -1 }))

export const runResults: SavedResults = {
  stores: [runJob.store],
  read: () => keptOf(runJob),
  restore: (saved) => restoreJob(runJob, called, saved),
}
