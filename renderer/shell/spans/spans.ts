import type { ProfileKind } from '../../../electron/contract/profile'
import type { TimeKind } from '../../../electron/contract/time-trace'

/** Spans of time in rows, as the timeline and the flame graph draw them. Ids are positions. */
export type Spans = {
  /** ns. */
  start: readonly number[]
  duration: readonly number[]
  row: readonly number[]
  /** -1: none. */
  parent: readonly number[]
  /** Ids by row, in the order of their starts. */
  byRow: readonly (readonly number[])[]
  /** Names of tracks, each in a row of its own. */
  heads: readonly { row: number; text: string }[]
  /** Where the last one ends. */
  end: number
}

/** What a span is drawn as. */
export type SpanKind = ProfileKind | TimeKind | 'link' | 'load'

/** Spans with what they are called and what they are. */
export type NamedSpans = {
  spans: Spans
  name: (id: number) => string
  kind: (id: number) => SpanKind
}

type Given = Omit<Spans, 'byRow' | 'end' | 'heads'> & { heads?: Spans['heads'] }

export function makeSpans({ heads = [], ...given }: Given): Spans {
  const rows = Math.max(0, ...heads.map(({ row }) => row + 1))
  const byRow: number[][] = Array.from({ length: rows }, () => [])
  let end = 0
  given.start.forEach((start, id) => {
    const row = given.row[id] ?? 0
    while (byRow.length <= row) byRow.push([])
    byRow[row]?.push(id)
    end = Math.max(end, start + (given.duration[id] ?? 0))
  })
  for (const ids of byRow) ids.sort((a, b) => (given.start[a] ?? 0) - (given.start[b] ?? 0))
  return { ...given, heads, byRow, end }
}

/** The part of the time that is shown. */
export type TimeRange = { from: number; to: number }

const narrowest = 20

/** Zooms so that what is at `at` stays there; never beyond the ends, nor below some ns. */
export function zoomed(
  { from, to }: TimeRange,
  at: number,
  factor: number,
  end: number,
): TimeRange {
  const width = Math.min(end, Math.max(Math.min(narrowest, end), (to - from) / factor))
  const share = to > from ? (at - from) / (to - from) : 0.5
  return clamped({ from: at - share * width, to: at - share * width + width }, end)
}

export function panned({ from, to }: TimeRange, by: number, end: number): TimeRange {
  return clamped({ from: from + by, to: to + by }, end)
}

function clamped({ from, to }: TimeRange, end: number): TimeRange {
  const width = Math.min(end, to - from)
  const start = Math.min(Math.max(0, from), Math.max(0, end - width))
  return { from: start, to: start + width }
}

/** The position in a row of the first span that ends after `time`. */
export function firstAfter(spans: Spans, ids: readonly number[], time: number): number {
  let low = 0
  let high = ids.length
  while (low < high) {
    const middle = (low + high) >> 1
    const id = ids[middle] ?? 0
    if ((spans.start[id] ?? 0) + (spans.duration[id] ?? 0) < time) low = middle + 1
    else high = middle
  }
  return low
}

/** What lies at a time in a row, or within `slack` of it; null: nothing. */
export function spanAt(spans: Spans, row: number, time: number, slack: number): number | null {
  const ids = spans.byRow[row] ?? []
  const id = ids[firstAfter(spans, ids, time - slack)]
  return id !== undefined && (spans.start[id] ?? 0) <= time + slack ? id : null
}

export type StackDirection = 'left' | 'right' | 'up' | 'down'

/** Where an arrow leads: its neighbour in the row, what it lies in, what first lies in it. */
export function neighbour(spans: Spans, id: number, direction: StackDirection): number | null {
  const row = spans.row[id] ?? 0
  if (direction === 'up') {
    const parent = spans.parent[id] ?? -1
    return parent < 0 ? null : parent
  }
  if (direction === 'down') {
    const child = spans.byRow[row + 1]?.find((one) => spans.parent[one] === id)
    return child ?? null
  }
  const ids = spans.byRow[row] ?? []
  return ids[ids.indexOf(id) + (direction === 'right' ? 1 : -1)] ?? null
}

/** Round times of an axis, about `count` of them. */
export function ticksOf({ from, to }: TimeRange, count: number): number[] {
  const rough = (to - from) / Math.max(1, count)
  if (!(rough > 0)) return []
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((one) => one * power >= rough) ?? 10) * power
  const ticks: number[] = []
  for (let tick = Math.ceil(from / step) * step; tick <= to; tick += step) ticks.push(tick)
  return ticks
}
