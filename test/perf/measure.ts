/** One line of a benchmark; scripts/perf.mjs prints it. */
export interface Row {
  name: string
  median: number
  p90: number
  unit: string
  /** What it is compared with, measured in the same run; "" for nothing. */
  peer: string
  peerMedian: number | null
  /** peerMedian / median: above 1, Opsmith is the faster one. */
  ratio: number | null
  /** What the median, and the slowest of all samples, may be at most; absent where nothing is asked. */
  goal?: number
  worstGoal?: number
  /** The slowest of all samples. */
  worst?: number
  /** Whether it is as it must be, where something is asked of it: "within 3 %: 1.2 %". */
  verdict?: string
}

export interface BenchmarkOptions {
  json: boolean
  root: string
  /** Samples of each case; undefined: as many as the benchmark takes. */
  rounds?: number | undefined
  /** Only the cases with this in their name; "" for all. */
  only?: string
  /** A tar.gz of `npm run package` to measure instead of the clone; "" for none. */
  packageFile?: string
  say(line: string): void
}

export function quantile(samples: readonly number[], fraction: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  const position = (sorted.length - 1) * fraction
  const low = sorted[Math.floor(position)] ?? Number.NaN
  const high = sorted[Math.ceil(position)] ?? Number.NaN
  return low + (high - low) * (position - Math.floor(position))
}

/** Seconds of each of `count` runs, one after the other. */
export async function sample(
  count: number,
  run: (index: number) => Promise<void>,
): Promise<number[]> {
  const seconds: number[] = []
  for (let index = 0; index < count; index += 1) {
    const started = performance.now()
    await run(index)
    seconds.push((performance.now() - started) / 1000)
  }
  return seconds
}

/** With a verdict on what is asked of the samples; one below 0 was never shown. */
export function judged(
  made: Row,
  samples: readonly number[],
  { goal, worstGoal }: { goal: number; worstGoal?: number },
): Row {
  const worst = Math.max(...samples)
  const isWithin = made.median <= goal && worst <= (worstGoal ?? Number.POSITIVE_INFINITY)
  const isShown = samples.every((one) => one >= 0)
  return {
    ...made,
    goal,
    ...(worstGoal === undefined ? {} : { worstGoal }),
    worst,
    verdict: !isShown ? 'NEVER SHOWN' : isWithin ? 'within' : 'MISSES',
  }
}

export function row(
  name: string,
  unit: string,
  samples: readonly number[],
  peer?: { name: string; samples: readonly number[] },
): Row {
  const median = quantile(samples, 0.5)
  const peerMedian = peer && peer.samples.length > 0 ? quantile(peer.samples, 0.5) : null
  return {
    name,
    median,
    p90: quantile(samples, 0.9),
    unit,
    peer: peer?.name ?? '',
    peerMedian,
    ratio: peerMedian === null ? null : peerMedian / median,
  }
}
