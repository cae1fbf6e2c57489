import { z } from 'zod'

import { gradcheckOutcome, searchReport } from '../../contract/gradcheck'
import type { SearchReport } from '../../contract/gradcheck'
import { gradcheckEntry } from '../../contract/manifest'
import type { GradcheckEntry, Manifest } from '../../contract/manifest'
import type { RunGradcheck, RunSearch } from '../../contract/run-calls'
import type { EndedShard, Shard } from '../../contract/shards'
import { caseOf, nameOf } from '../project/gradcheck-case'
import { drawnInputs, isWorse } from './worst-point'

const work = z.object({
  entry: gradcheckEntry,
  /** Among all entries. */
  index: z.int(),
  timeout: z.number(),
  /** Absent: the gradcheck of opsmith.json. */
  search: z.object({ points: z.int(), firstSeed: z.int() }).optional(),
})
type Work = z.infer<typeof work>

/** What a shard of gradchecks asks for. */
export function gradcheckShardOf(given: unknown): Work {
  return work.parse(given)
}

const made = z.union([
  z.object({ outcome: gradcheckOutcome }),
  z.object({ name: z.string(), report: searchReport }),
])

/** What a shard of gradchecks has found. */
export function gradcheckResultOf(value: unknown): z.infer<typeof made> {
  return made.parse(value)
}

/** Points of one shard. They are few, so a lost shard costs little, and results come often. */
const mostPoints = 1000
/** Shards for each worker. With several, all workers end at about the same time. */
const shardsForWorker = 8

export interface SpreadGradchecks {
  timeout: number
  /** Random points; 0 for none. */
  points: number
  firstSeed: number
  jobs: number
}

/** Inputs of a gradcheck whose values depend on a seed: without one, a search has no other points to try. */
export function drawnInputsOf(entry: GradcheckEntry, manifest: Pick<Manifest, 'inputs'>): string[] {
  return drawnInputs(caseOf(entry, manifest))
}

function shardOf(one: Work): Shard {
  const { entry, search } = one
  const name = nameOf(entry)
  return {
    name:
      search === undefined
        ? name
        : `${name}, ${search.points} points from seed ${search.firstSeed}`,
    work: one,
  }
}

/** Points from one to the next shard: no seed is used twice. [] if no input is drawn. */
export function shardsOfSearch(
  entry: GradcheckEntry,
  manifest: Pick<Manifest, 'inputs'>,
  asked: SpreadGradchecks & { index: number },
): Shard[] {
  const { points, firstSeed, jobs, timeout, index } = asked
  const names = drawnInputsOf(entry, manifest).length
  if (points === 0 || names === 0) return []
  const size = Math.min(mostPoints, Math.ceil(points / (jobs * shardsForWorker)))
  return Array.from({ length: Math.ceil(points / size) }, (_, place) =>
    shardOf({
      entry,
      index,
      timeout,
      search: {
        points: Math.min(size, points - place * size),
        firstSeed: firstSeed + place * size * names,
      },
    }),
  )
}

/** A shard for each gradcheck, and several for each search of one that is to pass. */
export function shardsOfGradchecks(
  entries: readonly GradcheckEntry[],
  manifest: Pick<Manifest, 'inputs'>,
  asked: SpreadGradchecks,
): Shard[] {
  return entries.flatMap((entry, index) => [
    shardOf({ entry, index, timeout: asked.timeout }),
    ...(entry.expect === 'failed' ? [] : shardsOfSearch(entry, manifest, { ...asked, index })),
  ])
}

/** Two parts of one search: the worst point of both. */
function joined(one: SearchReport, other: SearchReport): SearchReport {
  // Of two that are alike, the first, as in one search.
  const otherIsWorse = one.error === undefined && (other.error !== undefined || isWorse(other, one))
  return {
    ...(otherIsWorse ? other : one),
    seconds: one.seconds + other.seconds,
    tried: one.tried + other.tried,
    failed: one.failed + other.failed,
  }
}

/** Joins the parts of searches as they come, so that memory does not grow with their number. */
export class GradcheckResults {
  private readonly searched = new Map<number, RunSearch>()

  /** The gradcheck of a shard; undefined for a part of a search, and while there is no result. */
  add({ shard, result }: EndedShard): RunGradcheck | undefined {
    if (!result?.outcome.ok) return undefined
    const { node } = result.facts
    const value = made.parse(result.outcome.value)
    if ('outcome' in value) return { node, outcome: value.outcome }
    const { entry, index } = work.parse(shard.work)
    const { name, report } = value
    const before = this.searched.get(index)
    this.searched.set(index, {
      searched: entry,
      index,
      name,
      report: before ? joined(before.report, report) : report,
      nodes: [...new Set([...(before?.nodes ?? []), node])],
    })
    return undefined
  }

  get searches(): RunSearch[] {
    return [...this.searched.values()].sort((a, b) => a.index - b.index)
  }
}
