import type { GraphPalette, PaintedScene, SceneHits, SceneOverlay } from '../scene'
import { EdgeLabels } from './edge-labels'
import { SpatialIndex } from './spatial-index'

/** A scene with what painting it quickly needs. */
export class Picture {
  readonly items: SpatialIndex
  readonly frames: SpatialIndex
  readonly edges: SpatialIndex
  overlay: SceneOverlay | null = null
  hits: SceneHits | null = null
  private edgeLabels: EdgeLabels | null = null
  private incident: { start: Uint32Array; edges: Uint32Array } | null = null

  constructor(readonly scene: PaintedScene) {
    const { items, frames, edges } = scene
    this.items = indexOf(items)
    this.frames = indexOf(frames)
    const left = new Float32Array(edges.count)
    const top = new Float32Array(edges.count)
    const right = new Float32Array(edges.count)
    const bottom = new Float32Array(edges.count)
    for (let i = 0; i < edges.count; i += 1) {
      let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity]
      const end = edges.pointStart[i + 1] ?? 0
      for (let p = edges.pointStart[i] ?? 0; p < end; p += 1) {
        const x = edges.points[2 * p] ?? 0
        const y = edges.points[2 * p + 1] ?? 0
        if (x < x0) x0 = x
        if (x > x1) x1 = x
        if (y < y0) y0 = y
        if (y > y1) y1 = y
      }
      left[i] = x0
      top[i] = y0
      right[i] = x1
      bottom[i] = y1
    }
    this.edges = new SpatialIndex(edges.count, left, top, right, bottom)
  }

  /** Made when they are first large enough to be read. */
  labels(): EdgeLabels {
    this.edgeLabels ??= new EdgeLabels(this.scene)
    return this.edgeLabels
  }

  text(index: number): string {
    return this.scene.strings[index] ?? ''
  }

  /** Edges of an item, both directions. */
  edgesOf(item: number): Uint32Array {
    this.incident ??= incidence(this.scene)
    const { start, edges } = this.incident
    return edges.subarray(start[item] ?? 0, start[item + 1] ?? 0)
  }

  /** The item under a point, else the innermost frame whose header is there: `~group`, as items name groups. */
  hit(x: number, y: number, slack: number): { item: number; frame: number } {
    const { items, frames } = this.scene
    const near = this.items.query(x - slack, y - slack, x + slack, y + slack)
    let item = -1
    let best = Infinity
    for (const i of near) {
      const cx = (items.x[i] ?? 0) + (items.w[i] ?? 0) / 2
      const cy = (items.y[i] ?? 0) + (items.h[i] ?? 0) / 2
      const away = Math.abs(cx - x) + Math.abs(cy - y)
      if (away < best) {
        best = away
        item = i
      }
    }
    let frame = -1
    for (const i of this.frames.query(x, y, x, y)) {
      if (frame < 0 || (frames.depth[i] ?? 0) > (frames.depth[frame] ?? 0)) frame = i
    }
    return { item, frame }
  }
}

/** What is drawn with: a scene may be drawn in several themes and sizes. */
export type PictureStyle = {
  palette: GraphPalette
  /** Device pixels a CSS pixel. */
  ratio: number
}

function indexOf(boxes: {
  count: number
  x: Float32Array
  y: Float32Array
  w: Float32Array
  h: Float32Array
}): SpatialIndex {
  const right = boxes.x.map((x, i) => x + (boxes.w[i] ?? 0))
  const bottom = boxes.y.map((y, i) => y + (boxes.h[i] ?? 0))
  return new SpatialIndex(boxes.count, boxes.x, boxes.y, right, bottom)
}

function incidence(scene: PaintedScene): { start: Uint32Array; edges: Uint32Array } {
  const { items, edges } = scene
  const start = new Uint32Array(items.count + 1)
  for (let i = 0; i < edges.count; i += 1) {
    for (const item of [edges.from[i] ?? 0, edges.to[i] ?? 0]) {
      start[item + 1] = (start[item + 1] ?? 0) + 1
    }
  }
  for (let i = 1; i < start.length; i += 1) start[i] = (start[i] ?? 0) + (start[i - 1] ?? 0)
  const list = new Uint32Array(2 * edges.count)
  const next = start.slice()
  for (let i = 0; i < edges.count; i += 1) {
    for (const item of [edges.from[i] ?? 0, edges.to[i] ?? 0]) {
      const slot = next[item] ?? 0
      list[slot] = i
      next[item] = slot + 1
    }
  }
  return { start, edges: list }
}
