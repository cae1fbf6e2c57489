import { orderByHints } from './hints'
import { buildLayers } from './layers'
import type { Layers } from './layers'
import { reduceCrossings, sweepOnce } from './order'
import { placeVertices } from './place'
import type { Placement } from './place'
import type { PointList } from './points'
import { roles, spacing } from './problem'
import type { LayeredProblem } from './problem'

/** One container, drawn: centres and lines in its own coordinates, from 0 at its left and top. */
export interface Drawing {
  width: number
  height: number
  x: Float64Array
  y: Float64Array
  /** What left = 0 stands for in the coordinates of hints; NaN when that says nothing. */
  origin: number
  /** Appends the points of an edge, moved by dx, dy; 1 when it is an express line. */
  route: (edge: number, dx: number, dy: number, points: PointList) => number
}

export interface DrawnContainer {
  drawing: Drawing
  width: number
  height: number
  /** From the drawing's coordinates to those of the container's frame. */
  dx: number
  dy: number
}

export type Quality = 'first' | 'final'

/** Layers survive from the first picture to the final one. */
export interface LayeredState {
  layers: Layers
  refined: boolean
}

export function prepareLayered(problem: LayeredProblem): LayeredState {
  const layers = buildLayers(problem)
  if (problem.hints) orderByHints(layers)
  else {
    sweepOnce(layers, true)
    sweepOnce(layers, false)
  }
  return { layers, refined: problem.hints !== undefined }
}

/** Work that crossings are worth, in vertices and segments visited. */
const orderEffort = 4_000_000

export function drawLayered(state: LayeredState, quality: Quality): Drawing {
  const { layers } = state
  const { problem } = layers
  if (quality === 'final' && !state.refined) {
    reduceCrossings(layers, orderEffort)
    state.refined = true
  }
  const size = layers.total + layers.segments.count
  const rounds = quality === 'first' ? 1 : size > 200_000 ? 3 : size > 50_000 ? 4 : 8
  const placed = placeVertices(layers, rounds)
  const x = new Float64Array(problem.count)
  const y = new Float64Array(problem.count)
  for (let vertex = 0; vertex < problem.count; vertex += 1) {
    x[vertex] = (placed.x[vertex] as number) - placed.left
    y[vertex] = heightOf(layers, placed, vertex)
  }
  return {
    width: placed.right - placed.left,
    height: placed.height,
    x,
    y,
    origin: placed.left,
    route: (edge, dx, dy, points) =>
      routeEdge(layers, placed, y, edge, dx - placed.left, dy, points),
  }
}

/**
 * The middle of a vertex's layer; but beside something tall what only ends lines stands at the top and
 * what only begins them at the bottom, where they are short.
 */
function heightOf(layers: Layers, placed: Placement, vertex: number): number {
  const { up, down } = layers.segments
  const layer = layers.rank[vertex] as number
  const top = placed.layerTop[layer] as number
  const bottom = placed.layerBottom[layer] as number
  const height = layers.problem.height[vertex] as number
  // Blocks of a node begin at the same height: then and else side by side.
  if (layers.problem.role[vertex] === roles.block) return top + height / 2
  if (bottom - top < height * 2) return (top + bottom) / 2
  const takes = (up.start[vertex + 1] as number) > (up.start[vertex] as number)
  const gives = (down.start[vertex + 1] as number) > (down.start[vertex] as number)
  if (takes === gives) return (top + bottom) / 2
  return takes ? top + height / 2 : bottom - height / 2
}

/**
 * Down from the source to the end of its layer, through the bends, each as high as its layer, and on
 * to the target. Boxes are entered beside their middle when the line comes from the side.
 */
function routeEdge(
  layers: Layers,
  placed: Placement,
  y: Float64Array,
  edge: number,
  dx: number,
  dy: number,
  points: PointList,
): number {
  const { problem, rank } = layers
  const chain = problem.edgeChain[edge] as number
  const source = problem.chainFrom[chain] as number
  const target = problem.edgeTo[edge] as number
  const from = rank[source] as number
  const to = rank[target] as number
  const startX = (placed.x[source] as number) + (problem.chainOffset[chain] as number)
  points.add(startX + dx, (y[source] as number) + (problem.height[source] as number) / 2 + dy)
  const express = layers.express[edge] as number
  let last = startX
  if (express === 0) {
    points.add(startX + dx, (placed.layerBottom[from] as number) + dy)
    const bend = layers.chainBend[chain] as number
    for (let layer = from + 1; layer < to; layer += 1) {
      last = placed.x[bend + layer - from - 1] as number
      points.add(last + dx, (placed.layerTop[layer] as number) + dy)
      points.add(last + dx, (placed.layerBottom[layer] as number) + dy)
    }
  }
  let endX = (placed.x[target] as number) + (problem.edgeToOffset[edge] as number)
  if (problem.role[target] === roles.box && problem.edgeToOffset[edge] === 0) {
    const reach = (problem.width[target] as number) * 0.35
    endX += Math.max(-reach, Math.min(reach, (last - endX) * 0.4))
  }
  if (express === 0) points.add(endX + dx, (placed.layerTop[to] as number) + dy)
  points.add(endX + dx, (y[target] as number) - (problem.height[target] as number) / 2 + dy)
  return express
}

/** Parts that nothing connects stand in rows, in the order of the text, rather than in one wide row. */
export function packDrawings(
  parts: readonly { drawing: Drawing; vertices: Int32Array; edges: Int32Array }[],
  count: number,
  edgeCount: number,
): Drawing {
  let area = 0
  let widest = 0
  for (const { drawing } of parts) {
    area += (drawing.width + spacing.component) * (drawing.height + spacing.component)
    widest = Math.max(widest, drawing.width)
  }
  const limit = Math.max(widest, Math.sqrt(area * 1.8))
  const x = new Float64Array(count)
  const y = new Float64Array(count)
  const partOfEdge = new Int32Array(edgeCount)
  const edgeInPart = new Int32Array(edgeCount)
  const left = new Float64Array(parts.length)
  const top = new Float64Array(parts.length)
  let atX = 0
  let atY = 0
  let rowHeight = 0
  let width = 0
  for (const [index, { drawing, vertices, edges }] of parts.entries()) {
    if (atX > 0 && atX + drawing.width > limit) {
      atX = 0
      atY += rowHeight + spacing.component
      rowHeight = 0
    }
    left[index] = atX
    top[index] = atY
    for (const [inPart, vertex] of vertices.entries()) {
      x[vertex] = (drawing.x[inPart] as number) + atX
      y[vertex] = (drawing.y[inPart] as number) + atY
    }
    for (const [inPart, edge] of edges.entries()) {
      partOfEdge[edge] = index
      edgeInPart[edge] = inPart
    }
    width = Math.max(width, atX + drawing.width)
    atX += drawing.width + spacing.component
    rowHeight = Math.max(rowHeight, drawing.height)
  }
  return {
    width,
    height: atY + rowHeight,
    x,
    y,
    origin: Number.NaN,
    route: (edge, dx, dy, points) => {
      const part = partOfEdge[edge] as number
      const drawing = parts[part]?.drawing
      if (!drawing) return 0
      return drawing.route(
        edgeInPart[edge] as number,
        dx + (left[part] as number),
        dy + (top[part] as number),
        points,
      )
    },
  }
}
