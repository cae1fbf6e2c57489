import type { Graph, GraphNode } from '../../electron/contract/graph'

/**
 * A graph as JSON that people and `diff` can read: keys always in the same order, one line a node,
 * blocks indented. `extra` comes before the graph's own keys.
 */
export function writeJson(graph: Graph, extra: Record<string, unknown> = {}): string {
  const lines = Object.entries({
    ...extra,
    name: graph.name,
    form: graph.form,
    inputs: graph.inputs,
    outputs: graph.outputs,
  }).map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value) ?? 'null'},`)
  return `{\n${lines.join('\n')}\n  "nodes": ${writeNodes(graph.nodes, '  ')}\n}\n`
}

function writeNodes(nodes: readonly GraphNode[], indent: string): string {
  if (nodes.length === 0) return '[]'
  const inner = `${indent}  `
  return `[\n${nodes.map((node) => inner + writeNode(node, inner)).join(',\n')}\n${indent}]`
}

function writeNode(node: GraphNode, indent: string): string {
  const { id, kind, inputs, outputs, attributes, schema, custom, source, scope, lines } = node
  const sorted = Object.fromEntries(
    Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
  )
  const head = JSON.stringify({
    id,
    kind,
    inputs,
    outputs,
    attributes: sorted,
    schema,
    custom,
    source,
    scope,
    lines,
  })
  if (!node.blocks || node.blocks.length === 0) return head
  const inner = `${indent}  `
  const blocks = node.blocks.map((block) => {
    const own = JSON.stringify({
      label: block.label,
      inputs: block.inputs,
      outputs: block.outputs,
    })
    return `${inner}${own.slice(0, -1)},"nodes":${writeNodes(block.nodes, inner)}}`
  })
  return `${head.slice(0, -1)},"blocks":[\n${blocks.join(',\n')}\n${indent}]}`
}
