import { describe, expect, it } from 'vitest'

import {
  bestOf,
  csvOf,
  markdownOf,
  pointLabel,
  tableOf,
  verdictText,
  warningsOf,
} from '../../renderer/features/timings/table'
import {
  amountText,
  inUnit,
  rateText,
  ratioText,
  timeText,
  unitFor,
} from '../../renderer/features/timings/time-units'
import { ratioOf, rowOf } from './timing-samples'

const own = rowOf({ median: 12e-6 })
const other = rowOf({
  median: 8e-6,
  kind: 'expression',
  variant: 'torch.f(x)',
  ratio: ratioOf(0.66, 'faster'),
})

describe('times in the table', () => {
  it('a time has four figures, whatever its size', () => {
    const unit = unitFor([1e-6])
    expect(
      [0.0123e-6, 0.456e-6, 1.23456e-6, 12.3456e-6, 123.456e-6, 1234.56e-6, 12345.6e-6].map(
        (seconds) => inUnit(seconds, unit),
      ),
    ).toEqual(['0.0123', '0.456', '1.235', '12.35', '123.5', '1235', '12,346'])
    expect(timeText(2.5e-3)).toBe('2.500 ms')
    expect(timeText(3e-9)).toBe('3.000 ns')
    expect(timeText(75)).toBe('75.00 s')
  })

  it('all times have the unit of the middle one, unless the smallest would vanish', () => {
    expect(unitFor([4e-6, 9e-6, 26e-6]).name).toBe('µs')
    expect(unitFor([0.7e-6, 40e-6, 380e-6]).name).toBe('µs')
    expect(unitFor([2e-9, 2e-3, 3e-3]).name).toBe('ns')
    expect(unitFor([]).name).toBe('ns')
  })

  it('rates, amounts and ratios have their units', () => {
    expect(rateText(21.2e9, 'B')).toBe('21.2 GB/s')
    expect(rateText(850e6, 'FLOP')).toBe('850 MFLOP/s')
    expect(amountText(64, 'B')).toBe('64 B')
    expect(amountText(1024, 'B')).toBe('1.02 kB')
    expect([0.0123, 0.5, 1.5, 15, 150].map((ratio) => ratioText(ratio))).toEqual([
      '0.012×',
      '0.50×',
      '1.50×',
      '15.0×',
      '150×',
    ])
  })
})

