import { describe, expect, it } from 'vitest'

import { baselineText, compareWithBaseline } from '../../electron/cli/verbs/bench/baseline'
import type { Baseline } from '../../electron/cli/verbs/bench/baseline'
import { timingCsv, timingJson } from '../../electron/cli/verbs/bench/json'
import {
  bestRows,
  timingTables,
  rateText,
  tableMarkdown,
  tableText,
  timeText,
  unitFor,
} from '../../electron/cli/verbs/bench/table'
import type { TimingReport, TimingRow } from '../../electron/contract/timing-report'

const point = { sizes: {}, dtype: '', threads: 1, cold: false }

function rowOf(
  variant: string,
  median: number | undefined,
  more: Partial<TimingRow> = {},
): TimingRow {
  const half = (median ?? 0) * 0.01
  return {
    entry: 0,
    op: 'my::f',
    kind: 'operator',
    variant,
    direction: 'forward',
    device: 'cpu',
    point,
    refused: '',
    warnings: [],
    samples: [],
    times: [],
    ...(median === undefined
      ? { refused: 'the result is wrong' }
      : {
          summary: {
            median,
            p25: median - half,
            p75: median + half,
            min: median,
            max: 2 * median,
            interval: [median - half / 2, median + half / 2],
            samples: 40,
            callsPerSample: 3,
          },
        }),
    ...more,
  }
}

const other = { kind: 'other' as const }
const faster = { ratio: 0.5, interval: [0.49, 0.51], verdict: 'faster' } as const
const same = { ratio: 1, interval: [0.98, 1.02], verdict: 'no difference' } as const
const rows: TimingRow[] = [
  rowOf('my::f', 187.719e-6),
  rowOf('aten::f', 149.802e-6, { ...other, ratio: { ...faster, interval: [0.49, 0.51] } }),
  rowOf('a | b', undefined, { kind: 'expression' }),
  rowOf('my::f', 410.815e-6, { direction: 'backward', warnings: ['Drift of 5 %: wait.'] }),
  rowOf('aten::f', 411e-6, {
    ...other,
    direction: 'backward',
    warnings: ['Drift of 6 %: wait.'],
    ratio: { ...same, interval: [0.98, 1.02] },
  }),
]
const report: TimingReport = {
  rows,
  machine: {
    processor: 'P',
    cores: 4,
    cacheBytes: 1,
    countersMissing: '',
    frequency: { governor: '', least: 0, most: 0, turbo: '' },
  },
  ceilingsDoubt: '',
  devices: [],
  seconds: 1,
  build: 'b',
}
const requests = [{ op: 'my::f', args: ['x'], builds: [] }]

describe('units of time', () => {
  it('a table has one unit, the largest in which its middle time is 1 or more', () => {
    expect(unitFor([2e-9, 3e-6, 5e-3])[0]).toBe('µs')
    expect(unitFor([2])[0]).toBe('s')
    expect(unitFor([1e-10])[0]).toBe('ns')
    expect(timeText(187.719e-6, unitFor([1e-6]))).toBe('188')
    expect(timeText(1.2345e-6, unitFor([1e-6]))).toBe('1.23')
    expect(timeText(0.0123456, unitFor([0.01]))).toBe('12.3')
    expect(rateText(89.1e9, 'FLOP/s')).toBe('89.1 GFLOP/s')
  })
})

describe('the best variant', () => {
  it('the best is the shortest of a direction, with all that do not differ from it', () => {
    const best = [...bestRows(rows)].map(({ variant, direction }) => `${variant} ${direction}`)
    expect(best.sort()).toEqual(['aten::f backward', 'aten::f forward', 'my::f backward'])
    expect(bestRows([rowOf('alone', 1)]).size).toBe(0)
  })
})

