/** Samples counted into bins; `edges` are one more than `counts`. */
export type TimeDistribution = {
  edges: number[]
  counts: number[]
  /** Samples too far out to be drawn: one stall would press all the others into a single bin. */
  beyond: number
}

const fewestBins = 8
const mostBins = 60
/** How many interquartile ranges above the upper quartile are still drawn. */
const reach = 4

/** The Freedman–Diaconis rule: bins of twice the interquartile range over the cube root of the count. */
export function distributionOf(samples: readonly number[]): TimeDistribution {
  const sorted = [...samples].sort((a, b) => a - b)
  const low = sorted[0]
  const most = sorted.at(-1)
  if (low === undefined || most === undefined) return { edges: [], counts: [], beyond: 0 }
  const p25 = quantile(sorted, 0.25)
  const p75 = quantile(sorted, 0.75)
  const range = p75 - p25
  const high = range > 0 ? Math.min(most, p75 + reach * range) : most
  // All equal: one bin around them.
  if (high <= low) return { edges: [low * 0.999, low * 1.001], counts: [sorted.length], beyond: 0 }
  const width = (2 * range) / Math.cbrt(sorted.length)
  const wanted = width > 0 ? Math.ceil((high - low) / width) : fewestBins
  const bins = Math.min(Math.max(wanted, fewestBins), mostBins)
  const counts = Array.from({ length: bins }, () => 0)
  let beyond = 0
  for (const sample of sorted) {
    if (sample > high) {
      beyond += 1
      continue
    }
    const bin = Math.min(Math.floor(((sample - low) / (high - low)) * bins), bins - 1)
    counts[bin] = (counts[bin] ?? 0) + 1
  }
  const edges = Array.from({ length: bins + 1 }, (_, index) => low + (index * (high - low)) / bins)
  return { edges, counts, beyond }
}

/** Linear between the closest two; of ascending values, at least one. */
export function quantile(sorted: readonly number[], part: number): number {
  const at = part * (sorted.length - 1)
  const below = sorted[Math.floor(at)] ?? NaN
  const above = sorted[Math.ceil(at)] ?? NaN
  return below + (at - Math.floor(at)) * (above - below)
}

/** The median of a window around each sample: what drifts stays, what only jitters goes. */
export function runningMedian(samples: readonly number[]): number[] {
  const half = Math.max(2, Math.round(samples.length / 24))
  return samples.map((_, index) => {
    const window = samples.slice(Math.max(0, index - half), index + half + 1)
    return quantile(
      [...window].sort((a, b) => a - b),
      0.5,
    )
  })
}
