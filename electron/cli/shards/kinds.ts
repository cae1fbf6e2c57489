import { checkShards } from './check-shards'
import { gradcheckShards } from './gradcheck-shards'
import type { ShardKind } from './shard-kind'
import { timingShards } from './timing-shards'
import { wheelShards } from './wheel-shards'

/** By the verb that makes the shards. */
export const shardKinds: Readonly<Record<string, ShardKind>> = {
  bench: timingShards,
  check: checkShards,
  export: wheelShards,
  gradcheck: gradcheckShards,
}
