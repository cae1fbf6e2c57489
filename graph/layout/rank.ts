import { groupRows, roles } from './problem'
import type { LayeredProblem } from './problem'

export interface Ranking {
  rank: Int32Array
  /** Layers: 0 up to count. */
  count: number
  /** 1 for edges that close a cycle (only graphs from elsewhere have them): drawn, not ranked. */
  back: Uint8Array
}

/**
 * Puts every vertex into a layer below all that it depends on: longest path, then each vertex (or
 * free chain of vertices) moves along its slack to where its edges are shortest together. Entry ports
 * have the first layer to themselves, exit ports the last.
 */
export function rankVertices(problem: LayeredProblem): Ranking {
  const { count, edgeCount, edgeTo, edgeChain, chainFrom, role } = problem
  const edgeFrom = new Int32Array(edgeCount)
  for (let edge = 0; edge < edgeCount; edge += 1)
    edgeFrom[edge] = chainFrom[edgeChain[edge] as number] as number
  const out = groupRows(count, edgeFrom, edgeCount)
  const into = groupRows(count, edgeTo, edgeCount)
  const back = new Uint8Array(edgeCount)
  const order = topologicalOrder(problem, edgeFrom, out.start, out.items, into, back)

  let hasEntries = 0
  for (let vertex = 0; vertex < count; vertex += 1) if (role[vertex] === roles.entry) hasEntries = 1
  const rank = new Int32Array(count)
  let deepest = hasEntries
  for (const vertex of order) {
    if (role[vertex] === roles.entry) continue
    let value = hasEntries
    const end = into.start[vertex + 1] as number
    for (let at = into.start[vertex] as number; at < end; at += 1) {
      const edge = into.items[at] as number
      if (back[edge] === 1) continue
      const above = (rank[edgeFrom[edge] as number] as number) + 1
      if (above > value) value = above
    }
    rank[vertex] = value
    if (role[vertex] !== roles.exit && value > deepest) deepest = value
  }
  let last = deepest + 1
  let exits = false
  for (let vertex = 0; vertex < count; vertex += 1) {
    if (role[vertex] !== roles.exit) continue
    exits = true
    rank[vertex] = last
  }
  if (!exits) last = deepest

  // A chain is free when nothing but itself hangs on it from above: it may move down as a whole.
  const free = new Uint8Array(count)
  for (const vertex of order) {
    if (role[vertex] !== roles.box) continue
    let isFree = 1
    const end = into.start[vertex + 1] as number
    for (let at = into.start[vertex] as number; at < end && isFree === 1; at += 1) {
      const source = edgeFrom[into.items[at] as number] as number
      const uses = (out.start[source + 1] as number) - (out.start[source] as number)
      if (free[source] !== 1 || uses !== 1) isFree = 0
    }
    free[vertex] = isFree
  }
  for (let round = 0; round < 4; round += 1) {
    let moved = false
    for (let index = count - 1; index >= 0; index -= 1) {
      const vertex = order[index] as number
      if (role[vertex] !== roles.box) continue
      const firstIn = into.start[vertex] as number
      const endIn = into.start[vertex + 1] as number
      const firstOut = out.start[vertex] as number
      const endOut = out.start[vertex + 1] as number
      let low = hasEntries
      for (let at = firstIn; at < endIn; at += 1) {
        const edge = into.items[at] as number
        if (back[edge] === 1) continue
        low = Math.max(low, (rank[edgeFrom[edge] as number] as number) + 1)
      }
      let high = last
      for (let at = firstOut; at < endOut; at += 1) {
        const edge = out.items[at] as number
        if (back[edge] === 1) continue
        high = Math.min(high, (rank[edgeTo[edge] as number] as number) - 1)
      }
      const wantsDown =
        endOut > firstOut && (endOut - firstOut > endIn - firstIn || free[vertex] === 1)
      const wantsUp = !wantsDown && endIn - firstIn > endOut - firstOut
      const target = wantsDown ? high : wantsUp ? low : (rank[vertex] as number)
      if (target >= low && target <= high && target !== rank[vertex]) {
        rank[vertex] = target
        moved = true
      }
    }
    if (!moved) break
  }
  return { rank, count: closeGaps(rank, last + 1), back }
}

/** Takes layers out that tightening emptied. */
function closeGaps(rank: Int32Array, layers: number): number {
  const used = new Int32Array(layers)
  for (const value of rank) used[value] = 1
  let next = 0
  for (let layer = 0; layer < layers; layer += 1) {
    const isUsed = used[layer] === 1
    used[layer] = next
    if (isUsed) next += 1
  }
  for (let vertex = 0; vertex < rank.length; vertex += 1)
    rank[vertex] = used[rank[vertex] as number] as number
  return next
}

/** Kahn's algorithm; when only cycles are left, the first vertex left goes next and what it waits for is a back edge. */
function topologicalOrder(
  problem: LayeredProblem,
  edgeFrom: Int32Array,
  outStart: Uint32Array,
  outEdges: Int32Array,
  into: { start: Uint32Array; items: Int32Array },
  back: Uint8Array,
): Int32Array {
  const { count, edgeTo } = problem
  const waits = new Int32Array(count)
  const done = new Uint8Array(count)
  const order = new Int32Array(count)
  let filled = 0
  let read = 0
  for (let vertex = 0; vertex < count; vertex += 1) {
    waits[vertex] = (into.start[vertex + 1] as number) - (into.start[vertex] as number)
    if (waits[vertex] === 0) {
      order[filled] = vertex
      filled += 1
      done[vertex] = 1
    }
  }
  let next = 0
  for (;;) {
    while (read < filled) {
      const vertex = order[read] as number
      read += 1
      const end = outStart[vertex + 1] as number
      for (let at = outStart[vertex] as number; at < end; at += 1) {
        const target = edgeTo[outEdges[at] as number] as number
        if (done[target] === 1) continue
        waits[target] = (waits[target] as number) - 1
        if (waits[target] !== 0) continue
        order[filled] = target
        filled += 1
        done[target] = 1
      }
    }
    if (filled === count) return order
    while (done[next] === 1) next += 1
    const end = into.start[next + 1] as number
    for (let at = into.start[next] as number; at < end; at += 1) {
      const edge = into.items[at] as number
      if (done[edgeFrom[edge] as number] !== 1) back[edge] = 1
    }
    order[filled] = next
    filled += 1
    done[next] = 1
  }
}
