import { sortBlocks } from './layers'
import type { Layers } from './layers'
import { roles } from './problem'

/**
 * Reorders layers so that fewer lines cross: barycentre sweeps down and up (Sugiyama, Tagawa and Toda
 * 1981), the best order kept, then exchanges of neighbours where that helps (Gansner et al. 1993).
 * `effort` is the number of vertices and segments that may be visited: the same graph always gets the
 * same picture, whatever else the machine does.
 */
export function reduceCrossings(layers: Layers, effort: number): void {
  const size = layers.total + layers.segments.count
  const sweeps = Math.max(2, Math.min(24, Math.floor(effort / Math.max(1, size))))
  let best = layers.order.slice()
  let fewest = countCrossings(layers)
  let idle = 0
  for (let sweep = 0; sweep < sweeps && fewest > 0 && idle < 4; sweep += 1) {
    sweepOnce(layers, sweep % 2 === 0)
    const crossings = countCrossings(layers)
    if (crossings < fewest) {
      idle = crossings < fewest * 0.99 ? 0 : idle + 1
      fewest = crossings
      best = layers.order.slice()
    } else idle += 1
  }
  restore(layers, best)
  if (fewest > 0 && size <= 20_000) exchangeNeighbours(layers, 8)
  sortBlocks(layers)
}

function restore(layers: Layers, order: Int32Array): void {
  layers.order.set(order)
  for (let layer = 0; layer < layers.layerCount; layer += 1) {
    const first = layers.layerStart[layer] as number
    const end = layers.layerStart[layer + 1] as number
    for (let at = first; at < end; at += 1) layers.place[layers.order[at] as number] = at - first
  }
}

/** One sweep; exported for the first picture, which gets a single one each way. */
export function sweepOnce(layers: Layers, isDown: boolean): void {
  if (isDown)
    for (let layer = 1; layer < layers.layerCount; layer += 1) sortLayer(layers, layer, true)
  else
    for (let layer = layers.layerCount - 2; layer >= 0; layer -= 1) sortLayer(layers, layer, false)
}

/**
 * Sorts a layer by the mean place of its neighbours above (or below). What has no neighbours there
 * keeps its place. Keys and indices are packed into one float, since sorting plain numbers is fast.
 */
function sortLayer(layers: Layers, layer: number, byUpper: boolean): void {
  const { order, place, layerStart, segments, problem } = layers
  const first = layerStart[layer] as number
  const end = layerStart[layer + 1] as number
  if (end - first < 2) return
  const rows = byUpper ? segments.up : segments.down
  const other = byUpper ? segments.upper : segments.lower
  const offset = byUpper ? segments.upperOffset : segments.lowerOffset
  const movable = new Int32Array(end - first)
  const slots = new Int32Array(end - first)
  const keys = new Float64Array(end - first)
  let count = 0
  for (let at = first; at < end; at += 1) {
    const vertex = order[at] as number
    const from = rows.start[vertex] as number
    const to = rows.start[vertex + 1] as number
    if (from === to) continue
    if (vertex < problem.count && problem.role[vertex] === roles.block) continue
    let sum = 0
    for (let row = from; row < to; row += 1) {
      const segment = rows.items[row] as number
      const neighbour = other[segment] as number
      sum += place[neighbour] as number
      const shift = offset[segment] as number
      // Ports of a wide container are as far apart as they are drawn, within the container's place.
      if (shift !== 0 && neighbour < problem.count)
        sum += (0.9 * shift) / Math.max(1, problem.width[neighbour] as number)
    }
    movable[count] = vertex
    slots[count] = at
    keys[count] = Math.floor((sum / (to - from) + 1) * 1024) * 4_194_304 + count
    count += 1
  }
  const sorted = keys.subarray(0, count).sort()
  for (let index = 0; index < count; index += 1) {
    const vertex = movable[(sorted[index] as number) % 4_194_304] as number
    const at = slots[index] as number
    order[at] = vertex
    place[vertex] = at - first
  }
}

/** Crossings between neighbouring layers, counted with a Fenwick tree (Barth, Jünger and Mutzel 2002). */
export function countCrossings(layers: Layers): number {
  const { order, place, layerStart, segments } = layers
  let crossings = 0
  let tree = new Int32Array(64)
  let ends = new Float64Array(64)
  for (let layer = 0; layer + 1 < layers.layerCount; layer += 1) {
    const first = layerStart[layer] as number
    const middle = layerStart[layer + 1] as number
    const size = (layerStart[layer + 2] as number) - middle
    if (tree.length <= size) tree = new Int32Array(size * 2 + 1)
    else tree.fill(0, 0, size + 1)
    let added = 0
    for (let at = first; at < middle; at += 1) {
      const vertex = order[at] as number
      const from = segments.down.start[vertex] as number
      const to = segments.down.start[vertex + 1] as number
      const degree = to - from
      if (degree === 0) continue
      if (ends.length < degree) ends = new Float64Array(degree * 2)
      for (let row = from; row < to; row += 1) {
        const target = place[segments.lower[segments.down.items[row] as number] as number] as number
        ends[row - from] = target
        // How many earlier segments end to the right of this one.
        let right = added
        for (let index = target + 1; index > 0; index -= index & -index)
          right -= tree[index] as number
        crossings += right
      }
      for (let index = 0; index < degree; index += 1) {
        for (let node = (ends[index] as number) + 1; node <= size; node += node & -node)
          tree[node] = (tree[node] as number) + 1
      }
      added += degree
    }
  }
  return crossings
}

/** Swaps neighbours while that takes crossings away; at most `rounds` times over all layers. */
function exchangeNeighbours(layers: Layers, rounds: number): void {
  const { order, place, layerStart, problem } = layers
  const isFixed = (vertex: number): boolean =>
    vertex < problem.count && problem.role[vertex] === roles.block
  for (let round = 0; round < rounds; round += 1) {
    let improved = false
    for (let layer = 0; layer < layers.layerCount; layer += 1) {
      const first = layerStart[layer] as number
      const end = layerStart[layer + 1] as number
      for (let at = first; at + 1 < end; at += 1) {
        const left = order[at] as number
        const right = order[at + 1] as number
        if (isFixed(left) || isFixed(right)) continue
        const now = pairCrossings(layers, left, right)
        if (now === 0) continue
        if (pairCrossings(layers, right, left) >= now) continue
        order[at] = right
        order[at + 1] = left
        place[right] = at - first
        place[left] = at + 1 - first
        improved = true
      }
    }
    if (!improved) break
  }
}

/** Crossings between the segments of two neighbours, `left` standing left; big stars are left alone. */
function pairCrossings(layers: Layers, left: number, right: number): number {
  const { segments, place } = layers
  let crossings = 0
  for (const isUp of [true, false]) {
    const rows = isUp ? segments.up : segments.down
    const other = isUp ? segments.upper : segments.lower
    const leftFrom = rows.start[left] as number
    const leftTo = rows.start[left + 1] as number
    const rightFrom = rows.start[right] as number
    const rightTo = rows.start[right + 1] as number
    if ((leftTo - leftFrom) * (rightTo - rightFrom) > 4096) continue
    for (let a = leftFrom; a < leftTo; a += 1) {
      const placeA = place[other[rows.items[a] as number] as number] as number
      for (let b = rightFrom; b < rightTo; b += 1)
        if (placeA > (place[other[rows.items[b] as number] as number] as number)) crossings += 1
    }
  }
  return crossings
}
