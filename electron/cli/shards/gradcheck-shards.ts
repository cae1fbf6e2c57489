import { z } from 'zod'

import { gradcheckOutcome, searchReport } from '../../contract/gradcheck'
import type { GradcheckOutcome, SearchReport } from '../../contract/gradcheck'
import { gradcheckEntry } from '../../contract/manifest'
import type { GradcheckEntry, Manifest } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { EndedShard, Shard } from '../../contract/shards'
import { drawnInputs, isWorse } from '../../engine/check/worst-point'
import { caseOf, nameOf } from '../../engine/project/gradcheck-case'
import { readManifest } from '../../engine/project/read-manifest'
import { withoutResult } from '../../engine/shards/ended-shards'
import { exitCodes } from '../exit-codes'
import { printJson, printLines, progress } from '../print'
import { gradcheckJson } from '../verbs/gradcheck/json'
import type { GradcheckRun, NamedSearch } from '../verbs/gradcheck/run'
import { outcomeLines, searchLines, summaryLine } from '../verbs/gradcheck/text'
import type { ShardKind } from './shard-kind'

const work = z.object({
  entry: gradcheckEntry,
  /** Among all entries. */
  index: z.number().int(),
  timeout: z.number(),
  /** Absent: the gradcheck of opsmith.json. */
  search: z.object({ points: z.number().int(), firstSeed: z.number().int() }).optional(),
})
type Work = z.infer<typeof work>

const made = z.union([
  z.object({ outcome: gradcheckOutcome }),
  z.object({ name: z.string(), report: searchReport }),
])

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

/** Points from one to the next search: no seed is used twice. */
function searchesOf(entry: GradcheckEntry, manifest: Manifest, asked: SpreadGradchecks): Work[] {
  const { points, firstSeed, jobs, timeout } = asked
  if (points === 0 || entry.expect === 'failed') return []
  const given = caseOf(entry, manifest)
  const names = drawnInputs({ ...given, inputs: { ...manifest.inputs, ...given.inputs } }).length
  if (names === 0) {
    progress(`${nameOf(entry)}: no input has random values, so --search has no other points to try`)
    return []
  }
  const size = Math.min(mostPoints, Math.ceil(points / (jobs * shardsForWorker)))
  return Array.from({ length: Math.ceil(points / size) }, (_, place) => ({
    entry,
    index: 0,
    timeout,
    search: {
      points: Math.min(size, points - place * size),
      firstSeed: firstSeed + place * size * names,
    },
  }))
}

/** A shard for each gradcheck, and several for each search. */
export function shardsOfGradchecks(
  entries: readonly GradcheckEntry[],
  manifest: Manifest,
  asked: SpreadGradchecks,
): Shard[] {
  return entries.flatMap((entry, index) => {
    const own: Work = { entry, index, timeout: asked.timeout }
    const searches = searchesOf(entry, manifest, asked)
    return [own, ...searches].map((one) => ({
      name:
        one.search === undefined
          ? nameOf(entry)
          : `${nameOf(entry)}, ${one.search.points} points from seed ${one.search.firstSeed}`,
      work: { ...one, index } satisfies Work,
    }))
  })
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

function runOf(shards: readonly EndedShard[]): GradcheckRun {
  const outcomes: GradcheckOutcome[] = []
  const searches = new Map<string, NamedSearch>()
  for (const { shard, result } of shards) {
    if (!result?.outcome.ok) continue
    const value = made.parse(result.outcome.value)
    if ('outcome' in value) {
      outcomes.push(value.outcome)
      continue
    }
    const key = JSON.stringify(work.parse(shard.work).index)
    const before = searches.get(key)
    const report = before ? joined(before.report, value.report) : value.report
    searches.set(key, { name: value.name, report, bad: report.failed > 0 })
  }
  const found = [...searches.values()]
  const isGood = outcomes.every(({ asExpected }) => asExpected) && found.every(({ bad }) => !bad)
  return { ok: isGood, outcomes, pictures: new Map(), sweeps: [], searches: found }
}

export const gradcheckShards: ShardKind = {
  isAlone: false,
  perform: async (workbench, folder, given, signal) => {
    const { entry, index, timeout, search } = work.parse(given)
    const limits = { timeout, signal }
    if (search) {
      const manifest = await readManifest(folder)
      if (!manifest.ok) return manifest
      const request = { ...caseOf(entry, manifest.value), keepJacobians: false }
      const report = await workbench.gradchecks.search(folder, request, limits, search)
      return report.ok ? ok({ name: nameOf(entry), report: report.value }) : report
    }
    const outcomes = await workbench.gradchecks.runAll(folder, limits, { entries: [entry] })
    if (!outcomes.ok) return outcomes
    const [outcome] = outcomes.value
    return outcome
      ? ok({ outcome: { ...outcome, entry: index } })
      : err('internal', 'The gradcheck has no outcome.')
  },
  line: (value) => {
    const one = made.parse(value)
    return 'outcome' in one
      ? one.outcome.verdict
      : `${one.report.failed} of ${one.report.tried} points failed`
  },
  print: async (run, shards) => {
    const found = runOf(shards)
    const missing = withoutResult(shards)
    const isGood = found.ok && missing.length === 0
    if (run.answer.format === 'json')
      printJson({ ...gradcheckJson(found), ok: isGood, run: run.id, missing })
    else {
      printLines(found.outcomes.flatMap(outcomeLines))
      if (found.searches.length > 0) printLines(['', ...found.searches.flatMap(searchLines)])
      printLines([...missing, '', summaryLine(found.outcomes)])
    }
    return await Promise.resolve(isGood ? exitCodes.good : exitCodes.failed)
  },
}
