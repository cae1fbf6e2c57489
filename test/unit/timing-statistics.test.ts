import { describe, expect, it } from 'vitest'

import type { MachineFacts } from '../../electron/contract/timing'
import { doubtOf } from '../../electron/engine/timing/ceilings'
import { leastSeconds } from '../../electron/engine/timing/hardware-limits'
import { noiseWarnings } from '../../electron/engine/timing/noise'
import {
  driftOf,
  median,
  medianInterval,
  pairedRatio,
  quantile,
  summarise,
} from '../../electron/engine/timing/statistics'
import { inTurn } from '../../electron/engine/timing/take-samples'

/** A fixed sequence in [0, 1) that looks random: multiples of the golden ratio. */
const spread = (index: number): number => (index * 0.6180339887498949) % 1

/** Rounds of ten samples each: `level` of the round, and up to `noise` of it more. */
function roundsOf(count: number, level: (round: number) => number, noise: number): number[][] {
  return Array.from({ length: count }, (_, round) =>
    Array.from(
      { length: 10 },
      (__, index) => level(round) * (1 + noise * spread(round * 10 + index)),
    ),
  )
}

describe('quantiles', () => {
  it('quantiles equal those of numpy.percentile', () => {
    const values = [1, 2, 4, 8, 16]
    expect([0, 0.25, 0.5, 0.75, 1].map((at) => quantile(values, at))).toEqual([1, 2, 4, 8, 16])
    expect(quantile([1, 2, 3, 4], 0.25)).toBeCloseTo(1.75)
    expect(median([4, 1, 3, 2])).toBe(2.5)
    expect(median([7])).toBe(7)
  })
})

describe('the interval of a median', () => {
  it('an interval is no narrower than the steps of the clock, and one step is no difference', () => {
    // Cold calls of 4 µs, timed in steps of half a microsecond: medians of rounds coincide.
    const step = 5e-7
    const own = Array.from({ length: 30 }, () => [4e-6, 4e-6, 4e-6])
    const slower = own.map((round) => round.map((time) => time + step))
    const [low, high] = summarise(own, step).interval
    expect(low).toBeCloseTo(3.5e-6, 12)
    expect(high).toBeCloseTo(4.5e-6, 12)
    expect(pairedRatio(slower, own).verdict).toBe('slower')
    expect(pairedRatio(slower, own, step).verdict).toBe('no difference')
  })

  it('the interval is the same for the same seed and includes the median', () => {
    const values = Array.from({ length: 41 }, (_, index) => 1 + spread(index))
    const [low, high] = medianInterval(values)
    expect(medianInterval(values)).toEqual([low, high])
    expect(low).toBeLessThan(median(values))
    expect(high).toBeGreaterThan(median(values))
    // 95 % of the medians of 41 draws of a uniform distribution of width 1 lie within 0.076 * 2 * 1.96.
    expect(high - low).toBeGreaterThan(0.15)
    expect(high - low).toBeLessThan(0.45)
  })

  it('the interval includes the true median about as often as it claims', () => {
    let state = 7
    const random = (): number => {
      state = (state * 48271) % 2147483647
      return state / 2147483647
    }
    let held = 0
    for (let trial = 0; trial < 200; trial += 1) {
      const values = Array.from({ length: 31 }, random)
      const [low, high] = medianInterval(values, trial + 1)
      if (low <= 0.5 && high >= 0.5) held += 1
    }
    expect(held / 200).toBeGreaterThan(0.88)
  })

  it('the interval of equal values is a point', () => {
    expect(medianInterval([3, 3, 3, 3])).toEqual([3, 3])
  })
})

describe('the summary of samples', () => {
  it('the summary covers all samples, and its interval includes the median', () => {
    const summary = summarise([
      [1, 2, 3],
      [2, 3, 30],
      [1, 1, 2],
    ])
    expect(summary).toMatchObject({ median: 2, p25: 1, p75: 3, min: 1, max: 30 })
    expect(summary.interval[0]).toBeLessThanOrEqual(2)
    expect(summary.interval[1]).toBeGreaterThanOrEqual(2)
  })
})

