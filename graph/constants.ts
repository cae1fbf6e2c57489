import type { GraphModel } from './model'

const collections = new Set(['prim::ListConstruct', 'prim::TupleConstruct', 'prim::DictConstruct'])

/**
 * Marks the nodes that only say what others do: constants; lists, tuples and dicts of nothing but
 * constants; what is read from a module (prim::GetAttr of the module itself or of such a read).
 */
export function findConstants(model: GraphModel): void {
  const written = new Set<string>()
  for (const node of model.nodes)
    if (node.kind === 'prim::SetAttr') written.add(String(node.attributes['name'] ?? ''))
  for (const node of model.nodes) {
    if (node.kind === 'prim::Constant') {
      model.constant[node.id] = 1
      continue
    }
    const isRead =
      node.kind === 'prim::GetAttr' && !written.has(String(node.attributes['name'] ?? ''))
    if (!isRead && !collections.has(node.kind)) continue
    // An empty list is a place to append to as often as a constant: it stays a node of its own.
    let all = node.inputs.length > 0
    const end = model.inputStart[node.id + 1] ?? 0
    for (let at = model.inputStart[node.id] ?? 0; at < end && all; at += 1) {
      const value = model.values[model.inputValues[at] ?? -1]
      const producer = value?.producer ?? -1
      if (producer >= 0) all = model.constant[producer] === 1
      else all = isRead && value?.group === 0
    }
    if (all && !(collections.has(node.kind) && isMutated(model, node.id)))
      model.constant[node.id] = 1
  }
}

const mutators =
  /^aten::(append|insert|extend|pop|clear|remove|reverse|sort|_set_item|Delete|setdefault|update|popitem|add_)$/

function isMutated(model: GraphModel, node: number): boolean {
  const value = model.values[model.firstOutput[node] ?? -1]
  return value?.uses.some((user) => mutators.test(model.nodes[user]?.kind ?? '')) ?? false
}
