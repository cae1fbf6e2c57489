import UPlot from 'uplot'

import type { SweepBranch, SweepCurve, SweepReport } from '../../../electron/contract/gradcheck'
import { formatNumber } from '../../shell/primitives/format'
import { powerText } from './case'

export type SweepPlot = {
  eps: number
  atol: number
  rtol: number
  onEps: (eps: number) => void
}

export const chartHeight = 270

/** Logarithms know no zero: an error of none is drawn at the bottom. */
const smallest = 1e-18

type Column = (number | null)[]

/** One column for eps, one a curve; ascending, as uPlot wants them. */
export function errorColumns(curves: readonly SweepCurve[]): [number[], ...Column[]] {
  const steps = [...new Set(curves.flatMap((curve) => curve.points.map((point) => point.eps)))]
  steps.sort((a, b) => a - b)
  const columns = curves.map((curve): Column => {
    const errors = new Map(curve.points.map((point) => [point.eps, point.maxAbsolute]))
    return steps.map((eps) => shownError(errors.get(eps)))
  })
  return [steps, ...columns]
}

function shownError(error: number | undefined): number | null {
  return error === undefined || !Number.isFinite(error) ? null : Math.max(error, smallest)
}

/** The largest magnitude of the Jacobians, which the relative tolerance is taken of. */
export function largestMagnitude(report: SweepReport): number {
  const sizes = report.curves.flatMap((curve) =>
    curve.points.flatMap((point) =>
      point.maxRelative > 0 && Number.isFinite(point.maxAbsolute)
        ? [point.maxAbsolute / point.maxRelative]
        : [],
    ),
  )
  // The median: at a step that is far too small the numerical Jacobian is nothing but rounding.
  sizes.sort((a, b) => a - b)
  return sizes[Math.floor(sizes.length / 2)] ?? 0
}

export function makeChart(element: HTMLElement, report: SweepReport, plot: () => SweepPlot): UPlot {
  const style = getComputedStyle(element)
  const colour = (name: string): string => style.getPropertyValue(name).trim()
  const font = `${style.fontSize} ${style.fontFamily}`
  const small = `${Math.round(parseFloat(style.fontSize) * 0.86)}px ${style.fontFamily}`
  const curves = report.curves.filter((curve) => curve.points.length > 0)
  const strokes = curves.map((_, index) => colour(index === 0 ? '--warning' : '--accent'))
  const axis: UPlot.Axis = {
    stroke: colour('--text-muted'),
    grid: { stroke: colour('--border'), width: 1 },
    ticks: { stroke: colour('--border'), width: 1, size: 4 },
    font: small,
    labelFont: small,
    values: (_chart, splits) => splits.map((value) => powerText(value).replace('e+', 'e')),
    // By default logarithmic axes leave out what they find too close.
    filter: (_chart, splits) => splits,
    splits: (chart, index, low, high) => decades(low, high, index === 0 ? chart.bbox.width : 0),
  }
  const data = errorColumns(curves)
  const chart = new UPlot(
    {
      width: element.clientWidth,
      height: chartHeight,
      legend: { show: false },
      cursor: { y: false, points: { size: 9 }, drag: { x: false, y: false } },
      scales: {
        // To the right there is room for a word.
        x: { time: false, distr: 3, range: (_chart, low, high) => [low / 1.5, high * 8] },
        y: { distr: 3, range: (_chart, low, high) => rangeOf(low, high, plot().atol) },
      },
      axes: [
        { ...axis, label: 'eps', labelSize: 16, size: 28, space: 44 },
        { ...axis, label: 'largest error', labelSize: 16, size: 46, space: 22 },
      ],
      series: [
        {},
        ...curves.map((curve, index): UPlot.Series => {
          return {
            label: curve.dtype,
            stroke: strokes[index] ?? 'gray',
            width: 1.5,
            points: { show: false },
          }
        }),
      ],
      plugins: [decoration(curves, strokes, colour, font, small, largestMagnitude(report), plot)],
    },
    data,
    element,
  )
  chart.over.style.cursor = 'pointer'
  chart.over.addEventListener('click', () => {
    const eps = data[0][chart.cursor.idx ?? -1]
    if (eps !== undefined) plot().onEps(eps)
  })
  return chart
}

