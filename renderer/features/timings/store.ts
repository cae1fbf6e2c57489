import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { KeptBuild } from '../../../electron/contract/timing-report'
import { timingInputs, emptyTimingDraft, type TimingDraft } from './draft'
import { effectiveInputs } from '../../store/inputs'

/** What is chosen in the panel; what is timed, and what came of it, is in the jobs. */
export type TimingsState = {
  /** All of opsmith.json's benchmarks, or what the fields say. */
  view: 'all' | 'one'
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

export function useTimings<T>(select: (state: TimingsState) => T): T {
  return useStore(timingsStore, select)
}

/** What a timing depends on, beside the sources. */
export function askedKey(draft: TimingDraft): string {
  return JSON.stringify([draft, timingInputs(draft, effectiveInputs())])
}
