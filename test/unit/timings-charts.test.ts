import { describe, expect, it } from 'vitest'

import type { TimingRow } from '../../electron/contract/timing-report'
import { countText, curveReadout } from '../../renderer/features/timings/curve-plot'
import {
  distributionOf,
  quantile,
  runningMedian,
} from '../../renderer/features/timings/distribution'
import { timeChangeText } from '../../renderer/features/timings/HistorySection'
import { rooflinePoints } from '../../renderer/features/timings/roofline'
import {
  columnsOf,
  crossoversOf,
  curvesOf,
  sweptVariables,
} from '../../renderer/features/timings/sweep-curves'
import { logTicks } from '../../renderer/shell/primitives/chart-style'
import { ratioOf, rowOf } from './timing-samples'

/** The own call takes 1 µs at every size; the other starts slower and ends faster. */
function swept(): TimingRow[] {
  return [16, 64, 256, 1024].flatMap((N, index) => {
    const ratio = [4, 2, 1.01, 0.5][index] ?? 1
    const verdict = index === 2 ? 'no difference' : ratio < 1 ? 'faster' : 'slower'
    const point = { sizes: { N } }
    return [
      rowOf({ median: 1e-6, point, bytesPerSecond: N * 1e6 }),
      rowOf({
        median: ratio * 1e-6,
        kind: 'other',
        variant: 'g',
        point,
        ratio: ratioOf(ratio, verdict),
      }),
    ]
  })
}

describe('curves of a sweep', () => {
  it('each variant has a curve over the size that varies', () => {
    const rows = swept()
    const [over, ...others] = sweptVariables(rows)
    expect(over).toEqual({ key: 'size N', label: 'N', values: [16, 64, 256, 1024] })
    expect(others).toEqual([])
    if (!over) return
    const curves = curvesOf(rows.reverse(), over, 'forward', 'time')
    expect(curves.map((curve) => curve.label).sort()).toEqual(['g', 'my::f'])
    expect(curves[0]?.points.map((point) => point.x)).toEqual([16, 64, 256, 1024])
    expect(curvesOf(rows, over, 'backward', 'time')).toEqual([])
    const [xs, median, low, high] = columnsOf(curves)
    expect(xs).toEqual([16, 64, 256, 1024])
    for (const [index, value] of (median ?? []).entries()) {
      expect(low?.[index]).toBeLessThan(value ?? 0)
      expect(high?.[index]).toBeGreaterThan(value ?? 0)
    }
  })

  it('threads, dtypes and caches that also vary are named', () => {
    const rows = [1, 2].flatMap((threads) =>
      [8, 16].map((N) =>
        rowOf({ median: 1e-6, point: { sizes: { N }, threads, cold: threads > 1 } }),
      ),
    )
    const [over, second] = sweptVariables(rows)
    expect(second?.key).toBe('threads')
    if (!over || !second) return
    expect(curvesOf(rows, over, 'forward', 'time').map((curve) => curve.label)).toEqual([
      'my::f, 1 thread, warm',
      'my::f, 2 threads, cold',
    ])
    expect(curvesOf(rows, second, 'forward', 'time').map((curve) => curve.label)).toContain(
      'my::f, N 8, warm',
    )
  })

  it('rates turn spreads around and leave out rows without a rate', () => {
    const rows = swept()
    const [over] = sweptVariables(rows)
    if (!over) throw new Error('nothing is swept')
    const [curve, ...rest] = curvesOf(rows, over, 'forward', 'bandwidth')
    expect(rest).toEqual([])
    const [point] = curve?.points ?? []
    expect(point?.y).toBe(16e6)
    expect(point?.low).toBeCloseTo(16e6 / 1.02)
    expect(point?.high).toBeCloseTo(16e6 / 0.98)
  })

  it('curves cross where the paired ratio is certainly 1, and not elsewhere', () => {
    const rows = swept()
    const [over] = sweptVariables(rows)
    if (!over) throw new Error('nothing is swept')
    const curves = curvesOf(rows, over, 'forward', 'time')
    const crossovers = crossoversOf(curves, 'N')
    expect(crossovers).toHaveLength(1)
    // From 2 at 64 to 0.5 at 1024: in logarithms, the middle.
    expect(crossovers[0]?.x).toBeCloseTo(256)
    expect(crossovers[0]?.label).toBe('faster from N ≈ 260')
    expect(curves[crossovers[0]?.curve ?? -1]?.label).toBe('g')
    const sure = rows.map((row) =>
      row.ratio ? { ...row, ratio: { ...row.ratio, verdict: 'no difference' as const } } : row,
    )
    expect(crossoversOf(curvesOf(sure, over, 'forward', 'time'), 'N')).toEqual([])
    expect(curveReadout(curves, over, 64, 'time')).toBe('N 64 · my::f 1.000 µs · g 2.000 µs')
  })

  it('the axes have readable ticks', () => {
    expect(logTicks(0.9, 600)).toEqual([1, 2, 5, 10, 20, 50, 100, 200, 500])
    expect(logTicks(1e-9, 1)).toHaveLength(5)
    expect(logTicks(3, 9)).toEqual([3, 4, 5, 6, 7, 8, 9])
    // Narrower than a decade's steps: something is written all the same.
    expect(logTicks(1.2, 1.3).length).toBeGreaterThan(1)
    expect([512, 1000, 1024, 65536, 3 * 2 ** 20].map(countText)).toEqual([
      '512',
      '1,000',
      '1 Ki',
      '64 Ki',
      '3 Mi',
    ])
  })
})

