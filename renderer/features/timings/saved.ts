import { z } from 'zod'

import { dtype } from '../../../electron/contract/tensor'
import { timingEntry, timingInput } from '../../../electron/contract/timing-entry'
import { timingDirection } from '../../../electron/contract/timing-names'
import { timingReport, timingRequest, timingRow } from '../../../electron/contract/timing-report'
import { keptOf, restored } from '../../store/earlier-results'
import type { SavedChoice, SavedResults } from '../../store/feature'
import { currentManifest } from '../../store/project'
import { runPlace } from '../../store/runs'
import { emptyTimingDraft, listedBenchmarks, timingDraftOf, type TimingDraft } from './draft'
import { allTimingsJob, timingJob } from './jobs'
import { timingRuns } from './runs'
import { timingsStore } from './store'

const { name, rtol, atol, timeout } = timingEntry.shape
const numbers = z.array(z.number())

const fields = z.object({
  op: z.string(),
  argsText: z.string(),
  inputs: z.record(z.string(), timingInput),
  against: z.array(
    z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('expression'), text: z.string() }),
      z.object({ kind: z.literal('operator'), op: z.string(), argsText: z.string() }),
    ]),
  ),
  builds: z.array(z.string()),
  directions: z.array(timingDirection).nullable(),
  sizes: z.record(z.string(), numbers),
  dtypes: z.array(dtype),
  threads: numbers,
  cold: z.boolean(),
  fresh: z.boolean(),
  bytes: z.string(),
  flops: z.string(),
  seconds: z.number().nullable(),
  rest: z.object({ name, rtol, atol, timeout }),
})

const choice = z.object({
  view: z.enum(['all', 'one']),
  entry: z.number().nullable(),
  draft: fields,
  row: z.string().nullable(),
  ...runPlace.shape,
})

/** What the fields say. */
export const timingsChoice: SavedChoice = {
  stores: [timingsStore, timingRuns.store],
  read: () => {
    const { view, entry, draft, row } = timingsStore.getState()
    const { where, jobs } = timingRuns.store.getState()
    // A run that goes on is offered.
    const shown = view === 'run' ? 'one' : view
    return draft.op === '' ? null : { view: shown, entry, draft, row, where, jobs }
  },
  restore: (saved) => {
    const parsed = choice.safeParse(saved)
    if (!parsed.success) return
    const { view, entry, row, where, jobs } = parsed.data
    const draft = { ...emptyTimingDraft(), ...parsed.data.draft }
    timingsStore.setState({ view, row, draft, entry: entryOf(draft, entry) })
    timingRuns.store.setState({ where, jobs })
  },
}

timingJob.outlives(z.object({ draft: fields, request: timingRequest }))
allTimingsJob.outlives(z.null().transform(() => undefined))

/** The place among opsmith.json's benchmarks, if it still says the same there. */
function entryOf(draft: TimingDraft, entry: number | null): number | null {
  const manifest = currentManifest()
  const now = entry === null ? undefined : listedBenchmarks(manifest)[entry]
  if (!manifest || !now) return null
  const same = { ...timingDraftOf(now, manifest.inputs), builds: draft.builds }
  return JSON.stringify(same) === JSON.stringify(draft) ? entry : null
}

const timed = z.object({
  rows: z.array(timingRow),
  report: timingReport.nullable(),
  isStopped: z.boolean(),
  asked: z.string(),
  stamp: z.string(),
})
const saved = z.object({ one: z.unknown(), all: z.unknown() })

export const timingsResults: SavedResults = {
  stores: [timingJob.store, allTimingsJob.store],
  read: () => {
    const one = keptOf(timingJob)
    const all = keptOf(allTimingsJob)
    return one === null && all === null ? null : { one, all }
  },
  restore: (given) => {
    const parsed = saved.safeParse(given)
    if (!parsed.success) return
    for (const [job, result] of [
      [timingJob, restored(timed, parsed.data.one)],
      [allTimingsJob, restored(timed, parsed.data.all)],
    ] as const) {
      if (result) job.restore({ ...result.value, stamp: result.stamp }, result.stamp)
    }
  },
}
