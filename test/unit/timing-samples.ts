import { timingRow, type TimingRow } from '../../electron/contract/timing-report'

type Given = Partial<Omit<TimingRow, 'summary' | 'point'>> & {
  /** Seconds; 0 for a row without a speed. */
  median: number
  /** Of the quartiles and the interval, around the median. */
  spread?: number
  point?: Partial<TimingRow['point']>
}

/** A row of a report, as main would send it. */
export function rowOf({ median, spread = 0.02, point = {}, ...rest }: Given): TimingRow {
  const low = median * (1 - spread)
  const high = median * (1 + spread)
  const summary = {
    median,
    p25: low,
    p75: high,
    min: low * 0.9,
    max: high * 2,
    interval: [low, high],
    samples: 40,
    callsPerSample: 10,
  }
  return timingRow.parse({
    entry: 0,
    op: 'my::f',
    kind: 'operator',
    variant: 'my::f',
    direction: 'forward',
    device: 'cpu',
    refused: '',
    warnings: [],
    samples: [],
    times: [],
    ...(median > 0 ? { summary } : {}),
    point: { sizes: {}, dtype: '', threads: 1, cold: false, ...point },
    ...rest,
  })
}

type Verdict = NonNullable<TimingRow['ratio']>['verdict']

export function ratioOf(ratio: number, verdict: Verdict): NonNullable<TimingRow['ratio']> {
  return { ratio, interval: [ratio * 0.98, ratio * 1.02], verdict }
}
