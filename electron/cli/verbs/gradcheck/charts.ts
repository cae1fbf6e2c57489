import type { SweepCurve, SweepReport } from '../../../contract/gradcheck'
import { powerText } from '../../../engine/project/gradcheck-case'
import { errorText } from './text'
import type { ErrorPicture } from './jacobian-picture'
import { escapeMarkup } from '../../markup'

/** Stops of viridis (S. van der Walt, N. Smith, matplotlib; CC0), dark to bright: perceptually even. */
const stops = [
  [68, 1, 84],
  [72, 40, 120],
  [62, 74, 137],
  [49, 104, 142],
  [38, 130, 142],
  [31, 158, 137],
  [53, 183, 121],
  [109, 205, 89],
  [180, 222, 44],
  [253, 231, 37],
] as const

/** Colours that a picture is quantized to: each is one path. */
const levels = 28

function colourOf(level: number): string {
  const place = (level / (levels - 1)) * (stops.length - 1)
  const below = stops[Math.floor(place)] ?? stops[0]
  const above = stops[Math.ceil(place)] ?? below
  const share = place - Math.floor(place)
  const channel = (i: 0 | 1 | 2): string =>
    Math.round(below[i] + (above[i] - below[i]) * share)
      .toString(16)
      .padStart(2, '0')
  return `#${channel(0)}${channel(1)}${channel(2)}`
}

/** What is not a number stands out from the scale; no error at all is no colour. */
const notANumber = { level: -1, fill: 'fill="#e4002b"' }
const noError = { level: -2, fill: 'class="none"' }

function fillOf(level: number): string {
  const special = [notANumber, noError].find((one) => one.level === level)
  return special?.fill ?? `fill="${colourOf(level)}"`
}

/** Two decimals: more than any screen shows. */
function at(value: number): string {
  return String(Math.round(value * 100) / 100)
}

/** A rectangle for each run of one colour in a row. */
function runsOf(picture: ErrorPicture, levelOf: (cell: number) => number): Map<number, string[]> {
  const paths = new Map<number, string[]>()
  for (let row = 0; row < picture.cellRows; row += 1) {
    let start = 0
    while (start < picture.cellColumns) {
      const level = levelOf(picture.cells[row * picture.cellColumns + start] ?? 0)
      let end = start + 1
      while (
        end < picture.cellColumns &&
        levelOf(picture.cells[row * picture.cellColumns + end] ?? 0) === level
      )
        end += 1
      const path = paths.get(level) ?? []
      path.push(`M${start} ${row}h${end - start}v1h-${end - start}z`)
      paths.set(level, path)
      start = end
    }
  }
  return paths
}

/** The decades that the errors of a picture span: 16 at most, which is all a double tells apart. */
function rangeOf(cells: readonly number[]): { low: number; high: number } | undefined {
  const logs = cells
    .filter((cell) => cell > 0 && Number.isFinite(cell))
    .map((cell) => Math.log10(cell))
  if (logs.length === 0) return undefined
  const high = logs.reduce((a, b) => Math.max(a, b))
  const low = logs.reduce((a, b) => Math.min(a, b))
  return { low: Math.max(low, high - 16), high }
}

/** Rows are elements of the input, columns of the output; colours the error's order of magnitude. */
export function errorHeatMap(picture: ErrorPicture): string {
  const range = rangeOf(picture.cells)
  const levelOf = (cell: number): number => {
    if (Number.isNaN(cell)) return notANumber.level
    if (cell === Infinity) return levels - 1
    if (cell === 0 || !range) return noError.level
    const span = range.high - range.low
    const share = span === 0 ? 1 : (Math.log10(cell) - range.low) / span
    return Math.round(Math.max(0, Math.min(1, share)) * (levels - 1))
  }
  const paths = [...runsOf(picture, levelOf)]
    .sort(([a], [b]) => a - b)
    .map(([level, path]) => `<path ${fillOf(level)} d="${path.join('')}"/>`)
  const { worst } = picture
  const inside =
    worst !== undefined &&
    worst.row >= picture.rowStart &&
    worst.row < picture.rowStart + picture.shownRows &&
    worst.column >= picture.columnStart &&
    worst.column < picture.columnStart + picture.shownColumns
  const scale = 320 / Math.max(picture.cellRows, picture.cellColumns)
  const width = picture.cellColumns * scale
  const height = picture.cellRows * scale
  const mark =
    inside && picture.failed
      ? `<circle class="worst" cx="${at(((worst.column - picture.columnStart + 0.5) * width) / picture.shownColumns)}" cy="${at(((worst.row - picture.rowStart + 0.5) * height) / picture.shownRows)}" r="9"/>`
      : ''
  const label = `${picture.title}: error of the Jacobian, ${picture.rows} by ${picture.columns}`
  return [
    `<svg role="img" viewBox="-6 -6 ${at(width + 12)} ${at(height + 12)}" width="${at(width + 12)}" height="${at(height + 12)}">`,
    `<title>${escapeMarkup(label)}</title>`,
    `<g transform="scale(${at(scale)})" shape-rendering="crispEdges">${paths.join('')}</g>`,
    `<rect class="frame" x="0" y="0" width="${at(width)}" height="${at(height)}"/>`,
    mark,
    '</svg>',
    scaleText(range, picture.cells),
  ].join('')
}

