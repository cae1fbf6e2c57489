import { z } from 'zod'

import { occupancyArchitectures } from './occupancy'

/** Part of each text that shows an estimate. */
export const estimateLabel = 'estimated, not measured'

/** Seconds of one launch on a GPU model, between what its data sheet allows and what poor overlap leaves of it. */
export const gpuEstimate = z.object({
  /** "NVIDIA A100 80GB SXM" */
  model: z.string(),
  architecture: occupancyArchitectures,
  low: z.number(),
  high: z.number(),
  /** What takes longest at the low end. */
  boundBy: z.enum(['memory', 'operations', 'shared memory']),
  /** Where NVIDIA publishes the model's peaks. */
  source: z.string(),
})
export type GpuEstimate = z.infer<typeof gpuEstimate>

const units = [
  { name: 'ns', seconds: 1e-9 },
  { name: 'µs', seconds: 1e-6 },
  { name: 'ms', seconds: 1e-3 },
  { name: 's', seconds: 1 },
] as const

/** "1.2 to 3.4 µs", "2.5 ns to 2.6 µs": always a range. */
export function estimateText({ low, high }: GpuEstimate): string {
  const unitOf = (value: number): (typeof units)[number] =>
    units.find((unit) => value < 999.5 * unit.seconds) ?? units[3]
  const figures = (value: number, seconds: number): string => {
    const rounded = Number((value / seconds).toPrecision(2))
    return rounded < 10 ? String(rounded) : rounded.toFixed(0)
  }
  const last = unitOf(high)
  // A tenth of a unit is still read well.
  const first = low < 0.1 * last.seconds ? unitOf(low) : last
  const begin = figures(low, first.seconds)
  const end = `${figures(high, last.seconds)} ${last.name}`
  return first === last ? `${begin} to ${end}` : `${begin} ${first.name} to ${end}`
}
