import type { GraphModel } from '../model'
import { cutAtBorders, drawContainers } from './containers'
import type { Cut } from './containers'
import type { DrawnContainer } from './draw-layered'
import { ProblemDrawer } from './draw-problem'
import { idOfKey, kindOfKey } from './layout'
import type { GraphLayout, LayoutOptions } from './layout'
import { PointList } from './points'
import { PreviousPlaces } from './previous'
import { buildScene } from './scene'
import type { Scene } from './scene'

/** Boxes from which on a first picture is worth its time. */
const firstPictureFrom = 1500

/**
 * Lays a graph out in layers, data flowing downwards; open groups are laid out on their own and are
 * then one box of what is around them. Boxes never overlap, lines never go up (but for cycles, which
 * only graphs from elsewhere have). The same input gives the same layout.
 */
export function layoutGraph(model: GraphModel, options: LayoutOptions): GraphLayout {
  const steps = layoutInSteps(model, options, false)
  for (;;) {
    const { value, done } = steps.next()
    if (done) return value
  }
}

/**
 * The same, but for large graphs a first picture comes after about a third of the time: yielded, with
 * all boxes and lines, its crossings not yet reduced. The returned layout is the final one.
 */
export function* layoutInSteps(
  model: GraphModel,
  options: LayoutOptions,
  withFirstPicture = true,
): Generator<GraphLayout, GraphLayout, void> {
  const scene = buildScene(model, options)
  const cut = cutAtBorders(scene)
  const drawer = new ProblemDrawer()
  const previous = options.previous && new PreviousPlaces(scene, options.previous)
  const labelWidth = (container: number): number => labelWidthOf(model, scene, container)
  const picture = (quality: 'first' | 'final'): GraphLayout => {
    const layout = assemble(cut, drawContainers(cut, drawer, quality, labelWidth, previous))
    if (previous) {
      const { dx, dy } = previous.translation(layout)
      translate(layout, dx, dy)
    }
    return layout
  }
  if (withFirstPicture && !previous && scene.count >= firstPictureFrom) yield picture('first')
  return picture('final')
}

/** Room for the label of a frame, pixels: measured on its box when folded would be far too wide. */
function labelWidthOf(model: GraphModel, scene: Scene, container: number): number {
  const entry = scene.containers[container]
  if (!entry || entry.parent < 0 || kindOfKey(entry.key) !== 'group') return 0
  return Math.min(240, (model.groups[idOfKey(entry.key)]?.label.length ?? 0) * 7 + 24)
}

/** Puts containers into each other and lines together; all in one coordinate system. */
function assemble(cut: Cut, drawn: readonly DrawnContainer[]): GraphLayout {
  const { scene } = cut
  const { containers } = scene
  const left = new Float64Array(containers.length)
  const top = new Float64Array(containers.length)
  const frames = {
    count: containers.length - 1,
    key: new Int32Array(containers.length - 1),
    x: new Float32Array(containers.length - 1),
    y: new Float32Array(containers.length - 1),
    w: new Float32Array(containers.length - 1),
    h: new Float32Array(containers.length - 1),
    depth: new Int32Array(containers.length - 1),
  }
  // Parents come before what is in them, so their places are known.
  for (const container of containers.slice(1)) {
    const outer = drawn[container.parent]
    const own = drawn[container.index]
    if (!outer || !own) continue
    const vertex = cut.vertexOfContainer[container.index] ?? 0
    const x =
      (left[container.parent] ?? 0) + outer.dx + (outer.drawing.x[vertex] ?? 0) - own.width / 2
    const y =
      (top[container.parent] ?? 0) + outer.dy + (outer.drawing.y[vertex] ?? 0) - own.height / 2
    left[container.index] = x
    top[container.index] = y
    const frame = container.index - 1
    frames.key[frame] = container.key
    frames.x[frame] = x
    frames.y[frame] = y
    frames.w[frame] = own.width
    frames.h[frame] = own.height
    frames.depth[frame] = container.depth - 1
  }
  const { count } = scene
  const items = {
    count,
    // Copies: a caller may give the first picture's arrays away to another thread.
    key: scene.key.slice(),
    x: new Float32Array(count),
    y: new Float32Array(count),
    w: scene.width.slice(),
    h: scene.height.slice(),
  }
  for (let item = 0; item < count; item += 1) {
    const container = scene.containerOf[item] ?? 0
    const home = drawn[container]
    if (!home) continue
    const vertex = cut.vertexOfItem[item] ?? 0
    items.x[item] =
      (left[container] ?? 0) + home.dx + (home.drawing.x[vertex] ?? 0) - (items.w[item] ?? 0) / 2
    items.y[item] =
      (top[container] ?? 0) + home.dy + (home.drawing.y[vertex] ?? 0) - (items.h[item] ?? 0) / 2
  }
  const points = new PointList()
  const pointStart = new Uint32Array(scene.edges.count + 1)
  const express = new Uint8Array(scene.edges.count)
  for (let edge = 0; edge < scene.edges.count; edge += 1) {
    points.startLine()
    const from = cut.hopStart[edge] ?? 0
    const to = cut.hopStart[edge + 1] ?? 0
    for (let hop = from; hop < to; hop += 1) {
      const container = cut.hopContainer[hop] ?? 0
      const home = drawn[container]
      if (!home) continue
      const isExpress = home.drawing.route(
        cut.hopEdge[hop] ?? 0,
        (left[container] ?? 0) + home.dx,
        (top[container] ?? 0) + home.dy,
        points,
      )
      if (isExpress === 1) express[edge] = 1
    }
    if (from === to) {
      // From a node into its own blocks: no graph of PyTorch's has that, a file from elsewhere may.
      const a = scene.edges.from[edge] ?? 0
      const b = scene.edges.to[edge] ?? 0
      points.add((items.x[a] ?? 0) + (items.w[a] ?? 0) / 2, (items.y[a] ?? 0) + (items.h[a] ?? 0))
      points.add((items.x[b] ?? 0) + (items.w[b] ?? 0) / 2, items.y[b] ?? 0)
      express[edge] = 1
    }
    pointStart[edge + 1] = points.count
  }
  const root = drawn[0]
  return {
    left: 0,
    top: 0,
    width: root?.width ?? 0,
    height: root?.height ?? 0,
    items,
    frames,
    edges: {
      count: scene.edges.count,
      from: scene.edges.from.slice(),
      to: scene.edges.to.slice(),
      valueStart: scene.edges.valueStart.slice(),
      values: scene.edges.values.slice(),
      pointStart,
      points: points.finish(),
      express,
    },
  }
}

function translate(layout: GraphLayout, dx: number, dy: number): void {
  layout.left += dx
  layout.top += dy
  for (const list of [layout.items, layout.frames]) {
    for (let index = 0; index < list.count; index += 1) {
      list.x[index] = (list.x[index] ?? 0) + dx
      list.y[index] = (list.y[index] ?? 0) + dy
    }
  }
  const { points } = layout.edges
  for (let index = 0; index < points.length; index += 2) {
    points[index] = (points[index] ?? 0) + dx
    points[index + 1] = (points[index + 1] ?? 0) + dy
  }
}
