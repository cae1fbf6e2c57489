import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { KeptBuild } from '../../../electron/contract/timing-report'
import { timingInputs, emptyTimingDraft, type TimingDraft } from './draft'
import { timingRuns } from './runs'
import { effectiveInputs } from '../../store/inputs'

/** What is chosen in the panel; what is timed, and what came of it, is in the jobs. */
export type TimingsState = {
  /** All of opsmith.json's benchmarks, what the fields say, or a run. */
  view: 'all' | 'one' | 'run'
  /** The entry that the fields were filled from, while they still say the same. */
  entry: number | null
  draft: TimingDraft
  /** The row whose samples and history are looked at, by its key; null: the first. */
  row: string | null
  builds: KeptBuild[]
}

export const timingsStore = createStore<TimingsState>(() => ({
  view: 'all',
  entry: null,
  draft: emptyTimingDraft(),
  row: null,
  builds: [],
}))

// The view "run" is that a run is shown.
timingRuns.store.subscribe(({ shownRun }) => {
  const { view, draft } = timingsStore.getState()
  if (shownRun !== null) timingsStore.setState({ view: 'run' })
  else if (view === 'run') timingsStore.setState({ view: draft.op === '' ? 'all' : 'one' })
})
timingsStore.subscribe(({ view }, { view: before }) => {
  if (before === 'run' && view !== 'run') timingRuns.hide()
})

export function useTimings<T>(select: (state: TimingsState) => T): T {
  return useStore(timingsStore, select)
}

/** What a timing depends on, beside the sources. */
export function askedKey(draft: TimingDraft): string {
  return JSON.stringify([draft, timingInputs(draft, effectiveInputs())])
}