describe('the table of timings', () => {
  it('the table has a row a variant, a column a direction, and the remarks below', () => {
    const [table] = timingTables(report, requests)
    expect(table && tableText(table)).toEqual([
      'my::f(x)',
      '           forward [µs]             backward [µs]',
      '  my::f          188 ±2                    411 ±4        *',
      '  aten::f        150 ±1 (0.500×) *         411 ±4 (same) *',
      '  a | b               –',
      '  no time: the result is wrong (a | b, forward)',
      '  aten::f, time divided by the time of my::f: forward 0.500 (0.4900 to 0.5100), backward no difference (0.9800 to 1.020)',
      '  warning: Drift of 5 %: wait. (my::f, backward and 1 more)',
    ])
  })

  it('the share of dispatcher and autograd is shown unless it may be noise', () => {
    const notesOf = (layers: TimingRow['layers']): string[] =>
      timingTables({ rows: [rowOf('my::f', 1e-5, { layers })], devices: [] }, requests)[0]?.notes ??
      []
    expect(notesOf({ full: 10e-6, belowAutograd: 7e-6, kernel: 6.95e-6 })).toEqual([
      'my::f, forward: autograd 3.00 µs, dispatcher under 2 %, kernel 6.95 µs',
    ])
    expect(notesOf({ full: 10e-6, belowAutograd: 10.1e-6 })).toEqual([
      'my::f, forward: autograd under 2 %, dispatcher and kernel 10.1 µs',
    ])
  })

  it('the points of a sweep are shown next to the variants', () => {
    const swept = [2, 4].flatMap((N) => {
      const at = { point: { sizes: { N }, dtype: 'float64', threads: 2, cold: N === 4 } }
      return [rowOf('my::f', N * 1e-3, at), rowOf('x * 2', N * 2e-3, { ...at, kind: 'expression' })]
    })
    const [table] = timingTables({ rows: swept, devices: [] }, requests)
    expect(table?.cells.map(([first, second]) => [first?.text, second?.text])).toEqual([
      ['', ''],
      ['N 2, float64, 2 threads', 'my::f'],
      ['', 'x * 2'],
      ['N 4, float64, 2 threads, cold', 'my::f'],
      ['', 'x * 2'],
    ])
  })

  it('the table is written as Markdown with the best in bold', () => {
    const [table] = timingTables(report, requests)
    expect(table && tableMarkdown(table).slice(0, 7)).toEqual([
      '### my::f(x)',
      '',
      '|  | forward [µs] | backward [µs] |',
      '| :-- | --: | --: |',
      '| my::f | 188 ±2 | **411 ±4** |',
      '| aten::f | **150 ±1 (0.500×)** | **411 ±4 (same)** |',
      '| a \\| b | – |  |',
    ])
  })
})

describe('CSV and JSON', () => {
  it('CSV has a line for each row and quotes fields where needed', () => {
    const lines = timingCsv([
      rowOf('f(x, "y")', 1e-6, { point: { ...point, sizes: { N: 3 } }, warnings: ['a', 'b'] }),
      rowOf('g', undefined),
    ])
    expect(lines[0]).toMatch(/^op,variant,kind,direction,device,N,dtype,threads,cold,median,p25,/)
    expect(lines[1]).toMatch(/^my::f,"f\(x, ""y""\)",operator,forward,cpu,3,,1,false,0.000001,/)
    expect(lines[1]).toMatch(/,a b$/)
    expect(lines[2]).toMatch(/^my::f,g,operator,forward,cpu,,,1,false,,,.*,the result is wrong,$/)
  })

  it('JSON has the published fields', () => {
    const printed = timingJson(report, false, new Map()) as { ok: boolean; rows: object[] }
    expect(printed.ok).toBe(false)
    expect(printed.rows[1]).toMatchObject({
      op: 'my::f',
      variant: 'aten::f',
      direction: 'forward',
      device: 'cpu',
      unit: 's',
      median: 149.802e-6,
      samples: 40,
      ratio: 0.5,
      interval: [0.49, 0.51],
      warnings: [],
    })
    expect(printed.rows[2]).toMatchObject({ refused: 'the result is wrong' })
    expect(printed.rows[2]).not.toHaveProperty('median')
  })
})

describe('a baseline', () => {
  const before = JSON.parse(baselineText(report)) as Baseline
  const judge = (factor: number, failAbove = 1.05): boolean[] => {
    const slower = rows.map((row) => ({
      ...row,
      ...(row.summary
        ? { summary: rowOf('', row.summary.median * factor).summary ?? row.summary }
        : {}),
    }))
    return [...compareWithBaseline(slower, before, failAbove).values()].map(({ failed }) => failed)
  }

  it('rows with a time are compared, and only certain slowdowns fail', () => {
    expect(before.rows).toHaveLength(4)
    expect(judge(1)).toEqual([false, false, false, false])
    // 5.5 % slower, but each median is known to half a per cent only.
    expect(judge(1.055)).toEqual([false, false, false, false])
    expect(judge(1.07)).toEqual([true, true, true, true])
    expect(judge(1.07, 1.1)).toEqual([false, false, false, false])
  })

  it('a row is found in the baseline by what it timed', () => {
    const moved = rows.map((row) => ({ ...row, point: { ...point, threads: 2 } }))
    expect(compareWithBaseline(moved, before, 1.05).size).toBe(0)
  })
})
