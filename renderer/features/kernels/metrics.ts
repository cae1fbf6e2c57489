import { ratioText, sectorBytes, wholeText } from '../../../electron/contract/count-rows'
import type { GpuCountSums } from '../../../electron/contract/gpu-counts'

export const metrics = [
  'sectors',
  'conflicts',
  'lanes',
  'atomics',
  'bytes',
  'operations',
  'barriers',
] as const
export type Metric = (typeof metrics)[number]

export const isMetric = (value: string): value is Metric =>
  metrics.some((metric) => metric === value)

export const metricNames: Readonly<Record<Metric, string>> = {
  sectors: 'Sectors per request',
  conflicts: 'Bank conflicts',
  lanes: 'Active lanes',
  atomics: 'Lanes at one address',
  bytes: 'Bytes of global memory',
  operations: 'Operations',
  barriers: 'Warps at barriers',
}

export type MetricValue = {
  /** "4.0" */
  text: string
  /** How much it costs: 0 to 1. */
  heat: number
}

const lanes = 32
/** From 1 to 2^most, each doubling is as much. */
const doublings = (value: number, most: number): number =>
  Math.min(Math.max(Math.log2(value) / most, 0), 1)
/** 32-way conflicts are the worst. */
const mostConflicts = 5
/** Lanes far from each other move a sector for 4 bytes each. */
const mostWaste = 3

/** `least`: what the value would be at best, where that is not `of`. */
type Sums = { value: number; of: number; least?: number }

const added = (...parts: readonly (Sums | undefined)[]): Sums | undefined => {
  const known = parts.filter((part) => part !== undefined)
  if (known.length === 0) return undefined
  return {
    value: known.reduce((sum, { value }) => sum + value, 0),
    of: known.reduce((sum, { of }) => sum + of, 0),
    least: known.reduce((sum, { of, least = of }) => sum + least, 0),
  }
}

function mapped<T>(counts: T | undefined, sums: (counts: T) => Sums): Sums | undefined {
  return counts && sums(counts)
}

/** What the line counts for a metric; undefined where it has nothing of the kind. */
function sumsOf(metric: Metric, counts: GpuCountSums): Sums | undefined {
  const { globalLoads, globalStores, sharedLoads, sharedStores } = counts
  const { globalAtomics, sharedAtomics, barriers, operations } = counts
  const active = (one: { requests: number; lanes: number }): Sums => ({
    value: one.lanes,
    of: one.requests,
  })
  switch (metric) {
    case 'sectors': {
      const sectors = (one: { sectors: number; requests: number; bytes: number }): Sums => ({
        value: one.sectors,
        of: one.requests,
        least: one.bytes / sectorBytes,
      })
      return added(mapped(globalLoads, sectors), mapped(globalStores, sectors))
    }
    case 'conflicts': {
      const passes = (one: { wavefronts: number; leastWavefronts: number }): Sums => ({
        value: one.wavefronts,
        of: one.leastWavefronts,
      })
      return added(mapped(sharedLoads, passes), mapped(sharedStores, passes))
    }
    case 'lanes':
      return added(
        mapped(globalLoads, active),
        mapped(globalStores, active),
        mapped(sharedLoads, active),
        mapped(sharedStores, active),
        mapped(globalAtomics, active),
        mapped(sharedAtomics, active),
        mapped(barriers, (one) => ({ value: one.lanes, of: one.warps })),
      )
    case 'atomics': {
      const serial = (one: { serialLanes: number; requests: number }): Sums => ({
        value: one.serialLanes,
        of: one.requests,
      })
      return added(mapped(globalAtomics, serial), mapped(sharedAtomics, serial))
    }
    case 'bytes': {
      const bytes = (one: { sectors: number }): Sums => ({
        value: sectorBytes * one.sectors,
        of: 1,
      })
      return added(mapped(globalLoads, bytes), mapped(globalStores, bytes))
    }
    case 'operations':
      return mapped(operations, (one) => ({ value: one.float32 + one.float64, of: 1 }))
    case 'barriers':
      return mapped(barriers, (one) => ({ value: one.warps, of: 1 }))
  }
}

/** "81.2 k": as wide as a column is. */
export function shortCount(value: number): string {
  const units = ['', 'k', 'M', 'G', 'T']
  let unit = 0
  let rest = value
  for (; rest >= 999.5 && unit < units.length - 1; unit += 1) rest /= 1000
  if (unit === 0) return wholeText(rest)
  return `${rest.toFixed(rest < 9.95 ? 1 : 0)}${units[unit] ?? ''}`
}

/** Cells for the lines of a file, in the order of `lines`; undefined where a line has nothing of the metric. */
export function metricValues(
  metric: Metric,
  lines: readonly GpuCountSums[],
): (MetricValue | undefined)[] {
  const sums = lines.map((line) => sumsOf(metric, line))
  const most = Math.max(0, ...sums.map((one) => one?.value ?? 0))
  return sums.map((one) => {
    if (!one || one.value === 0) return undefined
    switch (metric) {
      case 'sectors': {
        const heat = doublings(one.value / (one.least ?? one.of), mostWaste)
        return { text: ratioText(one.value, one.of), heat }
      }
      case 'conflicts':
      case 'atomics':
        return {
          text: ratioText(one.value, one.of),
          heat: doublings(one.value / one.of, mostConflicts),
        }
      case 'lanes':
        return { text: ratioText(one.value, one.of), heat: 1 - one.value / one.of / lanes }
      case 'bytes':
      case 'operations':
      case 'barriers':
        return { text: shortCount(one.value), heat: one.value / most }
    }
  })
}
