import { groupRows, roles } from './problem'
import type { LayeredProblem, Rows } from './problem'
import { rankVertices } from './rank'

/**
 * A ranked graph with a bend for every layer that a line passes. Bends of chain c are vertices
 * chainBend[c], chainBend[c] + 1, … in the layers below its source: all edges that leave from one
 * place share them, so a value with a thousand users does not make a thousand lines.
 */
export interface Layers {
  problem: LayeredProblem
  /** Vertices with bends. */
  total: number
  rank: Int32Array
  layerCount: number
  /** Vertices of layer l, left to right: order[layerStart[l]] up to layerStart[l + 1]. */
  layerStart: Uint32Array
  order: Int32Array
  /** Place within its layer. */
  place: Int32Array
  chainBend: Int32Array
  chainLength: Int32Array
  /** 1 for edges drawn straight across the layers: too long for bends, or against the direction. */
  express: Uint8Array
  /** Where vertices and bends were in the drawing to keep to, NaN for what is new. */
  hintX?: Float64Array
  segments: {
    count: number
    upper: Int32Array
    lower: Int32Array
    upperOffset: Float64Array
    lowerOffset: Float64Array
    weight: Float64Array
    /** Segments by their upper and by their lower vertex. */
    down: Rows
    up: Rows
  }
}

/** Bends that a drawing may have; beyond, the longest edges go without. */
function bendBudget(vertices: number): number {
  return Math.max(2000, vertices < 20_000 ? vertices * 4 : vertices * 2)
}

/**
 * Bends that all edges together may pass: those of one chain share bends but not points, so a value
 * that each node of a long chain takes would make points by the square of its length.
 */
function passBudget(edges: number): number {
  return Math.max(400_000, edges * 8)
}

export function buildLayers(problem: LayeredProblem): Layers {
  const { rank: given, count: layerCount, back } = rankVertices(problem)
  const { count, edgeCount, edgeTo, edgeChain, chainCount, chainFrom, edgeDrawn } = problem
  const spans = new Int32Array(edgeCount)
  for (let edge = 0; edge < edgeCount; edge += 1)
    spans[edge] =
      (given[edgeTo[edge] as number] as number) -
      (given[chainFrom[edgeChain[edge] as number] as number] as number)
  const { express, chainLength } = chooseExpress(problem, spans, back)

  const chainBend = new Int32Array(chainCount)
  let total = count
  for (let chain = 0; chain < chainCount; chain += 1) {
    chainBend[chain] = total
    total += chainLength[chain] as number
  }
  const rank = new Int32Array(total)
  rank.set(given)
  for (let chain = 0; chain < chainCount; chain += 1) {
    const top = (given[chainFrom[chain] as number] as number) + 1
    for (let bend = 0; bend < (chainLength[chain] as number); bend += 1)
      rank[(chainBend[chain] as number) + bend] = top + bend
  }

  const upper: number[] = []
  const lower: number[] = []
  const upperOffset: number[] = []
  const lowerOffset: number[] = []
  const weight: number[] = []
  const add = (a: number, b: number, offsetA: number, offsetB: number, w: number): void => {
    upper.push(a)
    lower.push(b)
    upperOffset.push(offsetA)
    lowerOffset.push(offsetB)
    weight.push(w)
  }
  for (let chain = 0; chain < chainCount; chain += 1) {
    const length = chainLength[chain] as number
    if (length === 0) continue
    const bend = chainBend[chain] as number
    add(chainFrom[chain] as number, bend, problem.chainOffset[chain] as number, 0, weights.bendBox)
    for (let step = 1; step < length; step += 1)
      add(bend + step - 1, bend + step, 0, 0, weights.bends)
  }
  for (let edge = 0; edge < edgeCount; edge += 1) {
    if (express[edge] === 1) continue
    const chain = edgeChain[edge] as number
    const span = spans[edge] as number
    const isShort = span === 1
    add(
      isShort ? (chainFrom[chain] as number) : (chainBend[chain] as number) + span - 2,
      edgeTo[edge] as number,
      isShort ? (problem.chainOffset[chain] as number) : 0,
      problem.edgeToOffset[edge] as number,
      edgeDrawn[edge] === 0 ? weights.undrawn : isShort ? weights.boxes : weights.bendBox,
    )
  }
  const segments = {
    count: upper.length,
    upper: Int32Array.from(upper),
    lower: Int32Array.from(lower),
    upperOffset: Float64Array.from(upperOffset),
    lowerOffset: Float64Array.from(lowerOffset),
    weight: Float64Array.from(weight),
    down: groupRows(total, upper, upper.length),
    up: groupRows(total, lower, lower.length),
  }
  const rows = groupRows(layerCount, rank, total)
  const layers: Layers = {
    problem,
    total,
    rank,
    layerCount,
    layerStart: rows.start,
    order: rows.items,
    place: new Int32Array(total),
    chainBend,
    chainLength,
    express,
    segments,
  }
  orderDepthFirst(layers)
  return layers
}

