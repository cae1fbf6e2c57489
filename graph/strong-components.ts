/**
 * Which vertices lie on a cycle: 1 for members of a strongly connected component of more than one
 * vertex. Tarjan, "Depth-first search and linear graph algorithms" (1972), without recursion.
 * Edges of vertex v are targets[start[v]] up to start[v + 1].
 */
export function cyclicComponents(
  count: number,
  start: Uint32Array,
  targets: ArrayLike<number>,
): Uint8Array {
  const cyclic = new Uint8Array(count)
  const order = new Int32Array(count).fill(-1)
  const low = new Int32Array(count)
  const onStack = new Uint8Array(count)
  const stack: number[] = []
  const path: number[] = []
  const next = start.slice(0, count)
  let visited = 0
  for (let root = 0; root < count; root += 1) {
    if (order[root] !== -1) continue
    path.push(root)
    while (path.length > 0) {
      const at = path.at(-1) ?? 0
      if (order[at] === -1) {
        order[at] = low[at] = visited
        visited += 1
        stack.push(at)
        onStack[at] = 1
      }
      const edge = next[at] ?? 0
      if (edge < (start[at + 1] ?? 0)) {
        next[at] = edge + 1
        const target = targets[edge] ?? 0
        if (order[target] === -1) path.push(target)
        else if (onStack[target] === 1) low[at] = Math.min(low[at] ?? 0, order[target] ?? 0)
        continue
      }
      path.pop()
      const above = path.at(-1)
      if (above !== undefined) low[above] = Math.min(low[above] ?? 0, low[at] ?? 0)
      if (low[at] !== order[at]) continue
      const isCycle = stack.at(-1) !== at
      for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
        onStack[member] = 0
        if (isCycle) cyclic[member] = 1
        if (member === at) break
      }
    }
  }
  return cyclic
}
