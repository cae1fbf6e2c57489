import { z } from 'zod'

import { checkEntry } from '../../contract/check-entry'
import type { CheckEntry } from '../../contract/manifest'
import { operatorCheckOutcome } from '../../contract/operator-check'
import { err, ok } from '../../contract/outcome'
import type { EndedShard, Shard } from '../../contract/shards'
import { callText } from '../../engine/project/call-text'
import { withoutResult } from '../../engine/shards/ended-shards'
import { exitCodes } from '../exit-codes'
import { printJson, printLines } from '../print'
import { checkJson } from '../verbs/check/json'
import { checkLines, checkSummary } from '../verbs/check/text'
import type { ShardKind } from './shard-kind'

const work = z.object({
  entry: checkEntry,
  /** Among all entries. */
  index: z.number().int(),
  sanitize: z.boolean(),
  thorough: z.boolean(),
  timeout: z.number(),
})

/** A shard for each operator. */
export function shardsOfChecks(
  entries: readonly CheckEntry[],
  asked: { sanitize: boolean; thorough: boolean; timeout: number },
): Shard[] {
  return entries.map((entry, index) => ({
    name: callText(entry.op, entry.args ?? []),
    work: { entry, index, ...asked } satisfies z.input<typeof work>,
  }))
}

function outcomesOf(shards: readonly EndedShard[]): z.infer<typeof operatorCheckOutcome>[] {
  return shards.flatMap(({ result }) =>
    result?.outcome.ok ? [operatorCheckOutcome.parse(result.outcome.value)] : [],
  )
}

export const checkShards: ShardKind = {
  isAlone: false,
  perform: async (workbench, folder, given, signal) => {
    const { entry, index, sanitize, thorough, timeout } = work.parse(given)
    const outcomes = await workbench.operatorChecks.runAll(
      folder,
      { timeout, signal },
      { entries: [entry], sanitize, thorough },
    )
    if (!outcomes.ok) return outcomes
    const [outcome] = outcomes.value
    if (!outcome) return err('internal', 'The operator check has no outcome.')
    return outcome.error?.code === 'cancelled'
      ? { ok: false, error: outcome.error }
      : ok({ ...outcome, entry: index })
  },
  line: (value) => operatorCheckOutcome.parse(value).verdict,
  print: async (run, shards) => {
    const outcomes = outcomesOf(shards)
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
