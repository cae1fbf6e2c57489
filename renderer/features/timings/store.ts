import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { RunState, WorkersChoice } from '../../../electron/contract/run-calls'
import type { KeptBuild } from '../../../electron/contract/timing-report'
import { timingInputs, emptyTimingDraft, type TimingDraft } from './draft'
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
  /** Where the fields are measured: "" in this window, else by workers, as `--over` names them. */
  where: string
  /** Workers at a time. */
  jobs: number
  places: WorkersChoice[]
  /** Of this project, the newest first. */
  runs: RunState[]
  /** The name of the run that the view `run` shows. */
  shownRun: string | null
}

export const timingsStore = createStore<TimingsState>(() => ({
  view: 'all',
  entry: null,
  draft: emptyTimingDraft(),
  row: null,
  builds: [],
  where: '',
  jobs: 2,
  places: [],
  runs: [],
  shownRun: null,
}))

export function useTimings<T>(select: (state: TimingsState) => T): T {
  return useStore(timingsStore, select)
}

/** What a timing depends on, beside the sources. */
export function askedKey(draft: TimingDraft): string {
  return JSON.stringify([draft, timingInputs(draft, effectiveInputs())])
}
