import type { GraphModel } from '../../../../graph/model'

/**
 * A name for each group that another build's graph has too: what is folded stays folded. Namesakes
 * side by side are told apart by their order.
 */
export function groupPaths(model: GraphModel): string[] {
  const paths: string[] = []
  const counts = new Map<string, number>()
  for (const group of model.groups) {
    const parent = group.parent < 0 ? '' : (paths[group.parent] ?? '')
    const owner = group.node < 0 ? '' : (model.nodes[group.node]?.kind ?? '')
    const name = `${parent}/${group.kind} ${owner} ${group.label}`
    const count = counts.get(name) ?? 0
    counts.set(name, count + 1)
    paths[group.index] = count === 0 ? name : `${name} #${count}`
  }
  return paths
}

/** More boxes than this are hard to read at once: a large graph begins folded. */
const readableBoxes = 350

/**
 * What to fold of a graph that nobody folded or opened yet: the outermost modules, opened level by
 * level for as long as the whole can still be read.
 */
export function firstFolds(model: GraphModel): Set<number> {
  const scopes = model.groups.filter((group) => group.kind === 'scope')
  if (scopes.length === 0 || model.nodes.length <= readableBoxes) return new Set()
  const deepest = scopes.reduce((most, group) => Math.max(most, group.depth), 0)
  let best = new Set<number>()
  for (let depth = 1; depth <= deepest + 1; depth += 1) {
    const folded = scopes.filter((group) => group.depth >= depth)
    const hidden = folded
      .filter((group) => !isInsideFolded(model, group.parent, depth))
      .reduce((sum, group) => sum + group.size - 1, 0)
    const boxes = model.nodes.length - hidden
    if (depth > 1 && boxes > readableBoxes) break
    best = new Set(folded.map((group) => group.index))
  }
  return best
}

function isInsideFolded(model: GraphModel, group: number, depth: number): boolean {
  for (let at = group; at > 0; at = model.groups[at]?.parent ?? 0) {
    const entry = model.groups[at]
    if (entry?.kind === 'scope' && entry.depth >= depth) return true
  }
  return false
}
