import type { Layers } from './layers'
import { roles, spacing } from './problem'

/** Centres of all vertices, and the bands of the layers, in the container's own coordinates. */
export interface Placement {
  x: Float64Array
  layerTop: Float64Array
  layerBottom: Float64Array
  /** Of boxes and bends, not of ports. */
  left: number
  right: number
  height: number
}

/**
 * Gives every vertex an x and every layer a y. Each layer in turn is put as near as can be (weighted
 * least squares) to what its neighbours ask for without changing its order or letting boxes touch:
 * isotonic regression by pooling adjacent violators (Best and Chakravarti 1990), linear in the layer.
 * What a vertex asks for is the weighted median of its neighbours, so that a chain is straight
 * whatever lines come and go beside it.
 */
export function placeVertices(layers: Layers, rounds: number): Placement {
  const { problem, total, layerCount, layerStart, order } = layers
  const x = new Float64Array(total)
  const hints = layers.hintX
  for (let layer = 0; layer < layerCount; layer += 1) {
    let at = 0
    const first = layerStart[layer] as number
    const end = layerStart[layer + 1] as number
    for (let index = first; index < end; index += 1) {
      if (index > first) at += gap(layers, order[index - 1] as number, order[index] as number)
      x[order[index] as number] = at
    }
    for (let index = first; index < end; index += 1) {
      const vertex = order[index] as number
      x[vertex] = (x[vertex] as number) - at / 2
    }
  }
  const wanted = new Float64Array(total)
  const weight = new Float64Array(total)
  if (hints) {
    // Two rounds for what is new, then everything that has been here before goes back to its place.
    for (let layer = 0; layer < layerCount; layer += 1)
      relaxLayer(layers, x, layer, 'up', wanted, weight)
    for (let layer = layerCount - 1; layer >= 0; layer -= 1)
      relaxLayer(layers, x, layer, 'both', wanted, weight)
  } else {
    for (let round = 0; round < rounds; round += 1) {
      for (let layer = 1; layer < layerCount; layer += 1)
        relaxLayer(layers, x, layer, 'up', wanted, weight)
      for (let layer = layerCount - 2; layer >= 0; layer -= 1)
        relaxLayer(layers, x, layer, 'down', wanted, weight)
    }
    for (let layer = 1; layer < layerCount; layer += 1)
      relaxLayer(layers, x, layer, 'up', wanted, weight)
    for (let layer = 0; layer < layerCount; layer += 1) straighten(layers, x, layer)
  }

  const layerTop = new Float64Array(layerCount)
  const layerBottom = new Float64Array(layerCount)
  let y = 0
  let left = Infinity
  let right = -Infinity
  for (let layer = 0; layer < layerCount; layer += 1) {
    let height = 0
    let isPorts = true
    for (let at = layerStart[layer] as number; at < (layerStart[layer + 1] as number); at += 1) {
      const vertex = order[at] as number
      if (vertex >= problem.count || !isPort(problem.role[vertex] as number)) isPorts = false
      if (vertex < problem.count) height = Math.max(height, problem.height[vertex] as number)
      const half = vertex < problem.count ? (problem.width[vertex] as number) / 2 : 2
      left = Math.min(left, (x[vertex] as number) - half)
      right = Math.max(right, (x[vertex] as number) + half)
    }
    // Ports lie on the border: the layer next to them needs less room.
    if (layer > 0) y += isPorts || layerBottom[layer - 1] === 0 ? spacing.layer / 2 : spacing.layer
    layerTop[layer] = y
    y += height
    layerBottom[layer] = y
  }
  if (left > right) left = right = 0
  return { x, layerTop, layerBottom, left, right, height: y }
}

function isPort(role: number): boolean {
  return role === roles.entry || role === roles.exit
}

/** Least distance between the centres of neighbours in a layer. */
function gap(layers: Layers, left: number, right: number): number {
  const { problem } = layers
  const isBoxLeft = left < problem.count && !isPort(problem.role[left] as number)
  const isBoxRight = right < problem.count && !isPort(problem.role[right] as number)
  const halves =
    (isBoxLeft ? (problem.width[left] as number) / 2 : 0) +
    (isBoxRight ? (problem.width[right] as number) / 2 : 0)
  return (
    halves + (isBoxLeft && isBoxRight ? spacing.box : isBoxLeft || isBoxRight ? 14 : spacing.line)
  )
}

type Side = 'up' | 'down' | 'both'

/** Blocks of pooled vertices, reused between calls. */
const pool = {
  mean: new Float64Array(256),
  weight: new Float64Array(256),
  end: new Int32Array(256),
}

