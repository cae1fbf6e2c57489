/** Resamples of a bootstrap: the ends of a 95 % interval then move by well under its width. */
const resamples = 1000

/** At a fraction of the way through the sorted values, between two of them by straight line (R's type 7). */
export function quantile(sorted: readonly number[], fraction: number): number {
  const place = (sorted.length - 1) * fraction
  const below = Math.floor(place)
  const low = sorted[below] ?? NaN
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? NaN
  return low + (high - low) * (place - below)
}

export function sortedNumbers(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b)
}

/** NaN of no values. */
export function median(values: readonly number[]): number {
  return quantile(sortedNumbers(values), 0.5)
}

/**
 * Numbers in [0, 1), the same for the same seed: results of a report can be made again. mulberry32 by
 * Tommy Ettinger, which passes the tests that matter for a few million draws.
 */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function drawInto(
  drawn: Float64Array,
  values: readonly number[],
  random: () => number,
): Float64Array {
  for (let i = 0; i < drawn.length; i += 1)
    drawn[i] = values[Math.floor(random() * values.length)] ?? NaN
  return drawn.sort()
}

function middleOf(sorted: Float64Array): number {
  const half = sorted.length >> 1
  const high = sorted[half] ?? NaN
  return sorted.length % 2 === 1 ? high : ((sorted[half - 1] ?? NaN) + high) / 2
}

/**
 * Where a statistic of the median lies with 95 % confidence: percentile bootstrap (Efron 1979). The
 * values must be independent: of samples that were taken in rounds, the rounds' medians.
 */
export function medianInterval(values: readonly number[], seed = 1): [number, number] {
  return bootstrap([values], ([middle]) => middle ?? NaN, seed)
}

function bootstrap(
  groups: readonly (readonly number[])[],
  statistic: (medians: number[]) => number,
  seed: number,
): [number, number] {
  const random = randomNumbers(seed)
  const drawn = groups.map((group) => new Float64Array(group.length))
  const found: number[] = []
  for (let i = 0; i < resamples; i += 1) {
    found.push(
      statistic(
        groups.map((group, place) =>
          middleOf(drawInto(drawn[place] ?? new Float64Array(0), group, random)),
        ),
      ),
    )
  }
  const sorted = sortedNumbers(found)
  return [quantile(sorted, 0.025), quantile(sorted, 0.975)]
}

export interface Summary {
  median: number
  p25: number
  p75: number
  min: number
  max: number
  interval: [number, number]
}

/** An interval can be no narrower than what the clock can tell apart. */
function atLeast([low, high]: readonly [number, number], width: number): [number, number] {
  const missing = Math.max(0, width - (high - low)) / 2
  return [low - missing, high + missing]
}

/**
 * Rounds of samples, of which none is empty; drift between rounds widens the interval as it should.
 * @param step seconds that the clock can tell apart, of one call; samples that come in steps coincide
 */
export function summarise(rounds: readonly (readonly number[])[], step = 0): Summary {
  const sorted = sortedNumbers(rounds.flat())
  const middle = quantile(sorted, 0.5)
  const [low, high] = atLeast(medianInterval(rounds.map(median)), 2 * step)
  return {
    median: middle,
    p25: quantile(sorted, 0.25),
    p75: quantile(sorted, 0.75),
    min: sorted[0] ?? NaN,
    max: sorted.at(-1) ?? NaN,
    // Of skewed samples the median of medians lies beside that of all.
    interval: [Math.min(low, middle), Math.max(high, middle)],
  }
}

export interface Ratio {
  ratio: number
  interval: [number, number]
  verdict: 'slower' | 'faster' | 'no difference'
}

/**
 * A smaller difference is none: one call timed against itself differs by so much, surely and each time
 * another way, by where its tensors lie and whose turn it is.
 */
const leastDifference = 0.01

/** "slower" where all of the interval lies above 1, and the ratio by more than can be told apart. */
function verdictOf(ratio: number, [low, high]: readonly [number, number]): Ratio['verdict'] {
  if (Math.abs(ratio - 1) < leastDifference) return 'no difference'
  return low > 1 ? 'slower' : high < 1 ? 'faster' : 'no difference'
}

/**
 * How many times the time of `base` the rounds of `rounds` take. Round i of both was taken one right
 * after the other: a drift is in both and cancels in their ratio. `step` as of summarise().
 */
export function pairedRatio(
  rounds: readonly (readonly number[])[],
  base: readonly (readonly number[])[],
  step = 0,
): Ratio {
  const pairs = Math.min(rounds.length, base.length)
  const ratios = Array.from(
    { length: pairs },
    (_, round) => median(rounds[round] ?? []) / median(base[round] ?? []),
  )
  // A step of either time moves the ratio.
  const ratioStep = step / median(base.map(median)) + step / median(rounds.map(median))
  const ratio = median(ratios)
  const interval = atLeast(medianInterval(ratios), 2 * ratio * ratioStep)
  return { ratio, interval, verdict: verdictOf(ratio, interval) }
}

/** Widest part of the samples that is the middle half, over the median: 0.1 is torch's limit for a warning. */
export function spreadOf({ p25, p75, median: middle }: Summary): number {
  return (p75 - p25) / middle
}

/**
 * The last third of the rounds over the first; `significant` where 1 lies outside the 95 % interval of
 * that. Fewer than nine rounds say nothing.
 */
export function driftOf(rounds: readonly (readonly number[])[]): {
  ratio: number
  significant: boolean
} {
  const third = Math.floor(rounds.length / 3)
  if (third < 3) return { ratio: 1, significant: false }
  const first = rounds.slice(0, third).map(median)
  const last = rounds.slice(-third).map(median)
  const [low, high] = bootstrap([first, last], ([a = NaN, b = NaN]) => b / a, 1)
  return { ratio: median(last) / median(first), significant: low > 1 || high < 1 }
}
