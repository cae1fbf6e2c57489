import { useCallback, useMemo, type ReactElement } from 'react'
import type UPlot from 'uplot'

import type { TimingReport, TimingRow } from '../../../electron/contract/timing-report'
import { Chart } from '../../shell/primitives/Chart'
import { chartStyle, drawLine, logTicks, readoutPlugin } from '../../shell/primitives/chart-style'
import { IconButton } from '../../shell/primitives/Button'
import { formatNumber } from '../../shell/primitives/format'
import { Section } from '../../shell/primitives/Section'
import { useJob } from '../../store/job'
import { ceilingsJob } from './jobs'
import { measureCeilings } from './run'
import { useIsTiming } from './shown'
import { seriesToken } from './curve-plot'
import { peakFor, rooflinePoints, type Ceilings, type RooflinePoint } from './roofline'
import { rateText, threadsText } from './time-units'

type Props = {
  rows: readonly TimingRow[]
  report: TimingReport | undefined
  dtype: string
}

/** How close to what the machine can do: by its bandwidth on the left, by its arithmetic on the right. */
export function RooflineSection({ rows, report, dtype }: Props): ReactElement | null {
  const device = rows[0]?.device ?? 'cpu'
  const onHost = device === 'cpu' ? report?.ceilings : undefined
  const ceilings: Ceilings | undefined =
    onHost ?? report?.devices.find((one) => one.device === device)?.ceilings
  const doubt = onHost ? (report?.ceilingsDoubt ?? '') : ''
  const points = useMemo(
    () => (ceilings ? rooflinePoints(rows, ceilings, dtype) : []),
    [rows, ceilings, dtype],
  )
  if (!ceilings || points.length === 0) return null
  return (
    <Section
      title="Roofline"
      note={`${ceilingsText(ceilings)} on ${onHost ? threadsText(onHost.threads) : device}`}
      actions={onHost && <MeasureAgain threads={onHost.threads} />}
    >
      {doubt !== '' && (
        <p className="tone-warning" data-testid="timings-ceilings-doubt">
          {doubt}
        </p>
      )}
      <RooflineChart points={points} ceilings={ceilings} />
      <details className="details">
        <summary>Numbers</summary>
        <div className="timings-wide">
          <table className="table number timings-numbers">
            <thead>
              <tr>
                <th>forward call</th>
                <th className="right">FLOP/B</th>
                <th className="right">rate</th>
                <th className="right">attainable</th>
                <th className="right">reached</th>
                <th>bound by</th>
              </tr>
            </thead>
            <tbody>
              {points.map((point) => (
                <tr key={point.label}>
                  <td>{point.label}</td>
                  <td className="right">{formatNumber(point.intensity, 3)}</td>
                  <td className="right">{rateText(point.flopsPerSecond, 'FLOP')}</td>
                  <td className="right">{rateText(point.attainable, 'FLOP')}</td>
                  <td className="right">{reachedText(point)}</td>
                  <td>{point.bound}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </Section>
  )
}

function ceilingsText({ bytesPerSecond, flopsPerSecond }: Ceilings): string {
  const rates = Object.entries(flopsPerSecond).map(
    ([dtype, rate]) => `${rateText(rate, 'FLOP')} ${dtype}`,
  )
  return [rateText(bytesPerSecond, 'B'), ...rates].join(', ')
}

function MeasureAgain({ threads }: { threads: number }): ReactElement {
  const isMeasuring = useJob(ceilingsJob, (state) => state.running !== null)
  const isBusy = useIsTiming() || isMeasuring
  return (
    <IconButton
      icon="refresh"
      label="Measure the memory bandwidth and FLOP/s again"
      disabled={isBusy}
      onClick={() => void measureCeilings(threads)}
      testId="timings-measure-ceilings"
    />
  )
}

/** Above 100 %, the caches fed it: the ceiling is that of main memory. */
function reachedText(point: RooflinePoint): string {
  const part = (100 * point.flopsPerSecond) / point.attainable
  return `${part >= 10 ? part.toFixed(0) : part.toPrecision(2)} %`
}

function RooflineChart({
  points,
  ceilings,
}: {
  points: readonly RooflinePoint[]
  ceilings: Ceilings
}): ReactElement {
  const make = useCallback(
    (element: HTMLElement) => rooflineChart(element, points, ceilings),
    [points, ceilings],
  )
  const text = points.map(
    (point) => `${point.label}: ${reachedText(point)} of the attainable rate.`,
  )
  return (
    <>
      <Chart
        make={make}
        label={`Roofline of ${points.length} points. ${text.join(' ')}`}
        testId="timings-roofline"
      />
      <ul className="timings-legend">
        {variantsOf(points).map((variant, index) => (
          <li key={variant}>
            <svg className="timings-mark" viewBox="-6 -6 12 12" aria-hidden>
              <path d={markPath(index, 4.5)} fill={`var(${seriesToken(index)})`} />
            </svg>
            <span className="mono">{variant}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

function rooflineChart(
  element: HTMLElement,
  points: readonly RooflinePoint[],
  ceilings: Ceilings,
): { options: Omit<UPlot.Options, 'width'>; data: UPlot.AlignedData } {
  const { colour, axis, canvasFont } = chartStyle(element)
  const float32 = peakFor('float32', ceilings)
  const float64 = peakFor('float64', ceilings)
  const bandwidth = ceilings.bytesPerSecond
  const ridge = float32 / bandwidth
  const sorted = [...points].sort((a, b) => a.intensity - b.intensity)
  const intensities = sorted.map((point) => point.intensity)
  const low = Math.min(...intensities, ridge) / 4
  const high = Math.max(...intensities, ridge) * 4
  const rates = sorted.map((point) => point.flopsPerSecond)
  const bottom = Math.min(...rates, bandwidth * low) / 2
  const top = Math.max(...rates, float32) * 2
  const variants = variantsOf(points)
  const draw = (chart: UPlot): void => {
    const { ctx, bbox } = chart
    const ratio = window.devicePixelRatio
    const at = (intensity: number, rate: number): [number, number] => [
      chart.valToPos(intensity, 'x', true),
      chart.valToPos(rate, 'y', true),
    ]
    ctx.save()
    ctx.beginPath()
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
    ctx.clip()
    ctx.font = canvasFont
    ctx.lineWidth = 1.5 * ratio
    ctx.strokeStyle = colour('--text-muted')
    ctx.fillStyle = colour('--text-muted')
    drawLine(ctx, at(low, bandwidth * low), at(ridge, float32))
    const [, y32] = at(high, float32)
    const [, y64] = at(high, float64)
    drawLine(ctx, at(ridge, float32), at(high, float32))
    ctx.textAlign = 'right'
    const edge = bbox.left + bbox.width - 6 * ratio
    ctx.fillText('float32', edge, y32 - 5 * ratio)
    ctx.setLineDash([6 * ratio, 4 * ratio])
    drawLine(ctx, at(float64 / bandwidth, float64), at(high, float64))
    ctx.setLineDash([])
    if (Math.abs(y64 - y32) > 14 * ratio) ctx.fillText('float64', edge, y64 - 5 * ratio)
    ctx.textAlign = 'left'
    const [x0, y0] = at(low * 1.3, bandwidth * low * 1.3)
    ctx.fillText('memory', x0 + 8 * ratio, y0 + 12 * ratio)
    for (const point of sorted) {
      const [x, y] = at(point.intensity, point.flopsPerSecond)
      const index = variants.indexOf(point.variant)
      ctx.fillStyle = colour(seriesToken(index))
      ctx.save()
      ctx.translate(x, y)
      const shape = new Path2D(markPath(index, 4.5 * ratio))
      // What lies below shines through, and its outline is seen.
      ctx.globalAlpha = 0.45
      ctx.fill(shape)
      ctx.globalAlpha = 1
      ctx.strokeStyle = ctx.fillStyle
      ctx.stroke(shape)
      ctx.restore()
    }
    ctx.restore()
  }
  const options: Omit<UPlot.Options, 'width'> = {
    height: 280,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: { time: false, distr: 3, range: () => [low, high] },
      y: { distr: 3, range: () => [bottom, top] },
    },
    axes: [
      {
        ...axis,
        label: 'FLOP / byte',
        size: 28,
        splits: (_chart, _index, from, to) => logTicks(from, to, 7),
        values: (_chart, splits) => splits.map((value) => formatNumber(value, 3)),
      },
      {
        ...axis,
        label: 'FLOP/s',
        size: 62,
        splits: (_chart, _index, from, to) => logTicks(from, to, 7),
        values: (_chart, splits) =>
          splits.map((value) => rateText(value, 'FLOP').replace(/(\.0+)? (\w?)FLOP\/s/, ' $2')),
      },
    ],
    series: [{}, { width: 0, points: { show: false } }],
    plugins: [
      { hooks: { draw } },
      readoutPlugin((chart) => {
        const point = sorted[chart.cursor.idx ?? -1]
        return point
          ? `${point.label}: ${rateText(point.flopsPerSecond, 'FLOP')}, ${reachedText(point)}`
          : ''
      }),
    ],
  }
  return { options, data: [intensities, rates] }
}

function variantsOf(points: readonly RooflinePoint[]): string[] {
  return [...new Set(points.map((point) => point.variant))]
}

/** A shape of its own for each of a few variants, around 0: colour alone must not tell them apart. */
function markPath(index: number, size: number): string {
  const corners = [0, 4, 3, 5][index % 4] ?? 0
  if (corners === 0) {
    const arc = `a${size},${size} 0 1 0`
    return `M${-size},0${arc} ${2 * size},0${arc} ${-2 * size},0z`
  }
  const points = Array.from({ length: corners }, (_, corner) => {
    const angle = (2 * Math.PI * corner) / corners - Math.PI / 2
    return `${1.25 * size * Math.cos(angle)},${1.25 * size * Math.sin(angle)}`
  })
  return `M${points.join('L')}z`
}
