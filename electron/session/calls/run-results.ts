import type { RunResults } from '../../contract/run-calls'
import type { EndedShard } from '../../contract/shards'
import { checkOfShard } from '../../engine/check/check-shards'
import { GradcheckResults } from '../../engine/check/gradcheck-shards'
import { wheelOfShard } from '../../engine/project-export/wheel-shards'
import { requestsOf, timesOfShard } from '../../engine/timing/timing-shards'
import { timingNameOf } from '../../engine/timing/plan'

/** What shards of a run gave, as its panel shows it. */
export class ResultsOfRun {
  private readonly gradchecks = new GradcheckResults()

  constructor(private readonly verb: string) {}

  /** @param index of the shard */
  add(shard: EndedShard, index: number): RunResults {
    const results: RunResults = {
      rows: [],
      gradchecks: [],
      searches: [],
      checks: [],
      wheels: [],
    }
    if (this.verb === 'bench') {
      const times = timesOfShard(shard)
      if (!times) return results
      const { report, hardware, node } = times
      results.rows = report.rows.map((row) => ({ ...row, shard: index, node, hardware }))
    } else if (this.verb === 'gradcheck') {
      const gradcheck = this.gradchecks.add(shard)
      if (gradcheck) results.gradchecks = [gradcheck]
    } else if (this.verb === 'check') {
      const check = checkOfShard(shard)
      if (check) results.checks = [check]
    } else if (this.verb === 'export') {
      const wheel = wheelOfShard(shard)
      if (wheel) results.wheels = [wheel]
    }
    return results
  }

  /** What several shards gave, with the searches as far as they are. */
  addAll(shards: readonly (readonly [shard: EndedShard, index: number])[]): RunResults {
    const each = shards.map(([shard, index]) => this.add(shard, index))
    return {
      rows: each.flatMap(({ rows }) => rows),
      gradchecks: each.flatMap(({ gradchecks }) => gradchecks),
      searches: this.gradchecks.searches,
      checks: each.flatMap(({ checks }) => checks),
      wheels: each.flatMap(({ wheels }) => wheels),
    }
  }
}

/** Names of the benchmarks of a run, by the `entry` of its rows. */
export function benchmarksOfRun(verb: string, shards: readonly EndedShard[]): string[] {
  return verb === 'bench' ? requestsOf(shards.map(({ shard }) => shard)).map(timingNameOf) : []
}
