import { useCallback, useMemo, useState, type ReactElement } from 'react'
import UPlot from 'uplot'

import type { TimingRow } from '../../../electron/contract/timing-report'
import { Chart } from '../../shell/primitives/Chart'
import { chartStyle, drawLine, readoutPlugin } from '../../shell/primitives/chart-style'
import { formatCount } from '../../shell/primitives/format'
import { Section } from '../../shell/primitives/Section'
import { Segmented } from '../../shell/primitives/Segmented'
import { distributionOf, quantile, runningMedian, type TimeDistribution } from './distribution'
import { inUnit, timeText, unitFor } from './time-units'

const chartHeight = 220

type View = 'distribution' | 'drift'

/** All samples of one row: how they spread, and whether they drift. */
export function SamplesSection({ row }: { row: TimingRow }): ReactElement | null {
  const [view, setView] = useState<View>('distribution')
  const { summary, samples } = row
  if (!summary || samples.length === 0) return null
  const calls = summary.callsPerSample
  return (
    <Section
      title="Samples"
      note={`${row.direction} of ${row.variant} · ${formatCount(samples.length, 'sample')}, ${calls === 1 ? 'one call each' : `${calls.toLocaleString('en')} calls each`}`}
      actions={
        <Segmented
          label="View of the samples"
          value={view}
          onChange={setView}
          options={[
            { value: 'distribution', label: 'Distribution' },
            { value: 'drift', label: 'Over time', testId: 'timings-drift' },
          ]}
        />
      }
    >
      {view === 'distribution' ? <Histogram row={row} /> : <Drift row={row} />}
      <dl className="stats">
        {(
          [
            ['minimum', summary.min],
            ['lower quartile', summary.p25],
            ['median', summary.median],
            ['upper quartile', summary.p75],
            ['maximum', summary.max],
          ] as const
        ).map(([name, value]) => (
          <div className="stat" key={name}>
            <dt>{name}</dt>
            <dd className="number">{timeText(value)}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}

function Histogram({ row }: { row: TimingRow }): ReactElement {
  const distribution = useMemo(() => distributionOf(row.samples), [row.samples])
  const make = useCallback(
    (element: HTMLElement) => histogramChart(element, distribution, row.samples),
    [distribution, row.samples],
  )
  const most = Math.max(...distribution.counts)
  const at = distribution.counts.indexOf(most)
  return (
    <>
      <Chart
        make={make}
        label={`Histogram of ${row.samples.length} samples. The fullest bin has ${formatCount(most, 'sample')}, from ${timeText(distribution.edges[at] ?? 0)} to ${timeText(distribution.edges[at + 1] ?? 0)}.`}
        testId="timings-histogram"
      />
      {distribution.beyond > 0 && (
        <p className="muted">
          {formatCount(distribution.beyond, 'sample')} {distribution.beyond === 1 ? 'is' : 'are'}{' '}
          too slow to fit into the chart. The slowest sample is {timeText(row.summary?.max ?? 0)}.
        </p>
      )}
    </>
  )
}

function histogramChart(
  element: HTMLElement,
  { edges, counts }: TimeDistribution,
  samples: readonly number[],
): { options: Omit<UPlot.Options, 'width'>; data: UPlot.AlignedData } {
  const { colour, axis, canvasFont } = chartStyle(element)
  const unit = unitFor(edges)
  const sorted = [...samples].sort((a, b) => a - b)
  const quartiles = [0.25, 0.5, 0.75].map((part) => quantile(sorted, part))
  const draw = (chart: UPlot): void => {
    const { ctx, bbox } = chart
    const ratio = window.devicePixelRatio
    ctx.save()
    ctx.font = canvasFont
    ctx.strokeStyle = colour('--warning')
    ctx.fillStyle = colour('--text')
    for (const [index, value] of quartiles.entries()) {
      const x = chart.valToPos(value, 'x', true)
      ctx.lineWidth = (index === 1 ? 2 : 1) * ratio
      ctx.setLineDash(index === 1 ? [] : [4 * ratio, 3 * ratio])
      drawLine(ctx, [x, bbox.top], [x, bbox.top + bbox.height])
    }
    ctx.textAlign = 'left'
    const [, median = 0] = quartiles
    ctx.fillText('median', chart.valToPos(median, 'x', true) + 5 * ratio, bbox.top + 12 * ratio)
    ctx.restore()
  }
  return {
    options: {
      height: chartHeight,
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: {
        x: { time: false },
        y: { range: (_chart, _low, high) => [0, Math.max(high * 1.15, 1)] },
      },
      axes: [
        {
          ...axis,
          label: `one call (${unit.name})`,
          size: 28,
          values: (_chart, splits) => splits.map((value) => tickText(value / unit.seconds)),
        },
        { ...axis, label: 'samples', size: 46 },
      ],
      series: [
        {},
        {
          stroke: colour('--accent'),
          fill: colour('--accent-fill'),
          width: 1.5,
          ...(UPlot.paths.stepped ? { paths: UPlot.paths.stepped({ align: 1 }) } : {}),
          points: { show: false },
        },
      ],
      plugins: [
        { hooks: { draw } },
        readoutPlugin((chart) => {
          const value = chart.posToVal(chart.cursor.left ?? 0, 'x')
          const after = edges.findIndex((edge) => edge > value)
          const bin = after < 1 ? counts.length - 1 : after - 1
          return `${counts[bin] ?? 0} from ${timeText(edges[bin] ?? 0)} to ${timeText(edges[bin + 1] ?? 0)}`
        }),
      ],
    },
    // The last count is repeated, so that the last step reaches the last edge.
    data: [edges, [...counts, counts.at(-1) ?? 0]],
  }
}

function tickText(value: number): string {
  return Number(value.toPrecision(4)).toLocaleString('en', { maximumSignificantDigits: 4 })
}

function Drift({ row }: { row: TimingRow }): ReactElement {
  const make = useCallback((element: HTMLElement) => driftChart(element, row), [row])
  const medians = runningMedian(row.samples)
  const change = ((medians.at(-1) ?? 0) / (medians[0] ?? 1) - 1) * 100
  const amount = Math.abs(change) < 0.1 ? 'less than 0.1' : Math.abs(change).toFixed(1)
  const text = `The median ${change < 0 ? 'fell' : 'rose'} by ${amount} % from the first samples to the last.`
  return (
    <>
      <Chart make={make} label={`Samples over time. ${text}`} testId="timings-drift-chart" />
      <p className="muted">{text}</p>
    </>
  )
}

function driftChart(
  element: HTMLElement,
  row: TimingRow,
): { options: Omit<UPlot.Options, 'width'>; data: UPlot.AlignedData } {
  const { colour, axis } = chartStyle(element)
  const { samples, times } = row
  const unit = unitFor(samples)
  const { edges } = distributionOf(samples)
  const low = edges[0] ?? 0
  const high = edges.at(-1) ?? 1
  const room = (high - low) / 12
  return {
    options: {
      height: chartHeight,
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: { x: { time: false }, y: { range: () => [Math.max(0, low - room), high + room] } },
      axes: [
        {
          ...axis,
          label: 'time since the first sample (s)',
          size: 28,
          values: (_chart, splits) => splits.map(tickText),
        },
        {
          ...axis,
          label: `one call (${unit.name})`,
          size: 58,
          values: (_chart, splits) => splits.map((value) => tickText(value / unit.seconds)),
        },
      ],
      series: [
        {},
        {
          paths: () => null,
          points: { show: true, size: 4, width: 0, fill: `${colour('--accent')}90` },
        },
        { stroke: colour('--warning'), width: 2, points: { show: false } },
      ],
      plugins: [
        readoutPlugin((chart) => {
          const at = chart.cursor.idx ?? -1
          const sample = samples[at]
          return sample === undefined
            ? ''
            : `sample ${at + 1}: ${inUnit(sample, unit)} ${unit.name}`
        }),
      ],
    },
    data: [times, samples, runningMedian(samples)],
  }
}
