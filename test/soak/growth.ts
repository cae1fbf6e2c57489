/** A figure that must not grow while the same is done again and again. */
export interface Figure {
  name: string
  unit: 'MB' | ''
  /** As it was at each mark; the first is what the others are compared with. */
  values: number[]
  /** By how much it may grow from the first mark to the last: what caches and samples of the allocators take. */
  slack: number
}

/** By how much a figure grew from the first mark to the last, in its unit: by the median of all slopes (Theil and Sen). */
export function growthOf(values: readonly number[]): number {
  const slopes = values.flatMap((early, from) =>
    values.slice(from + 1).map((late, step) => (late - early) / (step + 1)),
  )
  const sorted = slopes.sort((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  const low = sorted[Math.floor(middle)] ?? 0
  const high = sorted[Math.ceil(middle)] ?? 0
  return ((low + high) / 2) * (values.length - 1)
}

/** A sentence for each figure that grew by more than its slack. */
export function grown(figures: readonly Figure[]): string[] {
  return figures.flatMap(({ name, unit, values, slack }) => {
    const growth = growthOf(values)
    if (growth <= slack) return []
    const words = `${name} grew by ${growth.toFixed(0)} ${unit}`.trimEnd()
    return [`${words}; ${slack} are fine: ${values.map((value) => value.toFixed(0)).join(', ')}`]
  })
}