describe('the table of timings', () => {
  it('variants are rows, directions are columns, and the operator itself comes first', () => {
    const rows = [
      other,
      own,
      rowOf({ median: 30e-6, direction: 'backward' }),
      rowOf({ median: 1e-3, entry: 1, op: 'my::g', variant: 'my::g' }),
    ]
    const table = tableOf(rows)
    expect(table.directions).toEqual(['forward', 'backward'])
    expect(table.unit.name).toBe('µs')
    expect(table.groups.map((group) => [group.entry, group.op, group.label])).toEqual([
      [0, 'my::f', ''],
      [1, 'my::g', ''],
    ])
    const [first] = table.groups
    expect(first?.lines.map((line) => line.variant)).toEqual(['my::f', 'torch.f(x)'])
    expect(first?.lines[0]?.cells.backward).toBe(rows[2])
    expect(first?.lines[1]?.cells.backward).toBeUndefined()
    expect([...(first?.best ?? [])]).toEqual([other])
  })

  it('nothing is best where nothing differs, and ties are all marked', () => {
    const same = { ...other, ratio: ratioOf(0.99, 'no difference') }
    expect(bestOf([own, same], 'forward')).toEqual([])
    expect(bestOf([own], 'forward')).toEqual([])
    const tied = rowOf({
      median: 8.1e-6,
      kind: 'other',
      variant: 'g',
      ratio: ratioOf(0.67, 'faster'),
    })
    expect(bestOf([own, other, tied], 'forward')).toEqual([other, tied])
    // By the paired ratio, not by intervals that drift has pulled apart.
    const drifted = rowOf({
      median: 8e-6,
      kind: 'build',
      variant: 'b',
      ratio: ratioOf(1, 'no difference'),
    })
    const slow = rowOf({ median: 50e-6, kind: 'other', variant: 's', ratio: ratioOf(4, 'slower') })
    expect(bestOf([own, drifted, slow], 'forward')).toEqual([own, drifted])
    // A row without a speed is no rival.
    expect(bestOf([own, rowOf({ median: 0, kind: 'other' })], 'forward')).toEqual([])
  })

  it('points are named by what varies only', () => {
    const points = [16, 4096].map(
      (N) => rowOf({ median: 1e-6, point: { sizes: { N, B: 2 }, dtype: 'float32' } }).point,
    )
    const [first, second] = points
    if (!first || !second) throw new Error('no points')
    expect(pointLabel(second, points)).toBe('N 4,096')
    expect(pointLabel(first, [first, { ...first, threads: 4 }])).toBe('1 thread')
    expect(pointLabel(first, [first, { ...first, cold: true, dtype: 'float64' }])).toBe(
      'float32, warm',
    )
  })

  it('a ratio without a difference is written as "no difference"', () => {
    expect(verdictText({ ...other, ratio: ratioOf(1, 'no difference') })).toBe(
      '1.00× [0.98, 1.02] no difference',
    )
    expect(verdictText(own)).toBe('')
    // Two digits would say that 1 lies within.
    const close = {
      ratio: 0.97,
      interval: [0.95, 0.9982] as [number, number],
      verdict: 'faster' as const,
    }
    expect(verdictText({ ...other, ratio: close })).toBe('1.031× [1.002, 1.053] faster')
  })

  it('the table is copied as Markdown with the best in bold, refusals and warnings', () => {
    const wrong = rowOf({
      median: 0,
      kind: 'other',
      variant: 'a | b',
      refused: 'the result is wrong',
    })
    const noisy = { ...own, warnings: ['Other programs kept 1.2 cores busy: end them.'] }
    const text = markdownOf([noisy, other, wrong], 'quartiles', 'a processor, 2 cores')
    expect(text.split('\n').slice(0, 5)).toEqual([
      '| variant | forward (µs) |',
      '| --- | ---: |',
      '| `my::f` | 12.00 [11.76, 12.24] |',
      '| `torch.f(x)` | **8.000** [7.840, 8.160] 1.52× [1.49, 1.55] faster |',
      '| `a \\| b` | no time: wrong result |',
    ])
    expect(text).toContain('a processor, 2 cores.')
    expect(text).toContain('- forward of a | b: the result is wrong')
    expect(text).toContain('- forward of my::f: Other programs kept 1.2 cores busy: end them.')
  })

  it('the table is copied as CSV, with commas and quotes inside cells', () => {
    const odd = rowOf({
      median: 0,
      variant: 'f("a", b)',
      refused: 'no, "never"',
      point: { sizes: { N: 4 } },
    })
    const [head = '', first = '', second = ''] = csvOf([own, odd]).split('\n')
    expect(first.split(',').length).toBe(head.split(',').length)
    expect(first).toContain('my::f,operator,my::f,forward,cpu,,,1,false,0.000012,')
    expect(second).toContain('"f(""a"", b)"')
    expect(second).toContain('"no, ""never"""')
    expect(second).toContain('N=4')
  })

  it('warnings that differ only in their numbers are shown once', () => {
    const warned = (direction: 'forward' | 'backward', cores: string): typeof own => ({
      ...rowOf({ median: 1e-6, direction }),
      warnings: [`Others kept ${cores} of 2 cores busy.`],
    })
    expect(warningsOf([warned('forward', '1.2'), warned('backward', '1.35')])).toEqual([
      {
        message: 'Others kept 1.2 of 2 cores busy.',
        rows: ['forward of my::f', 'backward of my::f'],
      },
    ])
  })
})