/** How much segments pull: between boxes most, so that chains stay straight and lines make way for them. */
const weights = { boxes: 10_000, bends: 10_000, bendBox: 1, undrawn: 0.5 } as const

/**
 * Which edges go without bends. A chain's bends reach as far down as its longest edge with bends, so
 * the bound on the span is the largest one whose chains fit into the budget.
 */
function chooseExpress(
  problem: LayeredProblem,
  spans: Int32Array,
  back: Uint8Array,
): { express: Uint8Array; chainLength: Int32Array } {
  const { edgeCount, edgeChain, chainCount } = problem
  const express = back.slice()
  const chainLength = new Int32Array(chainCount)
  const bends = bendBudget(problem.count)
  const passes = passBudget(edgeCount)
  const fits = (bound: number): boolean => {
    chainLength.fill(0)
    let total = 0
    let passed = 0
    for (let edge = 0; edge < edgeCount; edge += 1) {
      const span = spans[edge] as number
      if (back[edge] === 1 || span > bound || span < 2) continue
      const chain = edgeChain[edge] as number
      passed += span - 1
      const longer = span - 1 - (chainLength[chain] as number)
      if (longer <= 0) continue
      total += longer
      chainLength[chain] = span - 1
    }
    return total <= bends && passed <= passes
  }
  let longest = 1
  for (const span of spans) if (span > longest) longest = span
  if (fits(longest)) return { express, chainLength }
  let low = 1
  let high = longest
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (fits(middle)) low = middle
    else high = middle
  }
  fits(low)
  for (let edge = 0; edge < edgeCount; edge += 1)
    if ((spans[edge] as number) > low) express[edge] = 1
  return { express, chainLength }
}

/** A first order: each layer in the order in which a depth-first walk from the text's first vertex meets it. */
function orderDepthFirst(layers: Layers): void {
  const { total, rank, segments, order, layerStart } = layers
  const next = layerStart.slice()
  const seen = new Uint8Array(total)
  const stack: number[] = []
  const visit = (vertex: number): void => {
    seen[vertex] = 1
    const layer = rank[vertex] as number
    const at = next[layer] as number
    next[layer] = at + 1
    order[at] = vertex
    layers.place[vertex] = at - (layerStart[layer] as number)
  }
  const { up, down, upper, lower } = segments
  const pushUsers = (vertex: number): void => {
    const first = down.start[vertex] as number
    for (let at = (down.start[vertex + 1] as number) - 1; at >= first; at -= 1) {
      const target = lower[down.items[at] as number] as number
      if (seen[target] === 0) stack.push(target)
    }
  }
  for (let root = 0; root < total; root += 1) {
    if (seen[root] === 1 || (up.start[root + 1] as number) > (up.start[root] as number)) continue
    stack.push(root)
    while (stack.length > 0) {
      const vertex = stack.pop() as number
      if (seen[vertex] === 1) continue
      visit(vertex)
      // What only leads here stands beside what leads here too.
      for (let at = up.start[vertex] as number; at < (up.start[vertex + 1] as number); at += 1) {
        const source = upper[up.items[at] as number] as number
        if (seen[source] === 1 || up.start[source + 1] !== up.start[source]) continue
        visit(source)
        pushUsers(source)
      }
      pushUsers(vertex)
    }
  }
  sortBlocks(layers)
}

/** Blocks stand in the order of the program (then, else) in the places that blocks have. */
export function sortBlocks(layers: Layers): void {
  const { problem, order, layerStart, place } = layers
  for (let layer = 0; layer < layers.layerCount; layer += 1) {
    const slots: number[] = []
    for (let at = layerStart[layer] as number; at < (layerStart[layer + 1] as number); at += 1) {
      const vertex = order[at] as number
      if (vertex < problem.count && problem.role[vertex] === roles.block) slots.push(at)
    }
    if (slots.length < 2) continue
    const blocks = slots.map((at) => order[at] as number).sort((a, b) => a - b)
    for (const [index, at] of slots.entries()) {
      const vertex = blocks[index] as number
      order[at] = vertex
      place[vertex] = at - (layerStart[layer] as number)
    }
  }
}
