import type { Result } from '../../contract/outcome'
import type { EndedShard, RunManifest } from '../../contract/shards'
import type { Workbench } from '../../engine/workbench'

/** What a verb does with shards. */
export interface ShardKind {
  /** Shards of one node are done one at a time, because they would disturb each other. */
  isAlone: boolean
  /** Does one shard on a node, whose project has been built. */
  perform: (
    workbench: Workbench,
    folder: string,
    work: unknown,
    signal: AbortSignal,
  ) => Promise<Result<unknown>>
  /** What a result says, for the progress; "" for nothing. */
  line: (value: unknown) => string
  /** Prints the answer of a run, and returns the exit code. */
  print: (run: RunManifest, shards: readonly EndedShard[]) => Promise<number>
}
