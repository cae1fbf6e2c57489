import { err, ok } from '../../contract/outcome'
import type { EndedShard } from '../../contract/shards'
import {
  GradcheckResults,
  gradcheckResultOf,
  gradcheckShardOf,
} from '../../engine/check/gradcheck-shards'
import { caseOf, nameOf } from '../../engine/project/gradcheck-case'
import { readManifest } from '../../engine/project/read-manifest'
import { withoutResult } from '../../engine/shards/ended-shards'
import { exitCodes } from '../exit-codes'
import { printJson, printLines } from '../print'
import { gradcheckJson } from '../verbs/gradcheck/json'
import type { GradcheckRun } from '../verbs/gradcheck/run'
import { outcomeLines, searchLines, summaryLine } from '../verbs/gradcheck/text'
import type { ShardKind } from './shard-kind'

function runOf(shards: readonly EndedShard[]): GradcheckRun {
  const results = new GradcheckResults()
  const outcomes = shards.flatMap((shard) => results.add(shard)?.outcome ?? [])
  const searches = results.searches.map(({ name, report }) => ({
    name,
    report,
    bad: report.failed > 0,
  }))
  const isGood = outcomes.every(({ asExpected }) => asExpected) && searches.every(({ bad }) => !bad)
  return { ok: isGood, outcomes, pictures: new Map(), sweeps: [], searches }
}

export const gradcheckShards: ShardKind = {
  isAlone: false,
  perform: async (workbench, folder, given, signal) => {
    const { entry, index, timeout, search } = gradcheckShardOf(given)
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
      : err(
          'internal',
          'The gradcheck returned no result, because of a bug in Opsmith. Report the bug.',
        )
  },
  line: (value) => {
    const one = gradcheckResultOf(value)
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
