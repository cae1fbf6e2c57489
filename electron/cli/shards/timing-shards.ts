import { err, ok } from '../../contract/outcome'
import type { EndedShard, RunManifest } from '../../contract/shards'
import { timingReport } from '../../contract/timing-report'
import type { TimingReport, TimingRequest, TimingRow } from '../../contract/timing-report'
import { withoutResult } from '../../engine/shards/ended-shards'
import { pointText } from '../../engine/timing/plan'
import { requestsOf, timesOfShard, timingShardOf } from '../../engine/timing/timing-shards'
import { exitCodes } from '../exit-codes'
import { printError, printJson, printLines, progress } from '../print'
import { baselineLines, compareWithBaseline, readBaseline } from '../verbs/bench/baseline'
import type { Baseline, ComparedRow } from '../verbs/bench/baseline'
import { csvOfRows, timingJson } from '../verbs/bench/json'
import { machineLine } from '../verbs/bench/machine-line'
import { tableMarkdown, tableText, timeText, timingTables, unitFor } from '../verbs/bench/table'
import type { ShardKind } from './shard-kind'

/** What was timed on nodes that are alike. Times of different hardware are in different groups, and in no common ratio. */
interface HardwareGroup {
  /** "Xeon Gold 6248, 40 cores; NVIDIA H100 80GB HBM3" */
  hardware: string
  nodes: Set<string>
  report: TimingReport
  /** Nodes by row. */
  nodeOf: Map<TimingRow, string>
}

function groupsOf(shards: readonly EndedShard[]): HardwareGroup[] {
  const groups = new Map<string, HardwareGroup>()
  for (const shard of shards) {
    const times = timesOfShard(shard)
    if (!times) continue
    const { report, hardware, node } = times
    const group = groups.get(hardware) ?? {
      hardware,
      nodes: new Set<string>(),
      report: { ...report, rows: [], seconds: 0 },
      nodeOf: new Map<TimingRow, string>(),
    }
    group.nodes.add(node)
    group.report.seconds += report.seconds
    for (const row of report.rows) {
      group.report.rows.push(row)
      group.nodeOf.set(row, node)
    }
    groups.set(hardware, group)
  }
  return [...groups.values()]
}

const nodesText = (nodes: ReadonlySet<string>): string =>
  `${nodes.size === 1 ? 'node' : 'nodes'} ${[...nodes].sort().join(', ')}`

/** Rows next to a baseline of the same processor; a baseline of another one is compared with nothing. */
function compared(
  { report }: HardwareGroup,
  before: Baseline | undefined,
  failAbove: number,
): Map<TimingRow, ComparedRow> {
  if (!before || before.processor !== report.machine.processor) return new Map()
  return compareWithBaseline(report.rows, before, failAbove)
}

function textOf(
  group: HardwareGroup,
  requests: readonly TimingRequest[],
  asked: { isMarkdown: boolean; before: Baseline | undefined; failAbove: number },
): string[] {
  const { report, hardware, nodes, nodeOf } = group
  const { isMarkdown, before, failAbove } = asked
  const tables = timingTables(report, requests)
  const isSame = before?.processor === report.machine.processor
  const places =
    nodes.size === 1
      ? []
      : [
          `Nodes: ${[...nodes]
            .sort()
            .map((node) => {
              const points = new Set(
                report.rows.flatMap((row) =>
                  nodeOf.get(row) === node ? [pointText(row.point)] : [],
                ),
              )
              return `${node} timed ${points.size} ${points.size === 1 ? 'point' : 'points'}`
            })
            .join(', ')}.`,
        ]
  const baseline = !before
    ? []
    : isSame
      ? baselineLines(report, before, compared(group, before, failAbove), failAbove)
      : [
          `not compared with the baseline, which was made on another processor (${before.processor})`,
        ]
  return [
    `${isMarkdown ? '## ' : ''}${hardware} (${nodesText(nodes)})`,
    '',
    ...tables.flatMap((table) => [...(isMarkdown ? tableMarkdown(table) : tableText(table)), '']),
    ...baseline,
    ...places,
    machineLine(report),
    '',
  ]
}

async function printTimings(run: RunManifest, shards: readonly EndedShard[]): Promise<number> {
  const { format, baseline, failAbove } = run.answer
  const before = baseline === '' ? ok(undefined) : await readBaseline(baseline)
  if (!before.ok) return printError(before.error, format === 'json')
  const groups = groupsOf(shards)
  const missing = withoutResult(shards)
  const ratios = groups.map((group) => compared(group, before.value, failAbove))
  const isGood =
    missing.length === 0 &&
    groups.every(({ report }) => report.rows.every(({ summary }) => summary !== undefined)) &&
    ratios.every((some) => [...some.values()].every(({ failed }) => !failed))
  if (format === 'json')
    printJson({
      ok: isGood,
      run: run.id,
      missing,
      // Times of different groups are of different hardware.
      hardware: groups.map((group, index) => ({
        hardware: group.hardware,
        nodes: [...group.nodes].sort(),
        ...timingJson(group.report, isGood, ratios[index] ?? new Map(), group.nodeOf),
      })),
    })
  else if (format === 'csv') {
    const rows = groups.flatMap(({ report, hardware, nodeOf }) =>
      report.rows.map((row) => ({ row, more: [hardware, nodeOf.get(row) ?? ''] })),
    )
    printLines(csvOfRows(rows, ['hardware', 'node']))
    missing.forEach(progress)
  } else {
    const asked = { isMarkdown: format === 'markdown', before: before.value, failAbove }
    const requests = requestsOf(shards.map(({ shard }) => shard))
    printLines(groups.flatMap((group) => textOf(group, requests, asked)))
    printLines(missing)
    if (groups.length > 1)
      printLines([
        'The nodes have different hardware, so each kind of node has its own table. Do not compare times from different tables.',
      ])
  }
  return isGood ? exitCodes.good : exitCodes.failed
}

export const timingShards: ShardKind = {
  isAlone: true,
  perform: async (workbench, folder, given, signal) => {
    const { request } = timingShardOf(given)
    const report = await workbench.timings.run(folder, [request], { signal })
    if (!report.ok) return report
    const cancelled = report.value.rows.find(({ error }) => error?.code === 'cancelled')
    if (cancelled) return err('cancelled', 'Stopped.')
    // Thousands of samples of each row would fill the memory of whoever follows the run.
    const rows = report.value.rows.map((row) => ({ ...row, samples: [], times: [] }))
    return ok({ ...report.value, rows })
  },
  line: (value) => {
    const { rows } = timingReport.parse(value)
    const [own] = rows
    if (!own) return ''
    if (!own.summary) return `no time: ${own.refused}`
    const unit = unitFor([own.summary.median])
    const more = rows.length > 1 ? `, and ${rows.length - 1} more` : ''
    return `${own.variant}, ${own.direction}: ${timeText(own.summary.median, unit)} ${unit[0]}${more}`
  },
  print: printTimings,
}
