import { z } from 'zod'

import { workbenchError } from '../../../electron/contract/outcome'
import { runReport } from '../../../electron/contract/run'
import { kept, keptOf, restored, restoreJob } from '../../store/earlier-results'
import type { SavedChoice, SavedResults } from '../../store/feature'
import { currentManifest } from '../../store/project'
import { callsStore } from './calls'
import { runJob } from './job'
import { runStore } from './run'

const fields = z.object({
  op: z.string(),
  callIndex: z.int().nullable(),
  texts: z.record(z.string(), z.string()),
  reference: z.string(),
  rtol: z.string(),
  atol: z.string(),
})

/** What the fields say. */
export const runChoice: SavedChoice = {
  stores: [runStore],
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
  .object({ report: runReport, otherCall: z.string().nullable().default(null) })
  .transform((kept) => ({ ...kept, generation: -1 }))

const outcome = z.object({
  op: z.string(),
  state: z.enum(['passed', 'failed', 'crashed']),
  why: z.string(),
  seconds: z.number().nullable(),
  error: workbenchError.nullable(),
})
const saved = z.object({ chosen: z.unknown(), calls: z.record(z.string(), z.unknown()) })

/** The call that the panel shows, and the verdicts on the calls of opsmith.json. */
export const runResults: SavedResults = {
  stores: [runJob.store, callsStore],
  read: () => {
    const chosen = keptOf(runJob)
    const calls = Object.entries(callsStore.getState()).map(([index, one]) => {
      return [index, kept(one, one.stamp)] as const
    })
    if (chosen === null && calls.length === 0) return null
    return { chosen, calls: Object.fromEntries(calls) }
  },
  restore: (given) => {
    const parsed = saved.safeParse(given)
    if (!parsed.success) return
    restoreJob(runJob, called, parsed.data.chosen)
    const calls = Object.entries(parsed.data.calls).flatMap(([index, item]) => {
      const result = restored(outcome, item)
      return result ? [[index, { ...result.value, stamp: result.stamp }] as const] : []
    })
    callsStore.setState((state) => ({ ...Object.fromEntries(calls), ...state }))
  },
}
