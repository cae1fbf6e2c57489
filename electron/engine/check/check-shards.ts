import { z } from 'zod'

import { checkEntry } from '../../contract/check-entry'
import type { CheckEntry } from '../../contract/manifest'
import { operatorCheckOutcome } from '../../contract/operator-check'
import type { RunCheck } from '../../contract/run-calls'
import type { EndedShard, Shard } from '../../contract/shards'
import { callText } from '../project/call-text'

const work = z.object({
  entry: checkEntry,
  /** Among all entries. */
  index: z.int(),
  sanitize: z.boolean(),
  thorough: z.boolean(),
  timeout: z.number(),
})

/** What a shard of operator checks asks for. */
export function checkShardOf(given: unknown): z.infer<typeof work> {
  return work.parse(given)
}

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

/** undefined while the shard has no outcome. */
export function checkOfShard({ shard, result }: EndedShard): RunCheck | undefined {
  if (!result?.outcome.ok) return undefined
  const outcome = operatorCheckOutcome.parse(result.outcome.value)
  return { node: result.facts.node, checked: work.parse(shard.work).entry, outcome }
}