describe('a paired ratio', () => {
  it('a drift that is in both cancels out', () => {
    const drifting = (round: number): number => 1 + round / 10
    const base = roundsOf(30, drifting, 0.01)
    const slower = roundsOf(30, (round) => 1.1 * drifting(round), 0.01)
    const { ratio, interval, verdict } = pairedRatio(slower, base)
    expect(ratio).toBeCloseTo(1.1, 2)
    expect(interval[1] - interval[0]).toBeLessThan(0.01)
    expect(verdict).toBe('slower')
    expect(pairedRatio(base, slower).verdict).toBe('faster')
  })

  it('a ratio whose interval includes 1 is no difference', () => {
    const one = Array.from({ length: 30 }, (_, round) => [1 + 0.1 * spread(round)])
    const other = Array.from({ length: 30 }, (_, round) => [1 + 0.1 * spread(round + 17)])
    const { interval, verdict } = pairedRatio(one, other)
    expect(interval[0]).toBeLessThan(1)
    expect(interval[1]).toBeGreaterThan(1)
    expect(verdict).toBe('no difference')
    // Sure, but too small to mean anything.
    const little = pairedRatio(
      roundsOf(30, () => 1.005, 0.001),
      roundsOf(30, () => 1, 0.001),
    )
    expect(little.interval[0]).toBeGreaterThan(1)
    expect(little.verdict).toBe('no difference')
  })
})

describe('drift', () => {
  it('a drift is found where there is one, and not in noise', () => {
    const growing = driftOf(roundsOf(30, (round) => 1 + round / 100, 0.02))
    expect(growing.significant).toBe(true)
    expect(growing.ratio).toBeCloseTo(1.19, 1)
    expect(driftOf(roundsOf(30, () => 1, 0.2)).significant).toBe(false)
    expect(driftOf(roundsOf(8, (round) => 1 + round, 0)).significant).toBe(false)
  })
})

