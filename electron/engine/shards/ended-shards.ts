import type { EndedShard } from '../../contract/shards'
import type { RunFolder } from './run-folder'

/**
 * All shards of a run, in their order, with what has come of them so far.
 * @param failed shards whose workers died twice, and why
 */
export async function endedShards(
  run: RunFolder,
  failed: ReadonlyMap<number, string>,
): Promise<EndedShard[]> {
  const ended: EndedShard[] = []
  for (const [index, shard] of (await run.allShards()).entries()) {
    const result = await run.readResult(index)
    const reason = failed.get(index)
    ended.push({
      shard,
      ...(result ? { result } : {}),
      ...(result || reason === undefined ? {} : { reason }),
    })
  }
  return ended
}

/** Shards without an answer, a sentence each. */
export function withoutResult(shards: readonly EndedShard[]): string[] {
  return shards.flatMap(({ shard, result, reason }) => {
    if (reason !== undefined)
      return [
        `no result for ${shard.name}, because two workers died while they worked on it: ${reason}`,
      ]
    if (!result) return [`no result for ${shard.name} yet`]
    return result.outcome.ok ? [] : [`no result for ${shard.name}: ${result.outcome.error.message}`]
  })
}
