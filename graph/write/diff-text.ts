import { attributeText, constantText } from '../describe'
import type { GraphDiff } from '../diff/diff-graphs'
import { inputsOf } from '../model'
import type { GraphModel } from '../model'

/**
 * A difference as text, in the order of the new graph, like a unified diff: "+" added, "-" removed,
 * "~" changed with what changed below it; what is the same is left out but for a count. `verbose`
 * keeps it.
 */
export function writeDiffText(
  before: GraphModel,
  after: GraphModel,
  diff: GraphDiff,
  verbose = false,
): string {
  const lines = [
    `--- ${before.graph.name} (${before.graph.form})`,
    `+++ ${after.graph.name} (${after.graph.form})`,
  ]
  for (const change of diff.changes) lines.push(`~ ${change}`)
  let same = 0
  const flush = (): void => {
    if (same > 0) lines.push(`  … ${same.toLocaleString('en')} unchanged`)
    same = 0
  }
  // Removed nodes stand where the text goes on after them: before the next node that is still there.
  const removedBefore = new Map<number, number[]>()
  const isGone = new Set(diff.removed)
  let waiting: number[] = []
  for (const node of before.nodes) {
    if (isGone.has(node.id)) waiting.push(node.id)
    else if (
      waiting.length > 0 &&
      (diff.after[node.id] ?? -1) >= 0 &&
      before.constant[node.id] !== 1
    ) {
      removedBefore.set(diff.after[node.id] ?? -1, waiting)
      waiting = []
    }
  }
  const removed = (nodes: readonly number[]): void => {
    if (nodes.length > 0) flush()
    for (const id of nodes) lines.push(`- ${lineOf(before, id)}`)
  }
  for (const node of after.nodes) {
    const entry = diff.nodes[node.id]
    removed(removedBefore.get(node.id) ?? [])
    if (!entry || after.constant[node.id] === 1) continue
    if (entry.status === 'same') {
      if (verbose) lines.push(`  ${lineOf(after, node.id)}`)
      else same += 1
      continue
    }
    flush()
    lines.push(`${entry.status === 'added' ? '+' : '~'} ${lineOf(after, node.id)}`)
    for (const change of entry.changes) lines.push(`    ${change}`)
  }
  removed(waiting)
  flush()
  lines.push(diff.summary)
  return `${lines.join('\n')}\n`
}

/** A node in one line: "%z.1 : Tensor = aten::add(%x, 2)", indented as deep as its block. */
export function lineOf(model: GraphModel, id: number): string {
  const node = model.nodes[id]
  if (!node) return ''
  let depth = 0
  for (let at = model.blockOf[id] ?? 0; at > 0; depth += 1)
    at = model.blockOf[model.groups[at]?.node ?? -1] ?? 0
  const outputs = node.outputs.map((value) => `%${value.name} : ${value.type}`).join(', ')
  const attributes = Object.entries(node.attributes)
    .filter(([name]) => name !== 'may_alias' && name !== 'writes_to')
    .map(([name, value]) => `${name}=${attributeText(value)}`)
  const inputs = Array.from(
    inputsOf(model, id),
    (value) => constantText(model, value) ?? `%${model.values[value]?.name ?? ''}`,
  )
  return `${'  '.repeat(depth)}${outputs}${outputs === '' ? '' : ' = '}${node.kind}${attributes.length > 0 ? `[${attributes.join(', ')}]` : ''}(${inputs.join(', ')})`
}
