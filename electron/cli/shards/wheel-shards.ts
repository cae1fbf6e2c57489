import {
  buildWheel,
  joinWheels,
  wheelOfShard,
  wheelShardOf,
} from '../../engine/project-export/wheel-shards'
import { formReport } from '../../contract/export'
import { withoutResult } from '../../engine/shards/ended-shards'
import { exitCodes } from '../exit-codes'
import { printJson, printLines } from '../print'
import { exportJson, formLines } from '../verbs/export/text'
import type { ShardKind } from './shard-kind'

export const wheelShards: ShardKind = {
  isAlone: false,
  perform: async (workbench, folder, given, signal) =>
    await buildWheel(workbench.exports, folder, wheelShardOf(given), signal),
  line: (value) => {
    const { products, steps } = formReport.parse(value)
    return products.at(-1) ?? steps.find(({ status }) => status === 'failed')?.reason ?? ''
  },
  print: async (run, shards) => {
    const report = joinWheels(shards.flatMap((shard) => wheelOfShard(shard)?.report ?? []))
    const missing = withoutResult(shards)
    const isGood = missing.length === 0 && report?.ok === true
    if (run.answer.format === 'json') {
      const forms = report ? [report] : []
      printJson({ ...exportJson({ ok: isGood, seconds: 0, forms }), run: run.id, missing })
    } else printLines([...(report ? formLines(report) : []), ...missing])
    return await Promise.resolve(isGood ? exitCodes.good : exitCodes.failed)
  },
}
