import { z } from 'zod'

import type { Manifest } from '../../contract/manifest'
import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { EndedShard, Shard } from '../../contract/shards'
import { timingReport, timingRequest } from '../../contract/timing-report'
import type { TimingReport, TimingRequest } from '../../contract/timing-report'
import { planOf, pointText, timingNameOf } from './plan'

const work = z.object({
  /** At one point. */
  request: timingRequest,
  /** The benchmark at all of its points, for its place among all and its name. */
  index: z.int(),
})
export type TimingShard = z.infer<typeof work>

/** What a shard of a run of timings asks for. */
export function timingShardOf(given: unknown): TimingShard {
  return work.parse(given)
}

/**
 * A shard for each point of each benchmark: all that is compared at a point is timed by one worker, in turn. What the
 * points are is known without a build.
 */
export function shardsOfTimings(
  requests: readonly TimingRequest[],
  manifest: Pick<Manifest, 'inputs'>,
): Result<Shard[]> {
  const shards: Shard[] = []
  for (const [index, request] of requests.entries()) {
    const plan = planOf(request, manifest)
    if (!plan.ok) return plan
    const seen = new Set<string>()
    for (const { point } of plan.value.points) {
      const { sizes, dtype, threads } = point
      const key = JSON.stringify([sizes, dtype, threads])
      // With caches flushed and without: one shard times both.
      if (seen.has(key)) continue
      seen.add(key)
      const lists = Object.entries(sizes).map(([name, value]) => [name, [value]])
      const one = timingRequest.parse({
        ...request,
        ...(lists.length > 0 ? { sizes: Object.fromEntries(lists) as object } : {}),
        ...(dtype === '' ? {} : { dtypes: [dtype] }),
        threads: [threads],
      })
      const place = pointText({ ...point, cold: false })
      shards.push({
        name: [timingNameOf(request), place].filter((text) => text !== '').join(', '),
        work: { request: one, index } satisfies z.input<typeof work>,
      })
    }
  }
  return ok(shards)
}

/** Benchmarks by their places, for titles. */
export function requestsOf(shards: readonly Shard[]): TimingRequest[] {
  const requests: TimingRequest[] = []
  for (const shard of shards) {
    const { request, index } = work.parse(shard.work)
    requests[index] ??= request
  }
  return requests
}

/** What a shard's times are compared within: those of other hardware are in no common ratio or table. */
export function hardwareOf({ machine, devices }: TimingReport): string {
  const names = [...new Set(devices.map(({ name }) => name))]
  return [`${machine.processor}, ${machine.cores} cores`, ...names].join('; ')
}

/** The times of one shard; its rows name the benchmark that they are of. */
export interface ShardTimes {
  report: TimingReport
  hardware: string
  node: string
}

/** undefined while the shard has no times. */
export function timesOfShard({ shard, result }: EndedShard): ShardTimes | undefined {
  if (!result?.outcome.ok) return undefined
  const { index } = work.parse(shard.work)
  const report = timingReport.parse(result.outcome.value)
  const rows = report.rows.map((row) => ({ ...row, entry: index }))
  return { report: { ...report, rows }, hardware: hardwareOf(report), node: result.facts.node }
}
