import type { DrawnContainer } from './draw-layered'
import type { GraphLayout, PreviousLayout } from './layout'
import { roles } from './problem'
import type { LayeredProblem } from './problem'
import type { Container, Scene } from './scene'

interface Rectangle {
  x: number
  y: number
  w: number
  h: number
}

/** Where the items of a scene were in the layout to keep to. */
export class PreviousPlaces {
  private readonly layout: GraphLayout
  /** Index in the previous layout's items and frames, by key there. */
  private readonly items = new Map<number, number>()
  private readonly frames = new Map<number, number>()
  /** Previous edges by both ends. */
  private readonly edges = new Map<number, number>()

  constructor(
    private readonly scene: Scene,
    private readonly previous: PreviousLayout,
  ) {
    this.layout = previous.layout
    const { items, frames, edges } = this.layout
    for (let item = 0; item < items.count; item += 1) this.items.set(items.key[item] ?? -1, item)
    for (let frame = 0; frame < frames.count; frame += 1)
      this.frames.set(frames.key[frame] ?? -1, frame)
    for (let edge = 0; edge < edges.count; edge += 1)
      this.edges.set((edges.from[edge] ?? 0) * items.count + (edges.to[edge] ?? 0), edge)
  }

  /** The frame that an open container had; of a folded one that is open now, its box. */
  private frameOf(container: Container): Rectangle | undefined {
    if (container.parent < 0) {
      const { left, top, width, height } = this.layout
      return { x: left, y: top, w: width, h: height }
    }
    const frame = this.frames.get(this.previous.match(container.key))
    return frame === undefined ? undefined : rectangle(this.layout.frames, frame)
  }

  private boxOf(key: number): Rectangle | undefined {
    const before = this.previous.match(key)
    const item = this.items.get(before)
    if (item !== undefined) return rectangle(this.layout.items, item)
    const frame = this.frames.get(before)
    return frame === undefined ? undefined : rectangle(this.layout.frames, frame)
  }

  /** Tells a container's problem where its vertices were; nothing when too few of them are known. */
  hint(
    problem: LayeredProblem,
    edgeScene: readonly number[],
    container: Container,
    drawn: readonly DrawnContainer[],
  ): void {
    const base = this.frameOf(container)
    if (!base) return
    const x = new Float64Array(problem.count).fill(Number.NaN)
    const y = new Float64Array(problem.count).fill(Number.NaN)
    let known = 0
    for (const [vertex, child] of container.children.entries()) {
      if (child >= 0) {
        const box = this.boxOf(this.scene.key[child] ?? -1)
        if (!box) continue
        x[vertex] = box.x + box.w / 2 - base.x
        y[vertex] = box.y + box.h / 2 - base.y
      } else {
        const inner = this.scene.containers[~child]
        const now = drawn[~child]
        if (!inner || !now) continue
        const frame = this.frameOf(inner)
        const box = frame ?? this.boxOf(inner.key)
        if (!box) continue
        const { origin } = now.drawing
        // What is inside stays where it was; the frame grows or shrinks around it.
        x[vertex] =
          frame && !Number.isNaN(origin)
            ? frame.x - base.x + origin - now.dx + now.width / 2
            : box.x - base.x + box.w / 2
        y[vertex] = box.y + box.h / 2 - base.y
      }
      known += 1
    }
    if (known * 3 < container.children.length) return
    const edgeAt = (edge: number, height: number): number =>
      this.edgeAt(edgeScene[edge] ?? -1, height + base.y) - base.x
    // Ports are where the lines crossed the border.
    for (let edge = 0; edge < problem.edgeCount; edge += 1) {
      const from = problem.chainFrom[problem.edgeChain[edge] ?? 0] ?? 0
      const to = problem.edgeTo[edge] ?? 0
      if (problem.role[from] === roles.entry && Number.isNaN(x[from])) x[from] = edgeAt(edge, 0)
      if (problem.role[to] === roles.exit && Number.isNaN(x[to])) x[to] = edgeAt(edge, base.h)
    }
    problem.hints = { x, y, edgeAt }
  }

  /** The x of an edge of the scene at a height of the previous picture, wherever between its ends that is. */
  private edgeAt(edge: number, y: number): number {
    const { scene, layout } = this
    const from = scene.edges.from[edge] ?? -1
    const to = scene.edges.to[edge] ?? -1
    const fromBefore = this.items.get(this.previous.match(scene.key[from] ?? -1))
    const toBefore = this.items.get(this.previous.match(scene.key[to] ?? -1))
    if (fromBefore === undefined || toBefore === undefined) return Number.NaN
    const before = this.edges.get(fromBefore * layout.items.count + toBefore)
    if (before === undefined || layout.edges.express[before] === 1) return Number.NaN
    const { points } = layout.edges
    const end = layout.edges.pointStart[before + 1] ?? 0
    for (let point = layout.edges.pointStart[before] ?? 0; point + 1 < end; point += 1) {
      const x0 = points[point * 2] ?? 0
      const y0 = points[point * 2 + 1] ?? 0
      const x1 = points[point * 2 + 2] ?? 0
      const y1 = points[point * 2 + 3] ?? 0
      if (y < y0 || y > y1) continue
      return y1 > y0 ? x0 + ((x1 - x0) * (y - y0)) / (y1 - y0) : x0
    }
    return Number.NaN
  }

  /** How far the new layout has to go so that half of what was there before is left, half right of its old place. */
  translation(layout: GraphLayout): { dx: number; dy: number } {
    const dx: number[] = []
    const dy: number[] = []
    const { items } = layout
    for (let item = 0; item < items.count; item += 1) {
      const before = this.boxOf(items.key[item] ?? -1)
      if (!before) continue
      dx.push(before.x + before.w / 2 - (items.x[item] ?? 0) - (items.w[item] ?? 0) / 2)
      dy.push(before.y + before.h / 2 - (items.y[item] ?? 0) - (items.h[item] ?? 0) / 2)
    }
    return { dx: medianOf(dx), dy: medianOf(dy) }
  }
}

function rectangle(list: GraphLayout['items'] | GraphLayout['frames'], index: number): Rectangle {
  return {
    x: list.x[index] ?? 0,
    y: list.y[index] ?? 0,
    w: list.w[index] ?? 0,
    h: list.h[index] ?? 0,
  }
}

function medianOf(values: number[]): number {
  return Float64Array.from(values).sort()[values.length >> 1] ?? 0
}
