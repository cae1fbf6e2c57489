import type { TimingRow } from '../../../electron/contract/timing-report'
import { pointLabel } from './table'

/** A forward in the roofline model (Williams, Waterman and Patterson, 2009). */
export type RooflinePoint = {
  label: string
  kind: TimingRow['kind']
  variant: string
  /** Floating point operations for each byte moved. */
  intensity: number
  flopsPerSecond: number
  /** The most that the machine's bandwidth and arithmetic allow at this intensity. */
  attainable: number
  bound: 'memory' | 'arithmetic'
}

/** Of the machine, or of one of its devices. */
export type Ceilings = { bytesPerSecond: number; flopsPerSecond: Record<string, number> }

export function peakFor(dtype: string, ceilings: Ceilings): number {
  const { flopsPerSecond } = ceilings
  // On the CPU these two are what is measured; narrower types are held against float32.
  const like = /float64|complex128/.test(dtype) ? 'float64' : 'float32'
  return flopsPerSecond[dtype] ?? flopsPerSecond[like] ?? Number.NaN
}

/** The rows whose bytes and operations are known; `dtype` is of rows whose point does not say. */
export function rooflinePoints(
  rows: readonly TimingRow[],
  ceilings: Ceilings,
  dtype: string,
): RooflinePoint[] {
  return rows.flatMap((row) => {
    const { bytes, flops, summary, point } = row
    if (row.direction !== 'forward' || !summary || !bytes || !flops) return []
    const siblings = rows.filter((one) => one.entry === row.entry).map((one) => one.point)
    const at = pointLabel(point, siblings)
    const intensity = flops / bytes
    const peak = peakFor(point.dtype === '' ? dtype : point.dtype, ceilings)
    const fed = ceilings.bytesPerSecond * intensity
    return [
      {
        label: at === '' ? row.variant : `${row.variant}, ${at}`,
        kind: row.kind,
        variant: row.variant,
        intensity,
        flopsPerSecond: flops / summary.median,
        attainable: Math.min(fed, peak),
        bound: fed < peak ? 'memory' : 'arithmetic',
      },
    ]
  })
}
