import { sortBlocks } from './layers'
import type { Layers } from './layers'

/**
 * Orders layers as they were in the drawing to keep to. What is new goes where its neighbours are;
 * bends go where the line was at that height.
 */
export function orderByHints(layers: Layers): void {
  const { problem, total, rank, segments, layerStart, order, place } = layers
  if (!problem.hints) return
  const { x: hintX, y: hintY, edgeAt } = problem.hints
  const hints = new Float64Array(total).fill(Number.NaN)
  hints.set(hintX)
  const layerY = layerHeights(layers, hintY)
  const bendOf = new Int32Array(problem.chainCount).fill(-1)
  const spanOf = (edge: number): number =>
    (rank[problem.edgeTo[edge] as number] as number) -
    (rank[problem.chainFrom[problem.edgeChain[edge] as number] as number] as number)
  for (let edge = 0; edge < problem.edgeCount; edge += 1) {
    if (layers.express[edge] === 1 || spanOf(edge) < 2) continue
    const chain = problem.edgeChain[edge] as number
    const other = bendOf[chain] as number
    if (other < 0 || spanOf(other) < spanOf(edge)) bendOf[chain] = edge
  }
  for (let chain = 0; chain < problem.chainCount; chain += 1) {
    const edge = bendOf[chain] as number
    if (edge < 0) continue
    const top = (rank[problem.chainFrom[chain] as number] as number) + 1
    for (let bend = 0; bend < (layers.chainLength[chain] as number); bend += 1)
      hints[(layers.chainBend[chain] as number) + bend] = edgeAt(edge, layerY[top + bend] as number)
  }
  // Keys for sorting: hints, and what neighbours say for the rest; twice, for new next to new.
  const keys = hints.slice()
  for (let round = 0; round < 3; round += 1) {
    let open = false
    for (let vertex = 0; vertex < total; vertex += 1) {
      if (!Number.isNaN(keys[vertex])) continue
      let sum = 0
      let count = 0
      for (const isUp of [true, false]) {
        const rows = isUp ? segments.up : segments.down
        const other = isUp ? segments.upper : segments.lower
        for (
          let at = rows.start[vertex] as number;
          at < (rows.start[vertex + 1] as number);
          at += 1
        ) {
          const key = keys[other[rows.items[at] as number] as number] as number
          if (Number.isNaN(key)) continue
          sum += key
          count += 1
        }
      }
      if (count > 0) keys[vertex] = sum / count
      else open = true
    }
    if (!open) break
  }
  for (let layer = 0; layer < layers.layerCount; layer += 1) {
    const first = layerStart[layer] as number
    const end = layerStart[layer + 1] as number
    const row = order.subarray(first, end)
    const sorted = Array.from(row, (vertex, index) => ({
      vertex,
      key: keys[vertex] as number,
      index,
    }))
    let last = -Infinity
    for (const entry of sorted) {
      if (Number.isNaN(entry.key)) entry.key = last
      else last = entry.key
    }
    sorted.sort((a, b) => a.key - b.key || a.index - b.index)
    for (const [index, { vertex }] of sorted.entries()) {
      order[first + index] = vertex
      place[vertex] = index
    }
  }
  sortBlocks(layers)
  layers.hintX = hints
}

/** The height at which each layer's boxes were: their median, NaN for a layer that is new. */
function layerHeights(layers: Layers, hintY: Float64Array): Float64Array {
  const { problem, rank } = layers
  const known: number[][] = Array.from({ length: layers.layerCount }, () => [])
  for (let vertex = 0; vertex < problem.count; vertex += 1) {
    const y = hintY[vertex] as number
    if (!Number.isNaN(y)) known[rank[vertex] as number]?.push(y)
  }
  return Float64Array.from(known, (values) => {
    values.sort((a, b) => a - b)
    return values[values.length >> 1] ?? Number.NaN
  })
}