/** Powers of ten, all of them or each second, third … as there is room. */
export function decades(low: number, high: number, width: number): number[] {
  const first = Math.ceil(Math.log10(low) - 1e-9)
  const last = Math.floor(Math.log10(high) + 1e-9)
  const room = width > 0 ? Math.max(width / window.devicePixelRatio / 46, 2) : 9
  const step = Math.max(1, Math.ceil((last - first + 1) / room))
  const powers: number[] = []
  for (let power = last; power >= first; power -= step) powers.unshift(Number(`1e${power}`))
  return powers
}

/** Whole decades, the tolerance among them; below the smallest error there is room for a word. */
export function rangeOf(low: number, high: number, atol: number): [number, number] {
  const floor = Math.min(low, atol > 0 ? atol : low)
  const ceiling = Math.max(high, atol)
  return [10 ** (Math.floor(Math.log10(floor)) - 1), 10 ** Math.ceil(Math.log10(ceiling) + 0.2)]
}

/** Tolerance, verdicts, branches, the recommended and the chosen step. */
function decoration(
  curves: readonly SweepCurve[],
  strokes: readonly string[],
  colour: (name: string) => string,
  font: string,
  small: string,
  magnitude: number,
  plot: () => SweepPlot,
): UPlot.Plugin {
  const label = document.createElement('div')
  label.className = 'chart-readout number'
  const draw = (chart: UPlot): void => {
    const { ctx, bbox } = chart
    const ratio = window.devicePixelRatio
    const px = (eps: number): number => chart.valToPos(eps, 'x', true)
    const py = (error: number): number => chart.valToPos(Math.max(error, smallest), 'y', true)
    const { atol, rtol, eps } = plot()
    ctx.save()
    ctx.beginPath()
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
    ctx.clip()
    ctx.scale(ratio, ratio)
    const left = bbox.left / ratio
    const right = (bbox.left + bbox.width) / ratio
    const top = bbox.top / ratio
    const bottom = (bbox.top + bbox.height) / ratio
    ctx.font = small.replace(/^([\d.]+)px/, (_whole, size: string) => `${size}px`)
    // What passes: the largest element may be off by all of it, one of 0 by atol only.
    const tolerance = atol + rtol * magnitude
    if (tolerance > 0) {
      const y = py(tolerance) / ratio
      ctx.fillStyle = `${colour('--ok')}14`
      ctx.fillRect(left, y, right - left, bottom - y)
      ctx.strokeStyle = colour('--ok')
      ctx.setLineDash([6, 4])
      line(ctx, left, y, right, y)
      ctx.setLineDash([])
      ctx.fillStyle = colour('--ok')
      ctx.textAlign = 'left'
      ctx.fillText(`tolerance ${formatNumber(tolerance, 2)}`, left + 6, y - 5)
    }
    const chosen = px(eps) / ratio
    ctx.strokeStyle = colour('--text-muted')
    ctx.setLineDash([2, 3])
    line(ctx, chosen, top, chosen, bottom)
    ctx.setLineDash([])
    ctx.fillStyle = colour('--text-muted')
    const toLeft = chosen > (left + right) / 2
    ctx.textAlign = toLeft ? 'right' : 'left'
    ctx.fillText(`eps ${powerText(eps)}`, chosen + (toLeft ? -4 : 4), top + 11)
    for (const [index, curve] of curves.entries()) {
      const stroke = strokes[index] ?? 'gray'
      for (const point of curve.points) {
        if (!Number.isFinite(point.maxAbsolute)) continue
        dot(ctx, px(point.eps) / ratio, py(point.maxAbsolute) / ratio, stroke, point.ok)
      }
      const at = (point: Point): [number, number] => [
        px(point.eps) / ratio,
        py(point.maxAbsolute) / ratio,
      ]
      writeRounding(ctx, curve, stroke, at)
      // What is cut off is the same in every precision: its name stands once, at the finest.
      if (index === curves.length - 1) writeTruncation(ctx, curve, colour('--text'), at)
      const best = curve.recommended === undefined ? undefined : curve.points[curve.recommended]
      if (!best) continue
      const x = px(best.eps) / ratio
      const y = py(best.maxAbsolute) / ratio
      ctx.strokeStyle = stroke
      ctx.lineWidth = 2
      ctx.beginPath()
      ctx.arc(x, y, 7, 0, 2 * Math.PI)
      ctx.stroke()
      ctx.lineWidth = 1
      ctx.font = `600 ${font}`
      ctx.fillStyle = stroke
      // The last curve has nothing below it; the others have it on their right.
      const isLast = index === curves.length - 1
      ctx.textAlign = isLast ? 'center' : 'right'
      const word = `best ${powerText(best.eps)}`
      if (isLast) ctx.fillText(word, x, Math.min(y + 21, bottom - 4))
      else ctx.fillText(word, x - 11, y + 8)
      ctx.font = small
    }
    ctx.restore()
  }
  return {
    hooks: {
      init: (chart) => chart.over.append(label),
      draw,
      setCursor: (chart) => {
        const eps = chart.data[0][chart.cursor.idx ?? -1]
        label.textContent = eps === undefined ? '' : readout(curves, eps)
      },
    },
  }
}

