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

/** "1.2 to 3.4 µs": always a range. */
export function estimateText({ low, high }: GpuEstimate): string {
  const units = [
    { name: 'ns', seconds: 1e-9 },
    { name: 'µs', seconds: 1e-6 },
    { name: 'ms', seconds: 1e-3 },
    { name: 's', seconds: 1 },
  ] as const
  const { name, seconds } = units.find((unit) => high < 999.5 * unit.seconds) ?? units[3]
  const figures = (value: number): string => {
    const rounded = Number((value / seconds).toPrecision(2))
    return rounded < 10 ? String(rounded) : rounded.toFixed(0)
  }
  return `${figures(low)} to ${figures(high)} ${name}`
}