describe('charts of samples', () => {
  it('every sample is counted in one bin, and a stall does not squeeze the others', () => {
    const samples = [...Array.from({ length: 200 }, (_, index) => 1 + index / 200), 400]
    const { edges, counts, beyond } = distributionOf(samples)
    expect(edges).toHaveLength(counts.length + 1)
    expect(counts.reduce((sum, count) => sum + count, beyond)).toBe(201)
    expect(beyond).toBe(1)
    expect(edges.at(-1)).toBeLessThan(10)
    expect(distributionOf([])).toEqual({ edges: [], counts: [], beyond: 0 })
    expect(distributionOf([2, 2, 2]).counts).toEqual([3])
  })

  it('a running median follows a drift and ignores single peaks, and quartiles are interpolated', () => {
    expect(quantile([1, 2, 3, 4], 0.25)).toBe(1.75)
    const drifting = Array.from({ length: 100 }, (_, index) => index + (index % 7 === 0 ? 500 : 0))
    const medians = runningMedian(drifting)
    expect(Math.max(...medians)).toBeLessThan(110)
    expect(medians[90]).toBeGreaterThan((medians[10] ?? 0) + 60)
  })
})

describe('the roofline', () => {
  const ceilings = {
    threads: 1,
    bytesPerSecond: 20e9,
    flopsPerSecond: { float32: 100e9, float64: 40e9 },
  }
  it('a point is compared with the ceiling of its intensity and dtype', () => {
    const few = rowOf({ median: 1e-3, bytes: 4e6, flops: 1e6 })
    const many = rowOf({ median: 1e-3, bytes: 1e6, flops: 5e7, point: { dtype: 'float64' } })
    const [memory, arithmetic, ...rest] = rooflinePoints(
      [few, many, rowOf({ median: 1e-3, bytes: 8 }), { ...few, direction: 'both' }],
      ceilings,
      'float32',
    )
    expect(rest).toEqual([])
    expect(memory).toMatchObject({ intensity: 0.25, attainable: 5e9, bound: 'memory' })
    expect(memory?.flopsPerSecond).toBeCloseTo(1e9)
    expect(arithmetic).toMatchObject({ intensity: 50, attainable: 40e9, bound: 'arithmetic' })
  })
})

describe('the history chart', () => {
  const point = (median: number, spread: number): Parameters<typeof timeChangeText>[0] => ({
    build: '',
    time: 0,
    diff: '',
    median,
    p25: median - spread,
    p75: median + spread,
  })
  it('a change is stated where quartiles do not overlap, else that none is clear', () => {
    expect(timeChangeText(point(1.5, 0.1), point(1, 0.1))).toBe('+50 % from the previous build')
    expect(timeChangeText(point(0.95, 0.01), point(1, 0.01))).toBe('-5.0 % from the previous build')
    expect(timeChangeText(point(1.05, 0.1), point(1, 0.1))).toMatch(/no clear change/)
  })
})