function line(
  context: CanvasRenderingContext2D,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
): void {
  context.lineWidth = 1
  context.beginPath()
  context.moveTo(x0, y0)
  context.lineTo(x1, y1)
  context.stroke()
}

/** A dot that passed, a cross that failed. */
function dot(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  stroke: string,
  ok: boolean,
): void {
  context.fillStyle = stroke
  context.strokeStyle = stroke
  context.lineWidth = 1.5
  context.beginPath()
  if (ok) {
    context.arc(x, y, 2.8, 0, 2 * Math.PI)
    context.fill()
    return
  }
  context.moveTo(x - 3, y - 3)
  context.lineTo(x + 3, y + 3)
  context.moveTo(x + 3, y - 3)
  context.lineTo(x - 3, y + 3)
  context.stroke()
}

type Point = SweepCurve['points'][number]

function pointsOf(curve: SweepCurve, branch: SweepBranch): Point[] {
  return curve.points.filter(
    (point) => point.branch === branch && Number.isFinite(point.maxAbsolute),
  )
}

/** Under its middle point: outside the V, where there is room. */
function writeRounding(
  context: CanvasRenderingContext2D,
  curve: SweepCurve,
  stroke: string,
  at: (point: Point) => [number, number],
): void {
  const points = pointsOf(curve, 'rounding')
  // From the largest step to the smallest: near the best one there is room to the left.
  const middle = points[Math.floor(points.length / 3)]
  if (!middle || points.length < 2) return
  const [x, y] = at(middle)
  context.fillStyle = stroke
  context.textAlign = 'right'
  context.fillText(`${curve.dtype} rounding`, x, y + 16)
}

/** Right of its lower part. */
function writeTruncation(
  context: CanvasRenderingContext2D,
  curve: SweepCurve,
  colour: string,
  at: (point: Point) => [number, number],
): void {
  const points = pointsOf(curve, 'truncation')
  const point = points[Math.floor((points.length * 2) / 3)]
  if (!point || points.length < 2) return
  const [x, y] = at(point)
  context.fillStyle = colour
  context.textAlign = 'left'
  context.fillText('truncation', x + 8, y + 8)
}

/** "eps 1e-4 · float64 1.2e-9 passes" */
export function readout(curves: readonly SweepCurve[], eps: number): string {
  const parts = curves.flatMap((curve) => {
    const point = curve.points.find((one) => one.eps === eps)
    if (!point) return []
    const verdict = point.ok ? 'passes' : 'fails'
    return [`${curve.dtype} ${formatNumber(point.maxAbsolute, 3)} ${verdict}`]
  })
  return [`eps ${powerText(eps)}`, ...parts].join(' · ')
}
