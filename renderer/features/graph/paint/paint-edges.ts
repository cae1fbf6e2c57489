import { boxMetrics, changeKind } from '../scene'
import type { PictureStyle, Picture } from './picture'
import type { Context, Region } from './region'

/** Edges a square tile of 512 pixels at most, when seen from far: more only make it grey. */
const farLimit = 4000

/** Lines between boxes. From far straight hairlines, thinned evenly; near curves with arrow heads and types. */
export function paintEdges(
  context: Context,
  picture: Picture,
  look: PictureStyle,
  region: Region,
): void {
  const found = picture.edges.query(region.left, region.top, region.right, region.bottom)
  if (found.length === 0) return
  const { palette } = look
  const near = region.zoom > 0.22
  context.lineWidth = (near ? 1.2 : 1) / region.zoom
  context.lineCap = 'butt'
  context.strokeStyle = palette.edge
  context.globalAlpha = near ? 1 : Math.max(0.3, Math.min(1, 0.3 + 3 * region.zoom))
  if (near) {
    paintCurves(context, picture, found)
    paintHeads(context, picture, found, region, palette.edge)
  } else paintHairlines(context, picture, found, region)
  context.globalAlpha = 1
  paintChanged(context, picture, found, look, region)
}

/** The same edges are left out in every tile of a zoom level, so that no line ends at a tile's border. */
function paintHairlines(context: Context, picture: Picture, found: number[], region: Region): void {
  const { edges, width, height } = picture.scene
  const tiles = Math.max(1, (width * height * region.zoom ** 2) / 512 ** 2)
  const every = Math.max(1, Math.ceil(edges.count / tiles / farLimit))
  const shortest = 1 / region.zoom
  let batch = 0
  context.beginPath()
  for (const i of found) {
    if (every > 1 && hashed(i) % every !== 0) continue
    const start = edges.pointStart[i] ?? 0
    const end = edges.pointStart[i + 1] ?? 0
    let x = edges.points[2 * start] ?? 0
    let y = edges.points[2 * start + 1] ?? 0
    context.moveTo(x, y)
    for (let p = start + 1; p < end; p += 1) {
      const nextX = edges.points[2 * p] ?? 0
      const nextY = edges.points[2 * p + 1] ?? 0
      // Bends that nobody can see cost as much as others.
      if (p < end - 1 && Math.abs(nextX - x) < shortest && Math.abs(nextY - y) < shortest) continue
      context.lineTo(nextX, nextY)
      x = nextX
      y = nextY
    }
    batch += end - start
    // Long paths cost more than their parts: the rasteriser sorts all their segments.
    if (batch > 96) {
      context.stroke()
      context.beginPath()
      batch = 0
    }
  }
  context.stroke()
}

function hashed(i: number): number {
  return Math.imul(i ^ (i >>> 7), 0x9e3779b1) >>> 8
}

function paintCurves(context: Context, picture: Picture, found: number[]): void {
  let batch = 0
  context.beginPath()
  for (const i of found) {
    traceCurve(context, picture, i)
    batch += 1
    if (batch % 24 === 0) {
      context.stroke()
      context.beginPath()
    }
  }
  context.stroke()
}

/** Adds an edge's line to the path: its bends rounded, or an S where it has none. */
export function traceCurve(
  context: Pick<Context, 'moveTo' | 'lineTo' | 'quadraticCurveTo' | 'bezierCurveTo'>,
  picture: Picture,
  edge: number,
): void {
  const { pointStart, points } = picture.scene.edges
  traceLine(context, points, pointStart[edge] ?? 0, pointStart[edge + 1] ?? 0)
}