function relaxLayer(
  layers: Layers,
  x: Float64Array,
  layer: number,
  side: Side,
  wanted: Float64Array,
  weight: Float64Array,
): void {
  const { order, layerStart, hintX: hints } = layers
  const first = layerStart[layer] as number
  const end = layerStart[layer + 1] as number
  for (let at = first; at < end; at += 1) {
    const vertex = order[at] as number
    const hint = hints ? (hints[vertex] as number) : Number.NaN
    if (!Number.isNaN(hint)) {
      wanted[vertex] = hint
      weight[vertex] = vertex < layers.problem.count ? 10_000_000 : 100_000
      continue
    }
    desire(layers, x, vertex, side, wanted, weight)
  }
  if (pool.mean.length < end - first) {
    const size = (end - first) * 2
    pool.mean = new Float64Array(size)
    pool.weight = new Float64Array(size)
    pool.end = new Int32Array(size)
  }
  // Subtract what separation takes, so that "at least so far apart" becomes "in this order".
  const { mean, weight: mass, end: ends } = pool
  let blocks = 0
  let shift = 0
  for (let at = first; at < end; at += 1) {
    const vertex = order[at] as number
    if (at > first) shift += gap(layers, order[at - 1] as number, vertex)
    let m = (wanted[vertex] as number) - shift
    let w = weight[vertex] as number
    while (blocks > 0 && (mean[blocks - 1] as number) > m) {
      blocks -= 1
      const other = mass[blocks] as number
      m = ((mean[blocks] as number) * other + m * w) / (other + w)
      w += other
    }
    mean[blocks] = m
    mass[blocks] = w
    ends[blocks] = at + 1
    blocks += 1
  }
  shift = 0
  let block = 0
  for (let at = first; at < end; at += 1) {
    const vertex = order[at] as number
    if (at > first) shift += gap(layers, order[at - 1] as number, vertex)
    if (at >= (ends[block] as number)) block += 1
    x[vertex] = (mean[block] as number) + shift
  }
}

const median = { at: new Float64Array(64), weight: new Float64Array(64) }

/** Where the neighbours on one side (or both) want a vertex: the weighted median of their places. */
function desire(
  layers: Layers,
  x: Float64Array,
  vertex: number,
  side: Side,
  wanted: Float64Array,
  weight: Float64Array,
): void {
  const { segments } = layers
  const { up, down } = segments
  let count = 0
  let sum = 0
  const upFrom = up.start[vertex] as number
  const upTo = side === 'down' ? upFrom : (up.start[vertex + 1] as number)
  const downFrom = down.start[vertex] as number
  const downTo = side === 'up' ? downFrom : (down.start[vertex + 1] as number)
  const degree = upTo - upFrom + downTo - downFrom
  if (degree === 0) {
    wanted[vertex] = x[vertex] as number
    weight[vertex] = 0.01
    return
  }
  if (median.at.length < degree) {
    median.at = new Float64Array(degree * 2)
    median.weight = new Float64Array(degree * 2)
  }
  const { at: places, weight: pulls } = median
  const insert = (value: number, pull: number): void => {
    // Few neighbours nearly always: insertion sort. Many: near enough is good enough, see below.
    let index = count
    if (count < 64) {
      while (index > 0 && (places[index - 1] as number) > value) {
        places[index] = places[index - 1] as number
        pulls[index] = pulls[index - 1] as number
        index -= 1
      }
    }
    places[index] = value
    pulls[index] = pull
    count += 1
    sum += pull
  }
  for (let row = upFrom; row < upTo; row += 1) {
    const segment = up.items[row] as number
    insert(
      (x[segments.upper[segment] as number] as number) +
        (segments.upperOffset[segment] as number) -
        (segments.lowerOffset[segment] as number),
      segments.weight[segment] as number,
    )
  }
  for (let row = downFrom; row < downTo; row += 1) {
    const segment = down.items[row] as number
    insert(
      (x[segments.lower[segment] as number] as number) +
        (segments.lowerOffset[segment] as number) -
        (segments.upperOffset[segment] as number),
      segments.weight[segment] as number,
    )
  }
  weight[vertex] = sum
  if (count > 64) {
    // The mean: a vertex with so many neighbours is straight below none of them.
    let total = 0
    for (let index = 0; index < count; index += 1)
      total += (places[index] as number) * (pulls[index] as number)
    wanted[vertex] = total / sum
    return
  }
  let passed = 0
  let index = 0
  while (index < count - 1 && passed + (pulls[index] as number) < sum / 2 - 1e-9) {
    passed += pulls[index] as number
    index += 1
  }
  const isEven = Math.abs(passed + (pulls[index] as number) - sum / 2) < 1e-9 && index + 1 < count
  wanted[vertex] = isEven
    ? ((places[index] as number) + (places[index + 1] as number)) / 2
    : (places[index] as number)
}

/** Small bends that pooling left: a vertex goes exactly under its only strong neighbour if there is room. */
function straighten(layers: Layers, x: Float64Array, layer: number): void {
  const { order, layerStart, segments } = layers
  const first = layerStart[layer] as number
  const end = layerStart[layer + 1] as number
  const reach = 6
  for (let at = first; at < end; at += 1) {
    const vertex = order[at] as number
    let strong = -1
    let isSingle = true
    for (
      let row = segments.up.start[vertex] as number;
      row < (segments.up.start[vertex + 1] as number);
      row += 1
    ) {
      const segment = segments.up.items[row] as number
      if ((segments.weight[segment] as number) < 2) continue
      if (strong >= 0) isSingle = false
      strong = segment
    }
    if (strong < 0 || !isSingle) continue
    const target =
      (x[segments.upper[strong] as number] as number) +
      (segments.upperOffset[strong] as number) -
      (segments.lowerOffset[strong] as number)
    const here = x[vertex] as number
    if (target === here || Math.abs(target - here) > reach) continue
    if (at > first) {
      const left = order[at - 1] as number
      if (target < here && target - (x[left] as number) < gap(layers, left, vertex)) continue
    }
    if (at + 1 < end) {
      const right = order[at + 1] as number
      if (target > here && (x[right] as number) - target < gap(layers, vertex, right)) continue
    }
    x[vertex] = target
  }
}
