import { z } from 'zod'

import { profileReport } from '../../../electron/contract/profile'
import { keptOf, restored } from '../../store/earlier-results'
import type { SavedChoice, SavedResults } from '../../store/feature'
import { profileStore, profileViews } from './profile'
import { profileJob, withoutTrace } from './profile-job'

const fields = z.object({
  draft: z.object({
    op: z.string(),
    argsText: z.string(),
    backward: z.boolean(),
    threads: z.int().min(1).max(1024),
  }),
  view: z.enum(profileViews),
  search: z.string(),
})

/** What the fields say, and which view is shown. */
export const profileChoice: SavedChoice = {
  stores: [profileStore],
  read: () => {
    const { draft, view, search } = profileStore.getState()
    return draft.op === '' ? null : { draft, view, search }
  },
  restore: (saved) => {
    const parsed = fields.safeParse(saved)
    if (parsed.success) profileStore.setState(parsed.data)
  },
}

/** Of events and of allocations. Larger profiles are not kept: to write one takes a second, and megabytes. */
const most = 5_000

const profiled = z.object({ report: profileReport, asked: z.string(), stamp: z.string() })

export const profileResults: SavedResults = {
  stores: [profileJob.store],
  read: () => {
    const trace = profileJob.store.getState().value?.report.trace
    const isSmall =
      trace !== undefined &&
      Math.max(trace.events.name.length, trace.allocations.time.length) <= most
    return isSmall ? keptOf(profileJob) : null
  },
  restore: (saved) => {
    const result = restored(profiled, saved)
    if (result === null) return
    const { stamp } = result
    const { report, asked } = result.value
    profileJob.restore({ report: { ...report, profile: withoutTrace }, asked, stamp }, stamp)
  },
}
