import { boxMetrics, type PaintedScene } from '../scene'
import type { Region } from './region'
import { SpatialIndex } from './spatial-index'

export type EdgeLabel = { x: number; y: number; half: number; text: string }

/** Of the monospace font: every character is as wide. */
const characterWidth = boxMetrics.labelSize * 0.605
const halfHeight = 6.5

/**
 * Where the types of values are written: on the first line of each value, where no other type stands
 * yet. Decided once for the whole picture, so that tiles agree.
 */
export class EdgeLabels {
  private readonly labels: EdgeLabel[] = []
  private readonly index: SpatialIndex

  constructor(scene: PaintedScene) {
    const { edges, strings } = scene
    const seen = new Set<number>()
    const taken = new Map<number, EdgeLabel[]>()
    for (const name of frameNames(scene)) overlaps(taken, name)
    for (let i = 0; i < edges.count; i += 1) {
      const value = edges.value[i] ?? -1
      const text = strings[edges.label[i] ?? -1]
      if (text === undefined || seen.has(value)) continue
      const half = (text.length * characterWidth) / 2 + 3
      const places = [placeOn(edges, i), beginningOf(edges, i)]
      const label = places
        .map((place) => ({ ...place, half, text }))
        .find((place) => !overlaps(taken, place))
      if (!label) continue
      seen.add(value)
      this.labels.push(label)
    }
    const of = (pick: (label: EdgeLabel) => number): Float32Array =>
      Float32Array.from(this.labels, pick)
    this.index = new SpatialIndex(
      this.labels.length,
      of((label) => label.x - label.half),
      of((label) => label.y - halfHeight),
      of((label) => label.x + label.half),
      of((label) => label.y + halfHeight),
    )
  }

  query(region: Region): EdgeLabel[] {
    const found = this.index.query(region.left, region.top, region.right, region.bottom)
    return found.flatMap((i) => this.labels[i] ?? [])
  }
}

/** Where the names of open blocks and modules are at zoom 1: no type may cover them. */
function frameNames(scene: PaintedScene): EdgeLabel[] {
  const { frames, strings } = scene
  const names: EdgeLabel[] = []
  for (let i = 0; i < frames.count; i += 1) {
    const text = strings[frames.label[i] ?? -1] ?? ''
    if (text === '') continue
    const half = Math.min((text.length + 2) * characterWidth, (frames.w[i] ?? 0) - 12) / 2
    names.push({ x: (frames.x[i] ?? 0) + 6 + half, y: (frames.y[i] ?? 0) + 11, half, text })
  }
  return names
}

/** Right under the box that it comes from. */
function beginningOf(edges: PaintedScene['edges'], edge: number): { x: number; y: number } {
  const start = edges.pointStart[edge] ?? 0
  return { x: edges.points[2 * start] ?? 0, y: (edges.points[2 * start + 1] ?? 0) + 9 }
}

/** In the middle of a short line, below its beginning on a long one. */
function placeOn(edges: PaintedScene['edges'], edge: number): { x: number; y: number } {
  const start = edges.pointStart[edge] ?? 0
  const isStraight = (edges.pointStart[edge + 1] ?? 0) - start === 2
  const x0 = edges.points[2 * start] ?? 0
  const y0 = edges.points[2 * start + 1] ?? 0
  const x1 = edges.points[2 * start + 2] ?? 0
  const y1 = edges.points[2 * start + 3] ?? 0
  const length = Math.abs(y1 - y0)
  if (!isStraight) {
    const part = Math.min(0.5, 15 / Math.max(1, length))
    // Not on the border of the box that it comes from, however short the first piece is.
    return { x: x0 + (x1 - x0) * part, y: Math.max(y0 + (y1 - y0) * part, y0 + 9) }
  }
  if (length < 120) return { x: (x0 + x1) / 2, y: (y0 + y1) / 2 }
  // On the S of a long line, a sixth of its way down.
  const t = 1 / 6
  const ease = t * t * (3 - 2 * t)
  const y = y0 + (y1 - y0) * (1.5 * t * (1 - t) + t * t * t)
  return { x: x0 + (x1 - x0) * ease, y }
}

const cell = 64

/** Whether a label would cover one that is there; else it is noted. */
function overlaps(taken: Map<number, EdgeLabel[]>, label: EdgeLabel): boolean {
  const row = Math.floor(label.y / cell)
  const c0 = Math.floor((label.x - label.half) / cell)
  const c1 = Math.floor((label.x + label.half) / cell)
  for (let r = row - 1; r <= row + 1; r += 1) {
    for (let c = c0; c <= c1; c += 1) {
      for (const other of taken.get(r * 0x100000 + c) ?? []) {
        const isBeside = Math.abs(other.x - label.x) >= other.half + label.half
        if (!isBeside && Math.abs(other.y - label.y) < 2 * halfHeight) return true
      }
    }
  }
  for (let c = c0; c <= c1; c += 1) {
    const key = row * 0x100000 + c
    const list = taken.get(key)
    if (list) list.push(label)
    else taken.set(key, [label])
  }
  return false
}
