import type {
  CaptureReport,
  Graph,
  GraphBlock,
  GraphNode,
  GraphObservation,
} from '../../../contract/graph'
import { buildModel } from '../../../../graph/build-model'
import { measureWith } from '../../../../graph/describe'
import { diffGraphs } from '../../../../graph/diff/diff-graphs'
import type { GraphDiff } from '../../../../graph/diff/diff-graphs'
import { mergeForOverlay } from '../../../../graph/diff/overlay'
import { layoutGraph } from '../../../../graph/layout/layout-graph'
import type { GraphModel } from '../../../../graph/model'
import { writeDiffText } from '../../../../graph/write/diff-text'
import { writeDot } from '../../../../graph/write/dot'
import { writeJson } from '../../../../graph/write/json'
import { writeSvg } from '../../../../graph/write/svg'
import type { Mark } from '../../../../graph/write/svg'
import type { GraphFormat } from './options'
import type { TakenGraph } from './source'
import { shortNumber, toJson } from '../../print'

/** `{warnings, checks, steps, …, name, form, inputs, outputs, nodes}`, a node a line. */
function graphJson(taken: TakenGraph): string {
  const { graph, report, observation, missing, saved } = taken
  const more = {
    ...(report ? { warnings: report.warnings, checks: report.checks } : {}),
    ...(report ? { steps: stepsWithChanges(taken) } : {}),
    ...(observation ? { observation } : {}),
    ...(saved ? { saved } : {}),
    ...(missing.length > 0 ? { missing } : {}),
  }
  return writeJson(graph, JSON.parse(toJson(more)) as Record<string, unknown>)
}

/** The steps of a capture, each pass with what it changed. */
function stepsWithChanges(
  taken: TakenGraph,
): (CaptureReport['steps'][number] & { changes: string })[] {
  const models = [...taken.before, taken.graph].map(buildModel)
  return (taken.report?.steps ?? []).map((step, index) => {
    const before = models[index - 1]
    const after = models[index]
    return { ...step, changes: before && after ? diffGraphs(before, after).summary : '' }
  })
}

export function allNodes(graph: Graph): GraphNode[] {
  const found: GraphNode[] = []
  const visit = (nodes: readonly GraphNode[]): void => {
    for (const node of nodes) {
      found.push(node)
      for (const block of node.blocks ?? ([] as GraphBlock[])) visit(block.nodes)
    }
  }
  visit(graph.nodes)
  return found
}

const milliseconds = (seconds: number): string => `${shortNumber(seconds * 1000)} ms`

/** What a run of the graph saw, slowest nodes first; nodes that put out NaN or Inf in any case. */
function observationText(graph: Graph, observation: GraphObservation): string {
  const byId = new Map(allNodes(graph).map((node) => [node.id, node]))
  const rows = observation.nodes
    .filter((seen) => seen.calls > 0)
    .sort((a, b) => b.seconds - a.seconds)
    .flatMap((seen, rank) => {
      const odd = seen.values.filter((value) => value.nan + value.inf > 0)
      const node = byId.get(seen.id)
      if (!node || (rank >= 20 && odd.length === 0)) return []
      const outputs = node.outputs.map((value) => `%${value.name}`).join(', ')
      const notes = odd.map((value) => `%${value.name} has ${value.nan} NaN, ${value.inf} Inf`)
      return [
        `# ${milliseconds(seen.seconds).padStart(12)} ${String(seen.calls).padStart(6)}x ${String(seen.bytes).padStart(12)} B  ${node.kind} ${outputs}${notes.length > 0 ? `  (${notes.join('; ')})` : ''}`,
      ]
    })
  const head = `# run node by node, unfused: ${milliseconds(observation.seconds)}, median of ${observation.runs} runs`
  return `${[head, ...rows].join('\n')}\n`
}

/** What there is to say besides the graph, for people. */
export function describeTaken(taken: TakenGraph): string[] {
  const { graph, report, missing, saved } = taken
  const lines = [`${graph.name}: ${graph.form} graph, ${allNodes(graph).length} nodes`]
  for (const step of stepsWithChanges(taken).slice(1)) {
    const note = step.note === undefined ? '' : ` (${step.note})`
    lines.push(
      `  ${step.name}: ${step.nodes} nodes, ${milliseconds(step.seconds)}: ${step.changes}${note}`,
    )
  }
  for (const warning of report?.warnings ?? []) {
    const at = warning.source
    lines.push(
      `${at === undefined ? '' : `${at.file}:${at.line}:${at.column}: `}warning: ${warning.message} [${warning.kind}]`,
    )
  }
  for (const check of report?.checks ?? []) {
    const result = check.matches
      ? 'the trace gives the same result as the function'
      : `the trace gives a different result than the function: ${check.message}`
    lines.push(`  ${check.inputs}: ${result}`)
  }
  if (missing.length > 0)
    lines.push(
      `warning: these operators or classes are not registered: ${missing.join(', ')}; --project FOLDER registers those of a project`,
    )
  if (saved) lines.push(`${saved.path}: ${saved.bytes} bytes`)
  return lines
}

/** Everything unfolded, constants inside their users. */
const plainly = { folded: new Set<number>(), showConstants: false }

function drawn(graph: Graph, markOf?: (node: number) => Mark | undefined): string {
  const model = buildModel(graph)
  const layout = layoutGraph(model, { ...plainly, measure: measureWith(model) })
  return writeSvg(model, layout, { theme: 'light', ...(markOf ? { markOf } : {}) })
}

export function graphOutput(taken: TakenGraph, format: GraphFormat): string {
  if (format === 'json') return graphJson(taken)
  if (format === 'svg') return drawn(taken.graph)
  if (format === 'dot') return writeDot(buildModel(taken.graph), plainly)
  const text = taken.text.endsWith('\n') ? taken.text : `${taken.text}\n`
  return taken.observation ? text + observationText(taken.graph, taken.observation) : text
}

/** Which nodes are new, gone and changed, and in what. */
function diffJson(before: GraphModel, after: GraphModel, diff: GraphDiff): string {
  const named = (model: GraphModel, id: number): object => {
    const node = model.nodes[id]
    return { id, kind: node?.kind, outputs: node?.outputs.map((value) => value.name) }
  }
  const entries = diff.nodes.flatMap((entry, id) =>
    after.constant[id] === 1 ? [] : [{ ...entry, id }],
  )
  return `${toJson({
    same: diff.isSame,
    summary: diff.summary,
    counts: diff.counts,
    changes: diff.changes,
    added: entries.filter((entry) => entry.status === 'added').map(({ id }) => named(after, id)),
    removed: diff.removed.map((id) => named(before, id)),
    changed: entries
      .filter((entry) => entry.status === 'changed')
      .map((entry) => ({
        ...named(after, entry.id),
        before: entry.before,
        changes: entry.changes,
      })),
  })}\n`
}

/** How one graph differs from another; as SVG both in one picture, what is gone included. */
export function diffOutput(
  other: Graph,
  graph: Graph,
  format: Exclude<GraphFormat, 'dot'>,
): { text: string; same: boolean } {
  const before = buildModel(other)
  const after = buildModel(graph)
  const diff = diffGraphs(before, after)
  if (format === 'json') return { text: diffJson(before, after, diff), same: diff.isSame }
  if (format === 'text') return { text: writeDiffText(before, after, diff), same: diff.isSame }
  const overlay = mergeForOverlay(before, after, diff)
  const text = drawn(overlay.graph, (node) => {
    const status = overlay.status[node]
    return status === 'same' ? undefined : status
  })
  return { text, same: diff.isSame }
}
