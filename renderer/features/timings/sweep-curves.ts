import type { TimingDirection } from '../../../electron/contract/timing-names'
import type { TimingPoint, TimingRow } from '../../../electron/contract/timing-report'
import { threadsText } from './time-units'

/** What a sweep is drawn over: a size by its name, or threads; dtypes have no order to draw over. */
export type SweptVariable = { key: string; label: string; values: number[] }

export type CurveMeasure = 'time' | 'bandwidth' | 'flops'

export type CurvePoint = { x: number; y: number; low: number; high: number; row: TimingRow }

export type Curve = {
  /** The variant, and what else tells it from the others: "sigmoid::sigmoid, float64". */
  label: string
  kind: TimingRow['kind']
  /** Ascending. */
  points: CurvePoint[]
}

/** Where one curve begins to be faster than the benchmark's own call, or ceases to be. */
export type Crossover = { curve: number; x: number; y: number; label: string }

/** The numbers that vary among these rows, sizes first. */
export function sweptVariables(rows: readonly TimingRow[]): SweptVariable[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row.point.sizes)))]
  const all = [
    ...names.map((name) => ({ key: `size ${name}`, label: name })),
    { key: 'threads', label: 'threads' },
  ]
  return all.flatMap(({ key, label }) => {
    const values = [...new Set(rows.flatMap((row) => valueAt(row.point, key) ?? []))]
    values.sort((a, b) => a - b)
    return values.length < 2 ? [] : [{ key, label, values }]
  })
}

function valueAt(point: TimingPoint, key: string): number | undefined {
  return key === 'threads' ? point.threads : point.sizes[key.slice('size '.length)]
}

/** What a row's spread means in another measure: the slower quartile has the lower rate. */
function measured(row: TimingRow, measure: CurveMeasure): Omit<CurvePoint, 'x' | 'row'> | null {
  const { summary } = row
  if (!summary) return null
  if (measure === 'time') return { y: summary.median, low: summary.p25, high: summary.p75 }
  const rate = measure === 'bandwidth' ? row.bytesPerSecond : row.flopsPerSecond
  if (rate === undefined || !(rate > 0)) return null
  const amount = rate * summary.median
  return { y: rate, low: amount / summary.p75, high: amount / summary.p25 }
}

/** Whether any of the rows can be drawn so. */
export function hasMeasure(rows: readonly TimingRow[], measure: CurveMeasure): boolean {
  return rows.some((row) => measured(row, measure) !== null)
}

/** A curve for each variant and each combination of what varies beside `over`. */
export function curvesOf(
  rows: readonly TimingRow[],
  over: SweptVariable,
  direction: TimingDirection,
  measure: CurveMeasure,
): Curve[] {
  const others = sweptVariables(rows).filter((one) => one.key !== over.key)
  const dtypes = new Set(rows.map((row) => row.point.dtype))
  const temperatures = new Set(rows.map((row) => row.point.cold))
  const curves = new Map<string, Curve>()
  for (const row of rows) {
    const x = valueAt(row.point, over.key)
    const y = measured(row, measure)
    if (row.direction !== direction || x === undefined || y === null) continue
    const label = [
      row.variant,
      ...others.map(({ key, label: name }) =>
        key === 'threads' ? threadsText(row.point.threads) : `${name} ${valueAt(row.point, key)}`,
      ),
      ...(dtypes.size > 1 ? [row.point.dtype] : []),
      ...(temperatures.size > 1 ? [row.point.cold ? 'cold' : 'warm'] : []),
    ].join(', ')
    const curve = curves.get(label) ?? { label, kind: row.kind, points: [] }
    curve.points.push({ x, ...y, row })
    curves.set(label, curve)
  }
  for (const curve of curves.values()) curve.points.sort((a, b) => a.x - b.x)
  return [...curves.values()].filter((curve) => curve.points.length > 0)
}

/**
 * Where the paired ratio to the benchmark's own call passes 1, between two points that both say so
 * beyond doubt: linear in the logarithms of both.
 */
export function crossoversOf(curves: readonly Curve[], name: string): Crossover[] {
  return curves.flatMap((curve, index) => {
    const sure = curve.points.filter(
      ({ row, x }) => x > 0 && row.ratio !== undefined && row.ratio.verdict !== 'no difference',
    )
    return sure.slice(1).flatMap((after, at): Crossover[] => {
      const before = sure[at]
      if (!before?.row.ratio || !after.row.ratio) return []
      const from = Math.log(before.row.ratio.ratio)
      const to = Math.log(after.row.ratio.ratio)
      if (from < 0 === to < 0) return []
      const part = from / (from - to)
      const x = Math.exp(Math.log(before.x) + part * (Math.log(after.x) - Math.log(before.x)))
      const y = Math.exp(Math.log(before.y) + part * (Math.log(after.y) - Math.log(before.y)))
      const turn = to < 0 ? 'faster' : 'slower'
      return [{ curve: index, x, y, label: `${turn} from ${name} ≈ ${rounded(x)}` }]
    })
  })
}

/** Two figures: between two points of a sweep, more would be made up. */
function rounded(value: number): string {
  return Number(value.toPrecision(2)).toLocaleString('en')
}

/** Columns as uPlot wants them: x, then median, lower and upper of each curve; gaps are null. */
export function columnsOf(curves: readonly Curve[]): [number[], ...(number | null)[][]] {
  const xs = [...new Set(curves.flatMap((curve) => curve.points.map((point) => point.x)))]
  xs.sort((a, b) => a - b)
  const columns = curves.flatMap((curve) => {
    const at = new Map(curve.points.map((point) => [point.x, point]))
    return (['y', 'low', 'high'] as const).map((part) => xs.map((x) => at.get(x)?.[part] ?? null))
  })
  return [xs, ...columns]
}
