import { operatorCheckOutcome } from '../../contract/operator-check'
import { err, ok } from '../../contract/outcome'
import { checkOfShard, checkShardOf } from '../../engine/check/check-shards'
import { withoutResult } from '../../engine/shards/ended-shards'
import { exitCodes } from '../exit-codes'
import { printJson, printLines } from '../print'
import { checkJson } from '../verbs/check/json'
import { checkLines, checkSummary } from '../verbs/check/text'
import type { ShardKind } from './shard-kind'

export const checkShards: ShardKind = {
  isAlone: false,
  perform: async (workbench, folder, given, signal) => {
    const { entry, index, sanitize, thorough, timeout } = checkShardOf(given)
    const outcomes = await workbench.operatorChecks.runAll(
      folder,
      { timeout, signal },
      { entries: [entry], sanitize, thorough },
    )
    if (!outcomes.ok) return outcomes
    const [outcome] = outcomes.value
    if (!outcome)
      return err(
        'internal',
        'The operator check returned no result, because of a bug in Opsmith. Report the bug.',
      )
    return outcome.error?.code === 'cancelled'
      ? { ok: false, error: outcome.error }
      : ok({ ...outcome, entry: index })
  },
  line: (value) => operatorCheckOutcome.parse(value).verdict,
  print: async (run, shards) => {
    const outcomes = shards.flatMap((shard) => checkOfShard(shard)?.outcome ?? [])
    const missing = withoutResult(shards)
    const isGood = missing.length === 0 && outcomes.every(({ asExpected }) => asExpected)
    if (run.answer.format === 'json')
      printJson({ ...checkJson(outcomes), ok: isGood, run: run.id, missing })
    else {
      printLines(outcomes.flatMap((outcome) => checkLines(outcome, run.project)))
      printLines([...missing, '', checkSummary(outcomes)])
    }
    return await Promise.resolve(isGood ? exitCodes.good : exitCodes.failed)
  },
}
