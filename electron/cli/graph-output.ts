import type { Graph, GraphBlock, GraphNode, GraphObservation } from '../contract/graph'
import { buildModel } from '../../graph/build-model'
import { measureWith } from '../../graph/describe'
import { layoutGraph } from '../../graph/layout/layout-graph'
import { writeSvg } from '../../graph/write/svg'
import type { GraphFormat } from './graph-options'
import type { TakenGraph } from './graph-source'
import { shortNumber, toJson } from './print'

/** A graph as JSON, a node a line: `{name, form, inputs, outputs, nodes, …}`, then what else is known. */
export function graphJson(taken: TakenGraph): string {
  const { graph, report, observation, missing, saved } = taken
  const compact = (value: unknown): string => JSON.stringify(value, nonFinite)
  const nodes = graph.nodes.map((node) => `\n    ${compact(node)}`).join(',')
  const more: Record<string, unknown> = {
    ...(report ? { warnings: report.warnings, checks: report.checks, steps: report.steps } : {}),
    ...(observation ? { observation } : {}),
    ...(saved ? { saved } : {}),
    ...(missing.length > 0 ? { missing } : {}),
  }
  const members = [
    `"name": ${compact(graph.name)}`,
    `"form": ${compact(graph.form)}`,
    `"inputs": ${compact(graph.inputs)}`,
    `"outputs": ${compact(graph.outputs)}`,
    `"nodes": [${nodes}${nodes === '' ? '' : '\n  '}]`,
    ...Object.entries(more).map(([key, value]) => `"${key}": ${compact(value)}`),
  ]
  return `{\n  ${members.join(',\n  ')}\n}\n`
}

/** JSON has no NaN and no infinities: they are written as strings, as in the other commands. */
function nonFinite(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
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
  for (const step of report?.steps.slice(1) ?? []) {
    lines.push(
      `  ${step.name}: ${step.nodes} nodes, ${milliseconds(step.seconds)}${step.note === undefined ? '' : `: ${step.note}`}`,
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
      ? 'the trace gives the same'
      : `the trace differs: ${check.message}`
    lines.push(`  ${check.inputs}: ${result}`)
  }
  if (missing.length > 0) lines.push(`warning: nothing has registered ${missing.join(', ')}`)
  if (saved) lines.push(`${saved.path}: ${saved.bytes} bytes`)
  return lines
}

/** Everything unfolded, constants inside their users. */
function drawn(graph: Graph): string {
  const model = buildModel(graph)
  const layout = layoutGraph(model, {
    folded: new Set(),
    showConstants: false,
    measure: measureWith(model),
  })
  return writeSvg(model, layout, { theme: 'light' })
}

export function graphOutput(taken: TakenGraph, format: GraphFormat): string {
  if (format === 'json') return graphJson(taken)
  if (format === 'svg') return drawn(taken.graph)
  const text = taken.text.endsWith('\n') ? taken.text : `${taken.text}\n`
  return taken.observation ? text + observationText(taken.graph, taken.observation) : text
}

export function diffOutput(
  before: TakenGraph,
  after: TakenGraph,
  format: GraphFormat,
): { text: string; same: boolean } {
  return { text: toJson({ format, before, after }), same: before.text === after.text }
}