/** The same for points of one's own: pairs from index `start` to `end`. */
export function traceLine(
  context: Pick<Context, 'moveTo' | 'lineTo' | 'quadraticCurveTo' | 'bezierCurveTo'>,
  points: Float32Array,
  start: number,
  end: number,
): void {
  let x = points[2 * start] ?? 0
  let y = points[2 * start + 1] ?? 0
  context.moveTo(x, y)
  const lastX = points[2 * end - 2] ?? 0
  const lastY = points[2 * end - 1] ?? 0
  if (end - start === 2) {
    if (Math.abs(lastX - x) < 0.5) context.lineTo(lastX, lastY)
    else {
      const middle = (y + lastY) / 2
      context.bezierCurveTo(x, middle, lastX, middle, lastX, lastY)
    }
    return
  }
  for (let p = start + 1; p < end - 1; p += 1) {
    const bendX = points[2 * p] ?? 0
    const bendY = points[2 * p + 1] ?? 0
    const isLast = p === end - 2
    x = isLast ? lastX : (bendX + (points[2 * p + 2] ?? 0)) / 2
    y = isLast ? lastY : (bendY + (points[2 * p + 3] ?? 0)) / 2
    context.quadraticCurveTo(bendX, bendY, x, y)
  }
}

function paintHeads(
  context: Context,
  picture: Picture,
  found: number[],
  region: Region,
  colour: string,
): void {
  const { pointStart, points } = picture.scene.edges
  context.fillStyle = colour
  context.beginPath()
  for (const i of found) {
    const end = pointStart[i + 1] ?? 0
    const x = points[2 * end - 2] ?? 0
    const y = points[2 * end - 1] ?? 0
    if (x < region.left - 8 || x > region.right + 8) continue
    if (y < region.top - 8 || y > region.bottom + 8) continue
    traceHead(context, points, pointStart[i] ?? 0, end)
  }
  context.fill()
}

/** A triangle at the line's end, in the direction it comes from. */
export function traceHead(
  context: Pick<Context, 'moveTo' | 'lineTo' | 'closePath'>,
  points: Float32Array,
  start: number,
  end: number,
): void {
  const x = points[2 * end - 2] ?? 0
  const y = points[2 * end - 1] ?? 0
  // Curves of two points arrive straight from above.
  const fromX = end - start === 2 ? x : (points[2 * end - 4] ?? 0)
  const fromY = end - start === 2 ? y - 1 : (points[2 * end - 3] ?? 0)
  const length = Math.hypot(x - fromX, y - fromY) || 1
  const dx = (x - fromX) / length
  const dy = (y - fromY) / length
  context.moveTo(x, y)
  context.lineTo(x - 6 * dx - 3 * dy, y - 6 * dy + 3 * dx)
  context.lineTo(x - 6 * dx + 3 * dy, y - 6 * dy - 3 * dx)
  context.closePath()
}

/** Lines that came or went since the graph this one is compared with, over all others. */
function paintChanged(
  context: Context,
  picture: Picture,
  found: number[],
  { palette }: PictureStyle,
  region: Region,
): void {
  const { change } = picture.scene.edges
  const kinds = [
    [changeKind.added, palette.added, []],
    [changeKind.removed, palette.removed, [5, 4]],
  ] as const
  for (const [kind, colour, dash] of kinds) {
    const changed = found.filter((i) => change[i] === kind)
    if (changed.length === 0) continue
    context.strokeStyle = colour
    context.lineWidth = 1.8 / region.zoom
    context.setLineDash(dash.map((length) => length / Math.min(1, region.zoom)))
    paintCurves(context, picture, changed)
    if (region.zoom > 0.22) paintHeads(context, picture, changed, region, colour)
    context.setLineDash([])
  }
}

/** Types beside the lines' beginnings. Painted last: a line must not run through a word. */
export function paintEdgeLabels(
  context: Context,
  picture: Picture,
  look: PictureStyle,
  region: Region,
): void {
  if (region.zoom < 0.55) return
  const { palette } = look
  context.font = `${boxMetrics.labelSize}px ${palette.monoFont}`
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  for (const label of picture.labels().query(region)) {
    const { x, y, half, text } = label
    context.fillStyle = palette.background
    context.globalAlpha = 0.85
    context.fillRect(x - half, y - 6.5, 2 * half, 13)
    context.globalAlpha = 1
    context.fillStyle = palette.muted
    context.fillText(text, x, y)
  }
}
