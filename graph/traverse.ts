import type { GraphModel } from './model'

/** Nodes whose outputs a node takes, each once, in the order of its inputs; also those around its block. */
export function producersOf(model: GraphModel, node: number): number[] {
  const found = new Set<number>()
  const end = model.inputStart[node + 1] ?? 0
  for (let at = model.inputStart[node] ?? 0; at < end; at += 1) {
    const producer = model.values[model.inputValues[at] ?? -1]?.producer ?? -1
    if (producer >= 0) found.add(producer)
  }
  return [...found]
}

/** Nodes that take an output of a node, each once, in the order of the text; nested ones too. */
export function usersOf(model: GraphModel, node: number): number[] {
  const found = new Set<number>()
  const first = model.firstOutput[node] ?? 0
  const count = model.nodes[node]?.outputs.length ?? 0
  for (let value = first; value < first + count; value += 1)
    for (const user of model.values[value]?.uses ?? []) found.add(user)
  return [...found].sort((a, b) => a - b)
}

/**
 * Where data goes from a node: to its users; into its blocks' inputs; from what a block gives back to
 * the block's owner and, of a loop, to the block's own inputs (the next turn).
 */
function successors(model: GraphModel, node: number, returned: Map<number, number[]>): number[] {
  const next = usersOf(model, node)
  for (const block of model.blocksOf.get(node) ?? []) {
    for (const input of model.groups[block]?.inputs ?? [])
      for (const user of model.values[input]?.uses ?? []) next.push(user)
  }
  const first = model.firstOutput[node] ?? 0
  const count = model.nodes[node]?.outputs.length ?? 0
  for (let value = first; value < first + count; value += 1)
    for (const user of returned.get(value) ?? []) next.push(user)
  return next
}

/** A shortest way of the data from `from` to `to` (nodes, both ends included); null when there is none. */
export function pathBetween(model: GraphModel, from: number, to: number): number[] | null {
  const returned = new Map<number, number[]>()
  for (const entry of model.returns) {
    const owner = model.groups[entry.group]?.node ?? -1
    if (owner < 0) continue
    const owners = returned.get(entry.value)
    if (owners) owners.push(owner)
    else returned.set(entry.value, [owner])
  }
  const before = new Int32Array(model.nodes.length).fill(-1)
  before[from] = from
  let front = [from]
  while (front.length > 0 && before[to] === -1) {
    const next: number[] = []
    for (const node of front) {
      for (const user of successors(model, node, returned)) {
        if (before[user] !== -1) continue
        before[user] = node
        next.push(user)
      }
    }
    front = next
  }
  if (before[to] === -1) return null
  const path = [to]
  while (path.at(-1) !== from) path.push(before[path.at(-1) ?? from] ?? from)
  return path.reverse()
}
