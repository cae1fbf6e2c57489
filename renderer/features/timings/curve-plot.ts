import type UPlot from 'uplot'

import { chartStyle, logTicks, readoutPlugin } from '../../shell/primitives/chart-style'
import {
  columnsOf,
  type Crossover,
  type Curve,
  type CurveMeasure,
  type SweptVariable,
} from './sweep-curves'
import { rateText, timeText } from './time-units'

/** Five beside six colours: thirty curves before two look the same, and neighbours differ without colour. */
const dashes: readonly number[][] = [[], [7, 4], [2, 3], [9, 3, 2, 3], [14, 3]]
const colours = 6

export function seriesToken(index: number): string {
  return `--series-${(index % colours) + 1}`
}

export function seriesDash(index: number): number[] {
  return dashes[index % dashes.length] ?? []
}

const height = 280

/** Medians with bands from quartile to quartile, both axes logarithmic, crossovers ringed. */
export function curveChart(
  element: HTMLElement,
  curves: readonly Curve[],
  over: SweptVariable,
  measure: CurveMeasure,
  crossovers: readonly Crossover[],
): { options: Omit<UPlot.Options, 'width'>; data: UPlot.AlignedData } {
  const { colour, axis, canvasFont } = chartStyle(element)
  const data = columnsOf(curves)
  // Logarithms know no zero: a sweep that has an empty size is drawn over a straight axis.
  const isLogarithmic = (over.values[0] ?? 0) > 0
  const yText = (value: number): string =>
    measure === 'time'
      ? tickText(value)
      : rateText(value, measure === 'bandwidth' ? 'B' : 'FLOP').replace('/s', '')
  const label = measure === 'time' ? 'time of one call' : measure === 'bandwidth' ? 'B/s' : 'FLOP/s'
  const options: Omit<UPlot.Options, 'width'> = {
    height,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: {
        time: false,
        ...(isLogarithmic ? { distr: 3 as const } : {}),
        range: (_chart, low, high) =>
          isLogarithmic
            ? [low / 1.12, high * 1.12]
            : [low - (high - low) / 30, high + (high - low) / 30],
      },
      y: { distr: 3, range: (_chart, low, high) => [low / 1.15, high * 1.2] },
    },
    axes: [
      {
        ...axis,
        label: over.label,
        size: 28,
        splits: (chart) => crowded(over.values, chart),
        values: (_chart, splits) => splits.map(countText),
      },
      {
        ...axis,
        label,
        size: measure === 'time' ? 54 : 66,
        splits: (_chart, _index, low, high) => logTicks(low, high),
        values: (_chart, splits) => splits.map(yText),
      },
    ],
    series: [
      {},
      ...curves.flatMap((curve, index): UPlot.Series[] => {
        const stroke = colour(seriesToken(index))
        const edge: UPlot.Series = { width: 0, points: { show: false }, spanGaps: true }
        return [
          {
            label: curve.label,
            stroke,
            width: 1.7,
            dash: seriesDash(index),
            spanGaps: true,
            points: { show: true, size: 6, stroke, fill: stroke },
          },
          edge,
          edge,
        ]
      }),
    ],
    bands: curves.map((_, index) => ({
      series: [3 * index + 3, 3 * index + 2],
      fill: `${colour(seriesToken(index))}38`,
    })),
    plugins: [
      readoutPlugin((chart) => {
        const x = data[0][chart.cursor.idx ?? -1]
        return x === undefined ? '' : curveReadout(curves, over, x, measure)
      }),
      {
        hooks: {
          draw: (chart) =>
            drawCrossovers(chart, crossovers, colour('--text'), colour('--panel'), canvasFont),
        },
      },
    ],
  }
  return { options, data }
}

/** The swept values themselves, each second, third … where they would touch. */
function crowded(values: readonly number[], chart: UPlot): number[] {
  const room = Math.max(2, Math.floor(chart.bbox.width / window.devicePixelRatio / 52))
  const every = Math.ceil(values.length / room)
  return values.filter((_, index) => (values.length - 1 - index) % every === 0)
}

/** "65 536" takes room: thousands and millions as powers of two where they are. */
export function countText(value: number): string {
  for (const [factor, suffix] of [
    [2 ** 30, 'Gi'],
    [2 ** 20, 'Mi'],
    [2 ** 10, 'Ki'],
  ] as const) {
    if (value >= factor && value % factor === 0) return `${value / factor} ${suffix}`
  }
  return value.toLocaleString('en')
}

/** A tick has a unit of its own: an axis may go from nanoseconds to seconds. */
function tickText(seconds: number): string {
  return timeText(seconds).replace(/\.?0+ /, ' ')
}

/** "N 4,096 · sigmoid 12.1 µs · aten::sigmoid 9.8 µs" */
export function curveReadout(
  curves: readonly Curve[],
  over: SweptVariable,
  x: number,
  measure: CurveMeasure,
): string {
  const parts = curves.flatMap((curve) => {
    const point = curve.points.find((one) => one.x === x)
    if (!point) return []
    const value =
      measure === 'time'
        ? timeText(point.y)
        : rateText(point.y, measure === 'bandwidth' ? 'B' : 'FLOP')
    return [`${curve.label} ${value}`]
  })
  return [`${over.label} ${x.toLocaleString('en')}`, ...parts].join(' · ')
}

function drawCrossovers(
  chart: UPlot,
  crossovers: readonly Crossover[],
  stroke: string,
  rim: string,
  font: string,
): void {
  const { ctx, bbox } = chart
  const ratio = window.devicePixelRatio
  ctx.save()
  ctx.strokeStyle = stroke
  ctx.fillStyle = stroke
  ctx.lineWidth = 1.5 * ratio
  ctx.font = font
  for (const { x, y, label } of crossovers) {
    const px = chart.valToPos(x, 'x', true)
    const py = chart.valToPos(y, 'y', true)
    ctx.beginPath()
    ctx.arc(px, py, 7 * ratio, 0, 2 * Math.PI)
    ctx.stroke()
    const toLeft = px > bbox.left + bbox.width / 2
    ctx.textAlign = toLeft ? 'right' : 'left'
    const at = [px + (toLeft ? -11 : 11) * ratio, py + 20 * ratio] as const
    // Curves run through it: a rim keeps the words apart from them.
    ctx.save()
    ctx.strokeStyle = rim
    ctx.lineWidth = 4 * ratio
    ctx.lineJoin = 'round'
    ctx.strokeText(label, ...at)
    ctx.restore()
    ctx.fillText(label, ...at)
  }
  ctx.restore()
}