function scaleText(
  range: { low: number; high: number } | undefined,
  cells: readonly number[],
): string {
  if (!range) {
    const isExact = cells.every((cell) => cell === 0)
    return `<p class="scale">${isExact ? 'no error at all' : 'the errors are NaN or infinite'}</p>`
  }
  const colours = Array.from({ length: 8 }, (_, i) => colourOf(Math.round((i * (levels - 1)) / 7)))
  return `<p class="scale">${errorText(10 ** range.low)} <span class="ramp" style="background:linear-gradient(90deg,${colours.join(',')})"></span> ${errorText(10 ** range.high)}</p>`
}

const chart = { width: 640, height: 300, left: 60, right: 16, top: 14, bottom: 38 }

/** Exponents between two bounds, at most ten of them. */
function ticksOf(low: number, high: number): number[] {
  const step = Math.max(1, Math.ceil((high - low) / 10))
  const ticks: number[] = []
  for (let exponent = Math.ceil(low); exponent <= high; exponent += step) ticks.push(exponent)
  return ticks
}

interface Axes {
  x: (eps: number) => number
  y: (error: number) => number
  xTicks: number[]
  yTicks: number[]
}

function axesOf(curves: readonly SweepCurve[]): Axes | undefined {
  const points = curves.flatMap((curve) => curve.points)
  const steps = points.map((point) => Math.log10(point.eps))
  const errors = points
    .filter(({ maxAbsolute }) => maxAbsolute > 0 && Number.isFinite(maxAbsolute))
    .map(({ maxAbsolute }) => Math.log10(maxAbsolute))
  if (steps.length === 0 || errors.length === 0) return undefined
  const xLow = Math.min(...steps)
  const xHigh = Math.max(...steps, xLow + 1)
  const yLow = Math.floor(Math.min(...errors))
  const yHigh = Math.max(Math.ceil(Math.max(...errors)), yLow + 1)
  const { width, height, left, right, top, bottom } = chart
  const along = (value: number, low: number, high: number): number => (value - low) / (high - low)
  return {
    x: (eps) => left + along(Math.log10(eps), xLow, xHigh) * (width - left - right),
    // No error at all has no logarithm: it lies on the axis, what is no number at the top.
    y: (error) => {
      const log = error === 0 ? yLow : Number.isFinite(error) ? Math.log10(error) : yHigh
      return height - bottom - along(log, yLow, yHigh) * (height - top - bottom)
    },
    xTicks: ticksOf(xLow, xHigh),
    yTicks: ticksOf(yLow, yHigh),
  }
}

function curveSvg(curve: SweepCurve, index: number, axes: Axes): string {
  const place = (point: SweepCurve['points'][number]): string =>
    `${at(axes.x(point.eps))} ${at(axes.y(point.maxAbsolute))}`
  const line = curve.points.map((point, i) => `${i === 0 ? 'M' : 'L'}${place(point)}`).join('')
  const dots = curve.points.map((point) => {
    const [x = '', y = ''] = place(point).split(' ')
    const branch = point.branch === 'flat' ? '' : `, ${point.branch}`
    const title = `${curve.dtype}, eps ${powerText(point.eps)}: error ${errorText(point.maxAbsolute)}, ${point.ok ? 'passes' : 'fails'}${branch}`
    return `<circle class="${point.ok ? 'passes' : 'fails'}" cx="${x}" cy="${y}" r="4"><title>${escapeMarkup(title)}</title></circle>`
  })
  const best = curve.recommended === undefined ? undefined : curve.points[curve.recommended]
  const [x = '', y = ''] = best ? place(best).split(' ') : []
  const ring = best ? `<circle class="best" cx="${x}" cy="${y}" r="9"/>` : ''
  return `<g class="curve-${index % 4}"><path class="line" d="${line}"/>${dots.join('')}${ring}</g>`
}

/** What the report says if no error can be drawn. */
function withoutChart(curves: readonly SweepCurve[]): string {
  const points = curves.flatMap((curve) => curve.points)
  if (points.length === 0) return 'Opsmith could not try any eps.'
  return points.every(({ maxAbsolute }) => maxAbsolute === 0)
    ? 'No error at any eps.'
    : 'At each eps, the error is 0, NaN or infinite.'
}

/** Error over eps on logarithmic axes: a dot is full where gradcheck passes, the ring is the recommended eps. */
export function sweepChart(report: SweepReport): string {
  const drawn = report.curves.filter((curve) => curve.points.length > 0)
  const axes = axesOf(drawn)
  if (!axes) return `<p>${withoutChart(drawn)}</p>`
  const { width, height, left, right, top, bottom } = chart
  const grid = [
    ...axes.xTicks.map((exponent) => {
      const x = at(axes.x(10 ** exponent))
      return `<path class="grid" d="M${x} ${top}V${height - bottom}"/><text x="${x}" y="${height - bottom + 16}" text-anchor="middle">1e${exponent}</text>`
    }),
    ...axes.yTicks.map((exponent) => {
      const y = axes.y(10 ** exponent)
      return `<path class="grid" d="M${left} ${at(y)}H${width - right}"/><text x="${left - 6}" y="${at(y + 4)}" text-anchor="end">1e${exponent}</text>`
    }),
  ]
  return [
    `<svg role="img" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<title>${escapeMarkup(`${report.op}: error of the gradient over eps`)}</title>`,
    ...grid,
    `<text x="${at((left + width - right) / 2)}" y="${height - 4}" text-anchor="middle">eps</text>`,
    ...drawn.map((curve, index) => curveSvg(curve, index, axes)),
    '</svg>',
  ].join('')
}