describe('warnings about a timing', () => {
  const clock = { governor: '', least: 0, most: 0, turbo: '' as const }
  const machine = { cores: 4, frequency: clock, betweenEvents: 0 }
  const quiet = { wallSeconds: 1, threadSeconds: 1, processSeconds: 1, machineSeconds: 1.1 }
  const point = { threads: 1, cold: false }
  const steady = roundsOf(30, () => 1e-4, 0.01)
  const warn = (
    rounds: number[][],
    used = quiet,
    at = point,
    on: Parameters<typeof noiseWarnings>[3] = machine,
    frequencies: number[] = [],
  ): string[] =>
    noiseWarnings(
      { rounds, used, frequencies },
      summarise(rounds),
      { device: 'cpu', point: at },
      on,
    )

  it('a quiet machine and steady samples give no warning', () => {
    expect(warn(steady)).toEqual([])
  })

  it('a cold call on a device that is hardly longer than two events has their time next to it', () => {
    const on = { ...machine, betweenEvents: 1.5e-6 }
    const warnOf = (seconds: number, cold: boolean): string[] => {
      const rounds = roundsOf(30, () => seconds, 0.01)
      const at = { device: 'cuda', point: { threads: 1, cold } }
      return noiseWarnings({ rounds, used: quiet, frequencies: [] }, summarise(rounds), at, on)
    }
    expect(warnOf(20e-6, true)).toEqual([
      'The call is too short to be timed with cold caches: the time includes two events on the device, which take 1.5 µs on this machine. Use the time with warm caches.',
    ])
    expect(warnOf(20e-6, false)).toEqual([])
    expect(warnOf(60e-6, true)).toEqual([])
  })

  it('a wide spread and a frequency that may change give warnings', () => {
    const wide = roundsOf(30, () => 1e-4, 0.5)
    expect(warn(wide)).toEqual([
      expect.stringMatching(/the interquartile range \(IQR\) is 20 % of the median/),
    ])
    const withGovernor = (governor: string): typeof machine => ({
      ...machine,
      frequency: { ...clock, governor },
    })
    const governed = warn(wide, quiet, point, withGovernor('powersave'))
    expect(governed[0]).toMatch(/governor of the processor is "powersave"/)
    expect(warn(wide, quiet, point, withGovernor('performance'))[0]).not.toMatch(/governed/)
  })

  it('a changed clock gives a warning with the cause and what to do about it', () => {
    const moved = [3e9, 3e9, 2.4e9, 2.4e9]
    const say = (change: Partial<MachineFacts['frequency']>): string =>
      warn(steady, quiet, point, { ...machine, frequency: { ...clock, ...change } }, moved).join()
    expect(say({})).toMatch(/clock changed between 2.40 and 3.00 GHz .* virtual machines/)
    expect(say({ governor: 'performance', turbo: 'on' })).toMatch(/Turn turbo off/)
    expect(say({ governor: 'schedutil', turbo: 'on' })).toMatch(/"performance" instead of "sche/)
    expect(warn(steady, quiet, point, machine, [3e9, 3.05e9, 3e9])).toEqual([])
  })

  it('a drift gives a warning', () => {
    const slowing = roundsOf(30, (round) => 1e-4 * (1 + round / 100), 0.01)
    expect(warn(slowing).join()).toMatch(
      /the last third of the samples is \d+ % slower than the first third/,
    )
  })

  it('load from other processes and threads that were not asked for give warnings', () => {
    const loaded = warn(steady, { ...quiet, machineSeconds: 3 })
    expect(loaded).toEqual([expect.stringMatching(/^Other programs kept 2.0 of 4 cores busy/)])
    const helped = { ...quiet, processSeconds: 2, machineSeconds: 2 }
    expect(warn(steady, helped)).toEqual([
      expect.stringMatching(
        /^1 thread was requested, but the call starts other threads, which do 50 % of the work/,
      ),
    ])
    expect(warn(steady, helped, { threads: 2, cold: false })).toEqual([])
    const crowd = { ...quiet, processSeconds: 3.5, machineSeconds: 3.5 }
    expect(warn(steady, crowd, { threads: 2, cold: false })).toEqual([
      expect.stringMatching(/^2 threads were requested, but the call uses 3.5 cores/),
    ])
    // The system does not count, or too little time has gone by.
    expect(warn(steady, { ...quiet, machineSeconds: 0 })).toEqual([])
    expect(warn(steady, { ...quiet, wallSeconds: 0.01, machineSeconds: 1 })).toEqual([])
  })

  it('too few rounds and cold calls that are too short give warnings', () => {
    expect(warn(roundsOf(3, () => 1, 0))).toEqual([expect.stringMatching(/^Only 3 rounds/)])
    const short = roundsOf(30, () => 1e-6, 0)
    expect(warn(short, quiet, { threads: 1, cold: true })).toEqual([
      expect.stringMatching(/the time includes the time to read the clock/),
    ])
  })
})

describe('ceilings', () => {
  const measured = {
    threads: 1,
    bytesPerSecond: 20e9,
    flopsPerSecond: { float32: 1e11, float64: 5e10 },
  }
  const doubt = (othersBusy: number, spread: number): string =>
    doubtOf({ ...measured, othersBusy, spread }, { cores: 4 })

  it('ceilings of a machine that was not at rest are doubted with the reason', () => {
    expect(doubt(0.1, 0.05)).toBe('')
    expect(doubt(1.5, 0.05)).toMatch(/because other programs kept 1.5 of 4 cores busy during/)
    expect(doubt(0, 0.4)).toMatch(
      /because memory copies of the same size differed in time by 40 % during/,
    )
    expect(doubt(3, 0.4)).toMatch(/kept 3.0 of 4 cores busy and memory copies/)
  })
})

describe('the least possible time', () => {
  const machine = { cores: 8, cacheBytes: 32 << 20 }
  const ceilings = {
    threads: 1,
    bytesPerSecond: 20e9,
    flopsPerSecond: { float32: 100e9, float64: 50e9 },
  }
  const warm = { threads: 1, cold: false }

  it('the least possible time follows from caches, memory or arithmetic', () => {
    const small = leastSeconds({ bytes: 1 << 20 }, warm, machine, ceilings)
    expect(small).toBeCloseTo((1 << 20) / (192 * 6e9), 12)
    const cold = leastSeconds({ bytes: 1 << 20 }, { ...warm, cold: true }, machine, ceilings)
    expect(cold).toBeCloseTo((1 << 20) / 60e9, 12)
    expect(leastSeconds({ bytes: 1 << 30 }, warm, machine, ceilings)).toBeCloseTo((1 << 30) / 60e9)
    expect(leastSeconds({ bytes: 1 << 30 }, warm, machine, undefined)).toBeLessThan(0.001)
    expect(leastSeconds({ flops: 384e9 }, warm, machine, ceilings)).toBeCloseTo(1)
    expect(leastSeconds({ flops: 384e9 }, { ...warm, threads: 4 }, machine, ceilings)).toBeCloseTo(
      0.25,
    )
    // More threads than cores do no more.
    expect(leastSeconds({ flops: 384e9 }, { ...warm, threads: 99 }, machine, ceilings)).toBeCloseTo(
      0.125,
    )
    expect(leastSeconds({}, warm, machine, ceilings)).toBe(0)
  })
})

describe('the order in a round', () => {
  it('each variant is first and last equally often, and the given order comes first', () => {
    const rounds = Array.from({ length: 6 }, (_, round) => inTurn(['a', 'b', 'c'], round).join(''))
    expect(rounds).toEqual(['abc', 'cba', 'bca', 'acb', 'cab', 'bac'])
    expect(inTurn(['a', 'b'], 1)).toEqual(['b', 'a'])
    expect(inTurn(['a'], 5)).toEqual(['a'])
  })
})
