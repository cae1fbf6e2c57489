import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { KernelList } from '../../../electron/contract/bench-device'
import type {
  BenchHistoryPoint,
  BenchReport,
  BenchRow,
  KeptBuild,
} from '../../../electron/contract/bench-report'
import type { WorkbenchError } from '../../../electron/contract/outcome'
import { timingInputs, emptyTimingDraft, type TimingDraft } from './draft'
import { effectiveInputs } from '../../store/inputs'

/** Rows that were measured, and the sources they are of. */
export type Measured = {
  rows: BenchRow[]
  /** Of the machine and the whole run; null when it failed or was ended before that. */
  report: BenchReport | null
  /** It was stopped before its end: rows are missing. */
  isStopped: boolean
  /** Of the fields that it was asked with: equal keys mean that it answers what they say now. */
  asked: string
  stamp: string
}

export type TimingWork = {
  job: string
  /** All of opsmith.json's, or what the fields say. */
  of: 'all' | 'one'
  startedAt: number
  done: number
  total: number
  rows: BenchRow[]
  /** What of the workbench's own has to end first; "" where nothing has. */
  waiting: string
  stamp: string
  asked: string
}

export type TimingsState = {
  view: 'all' | 'one'
  /** One thing at a time is measured: two would slow one another down. */
  work: TimingWork | null
  all: Measured | null
  allError: WorkbenchError | null
  /** The entry that the fields were filled from, while they still say the same. */
  entry: number | null
  draft: TimingDraft
  one: Measured | null
  oneError: WorkbenchError | null
  /** Sources of the last try, whatever came of it; null before the first. */
  allStamp: string | null
  oneStamp: string | null
  /** The row whose samples and history are looked at, by its key; null: the first. */
  row: string | null
  history: BenchHistoryPoint[]
  historyError: WorkbenchError | null
  builds: KeptBuild[]
  isMeasuringCeilings: boolean
  /** What a GPU does in one call of what is shown. */
  kernels: KernelList | null
  kernelsError: WorkbenchError | null
  isListingKernels: boolean
}

export const timingsStore = createStore<TimingsState>(() => ({
  view: 'all',
  work: null,
  all: null,
  allError: null,
  entry: null,
  draft: emptyTimingDraft(),
  one: null,
  oneError: null,
  allStamp: null,
  oneStamp: null,
  row: null,
  history: [],
  historyError: null,
  builds: [],
  isMeasuringCeilings: false,
  kernels: null,
  kernelsError: null,
  isListingKernels: false,
}))

export function useTimings<T>(select: (state: TimingsState) => T): T {
  return useStore(timingsStore, select)
}

/** What a measurement depends on, beside the sources. */
export function askedKey(draft: TimingDraft): string {
  return JSON.stringify([draft, timingInputs(draft, effectiveInputs())])
}

const noRows: BenchRow[] = []

/** What the chosen view shows: rows as they come, once the first is there. */
export function shownRows(state: TimingsState): BenchRow[] {
  const { view, work } = state
  if (work?.of === view && work.rows.length > 0) return work.rows
  return (view === 'all' ? state.all : state.one)?.rows ?? noRows
}

/** The benchmark's own call among rows: what is measured first and all else is compared with. */
export function ownRow(rows: readonly BenchRow[]): BenchRow | undefined {
  return rows.find((row) => row.kind === 'operator' && row.summary) ?? rows[0]
}

/** A row's identity among those of a report, and from one report to the next. */
export function rowKey(row: BenchRow): string {
  return JSON.stringify([row.entry, row.kind, row.variant, row.direction, row.point])
}

/** The row that is looked at closely: the chosen one while it is there, else the first of its own. */
export function chosenRow(state: TimingsState): BenchRow | undefined {
  const rows = shownRows(state)
  return rows.find((row) => rowKey(row) === state.row) ?? ownRow(rows)
}
