import { describe, expect, it } from 'vitest'

import { profileReportOf } from '../../electron/engine/profile/profiles'
import { flameOf, timelineOf } from '../../renderer/features/profile/profile-spans'
import { neighbour, panned, spanAt, ticksOf, zoomed } from '../../renderer/shell/spans/spans'
import { bytesText, exactTime, timeText } from '../../renderer/shell/spans/times'
import {
  firstOrder,
  sortTotals,
  totalsCsv,
  totalsMarkdown,
} from '../../renderer/features/profile/totals-table'
import { sampleTrace } from './profile-samples'

const report = profileReportOf(sampleTrace(), true, 1)

describe('spans of the timeline', () => {
  const { spans, name } = timelineOf(report)

  it('each level of a track has a row, and tracks are below one another with their names', () => {
    expect(spans.heads).toEqual([
      { row: 0, text: 'thread 1' },
      { row: 6, text: 'cuda:0 stream 7' },
    ])
    const rows = spans.byRow.map((ids) => ids.map(name))
    expect(rows).toEqual([
      [],
      ['forward', 'backward'],
      ['compute', 'MmBackward0'],
      ['my::op', 'aten::mm'],
      ['aten::mm', 'cudaLaunchKernel'],
      ['aten::mm'],
      [],
      ['gemm'],
    ])
    expect(spans.end).toBe(150)
  })

  it('a span is found by its place, and arrow keys move between spans', () => {
    expect(spanAt(spans, 1, 99, 0)).toBe(0)
    expect(spanAt(spans, 1, 101, 0)).toBe(7)
    expect(spanAt(spans, 2, 95, 0)).toBeNull()
    expect(spanAt(spans, 2, 95, 6)).toBe(1)
    expect(neighbour(spans, 0, 'right')).toBe(7)
    expect(neighbour(spans, 0, 'left')).toBeNull()
    expect(neighbour(spans, 2, 'up')).toBe(1)
    expect(neighbour(spans, 2, 'down')).toBe(3)
    expect(neighbour(spans, 4, 'down')).toBeNull()
  })
})

describe('spans of the flame graph', () => {
  it('each span is inside its caller and as wide as its time', () => {
    const { spans } = flameOf(report)
    report.flame.forEach(({ parent, total }, id) => {
      expect(spans.duration[id]).toBe(total)
      if (parent < 0) return
      const start = spans.start[id] ?? 0
      const around = spans.start[parent] ?? 0
      expect(start).toBeGreaterThanOrEqual(around)
      expect(start + total).toBeLessThanOrEqual(around + (spans.duration[parent] ?? 0))
    })
    // The thread's own time, and the stream's beside it.
    expect(spans.end).toBe(150 + 22)
  })
})

describe('the visible range of time', () => {
  it('zooming keeps the time below the pointer in place and never leaves the run', () => {
    const range = zoomed({ from: 0, to: 1000 }, 250, 2, 1000)
    expect(range).toEqual({ from: 125, to: 625 })
    expect(zoomed(range, 250, 0.01, 1000)).toEqual({ from: 0, to: 1000 })
    expect(panned(range, 10_000, 1000)).toEqual({ from: 500, to: 1000 })
    expect(panned(range, -10_000, 1000)).toEqual({ from: 0, to: 500 })
    const closest = zoomed({ from: 0, to: 1000 }, 500, 1e9, 1000)
    expect(closest.to - closest.from).toBe(20)
  })

  it('the axis has round ticks', () => {
    expect(ticksOf({ from: 3, to: 98 }, 5)).toEqual([20, 40, 60, 80])
    expect(ticksOf({ from: 0, to: 0 }, 5)).toEqual([])
  })
})

describe('the table of a profile', () => {
  it('the table can be sorted by any column and is copied as it is shown', () => {
    const byCalls = sortTotals(report.operators, firstOrder('calls'))
    expect(byCalls[0]?.name).toBe('aten::mm')
    const names = sortTotals(report.operators, firstOrder('name')).map(({ name }) => name)
    expect(names).toEqual([...names].sort())
    const [header, first] = totalsCsv(byCalls).split('\r\n')
    expect(header?.split(',')).toHaveLength(10)
    expect(first).toMatch(/^aten::mm,operator,3,35,35,0\.2333\d*,350,\/project\/program\.py,3,1$/)
    expect(totalsMarkdown(byCalls, 'compute')).toContain(
      '| `aten::mm` | 3 | 35 ns | 35 ns | 23.3 % | 350 B | /project/program.py:3 |',
    )
  })

  it('fields with commas and quotes are quoted in CSV', () => {
    const [one] = report.operators
    if (!one) throw new Error('there are operators')
    const text = totalsCsv([{ ...one, name: 'CppNode<a, "b">' }])
    expect(text).toContain('"CppNode<a, ""b"">",')
  })
})

describe('numbers of a profile', () => {
  it('numbers are short in pictures and exact in the details', () => {
    expect([timeText(0), timeText(999), timeText(1234), timeText(12_345_678)]).toEqual([
      '0 ns',
      '999 ns',
      '1.23 µs',
      '12.3 ms',
    ])
    expect([exactTime(1234), exactTime(12_345_678)]).toEqual(['1.234 µs', '12.345678 ms'])
    expect([bytesText(0), bytesText(999), bytesText(1610), bytesText(2.5e9)]).toEqual([
      '0 B',
      '999 B',
      '1.61 kB',
      '2.50 GB',
    ])
  })
})
