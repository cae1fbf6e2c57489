import type { FromPainter } from '../paint/paint-messages'
import { tileSize } from '../paint/paint-messages'
import { tileKey, type Level } from './tile-cache'

/** What a frame is put together from. Lengths are device pixels of the canvas, unless they say world. */
export type Parts = {
  /** Tiles of the shown picture, of all zooms that are still kept. */
  levels: readonly Level[]
  /** Device pixels a world unit: of the frame, and of the tiles that are wanted for it. */
  exact: number
  wanted: number
  /** World point at the canvas's corner. */
  viewport: { x: number; y: number }
  width: number
  height: number
  /** The wanted tiles that are in view: columns, rows; the ends exclusive. */
  range: readonly [number, number, number, number]
  /** What the picture covers, in the world. */
  extent: { left: number; top: number; width: number; height: number }
  overview: Extract<FromPainter, { type: 'overview' }> | null
}

type Rect = { left: number; top: number; right: number; bottom: number }

/**
 * The wanted tiles; where one is not painted yet, the nearest other zoom's that covers the place, else
 * what there is over the whole graph enlarged. Nothing is drawn that would be covered: without a GPU
 * every scaled pixel takes its time.
 */
export function composeTiles(context: CanvasRenderingContext2D, parts: Parts): void {
  const [c0, r0, c1, r1] = parts.range
  const own = parts.levels.find((level) => level.scale === parts.wanted)
  const others = parts.levels.filter((level) => level !== own)
  others.sort((a, b) => distance(a.scale, parts.exact) - distance(b.scale, parts.exact))
  for (let row = r0; row < r1; row += 1) {
    let first = c0
    for (let column = c0; column <= c1; column += 1) {
      const bitmap = column < c1 ? own?.tiles.get(tileKey(column, row)) : undefined
      if (column < c1 && bitmap === undefined) continue
      if (column > first)
        fill(context, parts, others, cells(parts, parts.wanted, first, column, row))
      if (bitmap) drawTile(context, bitmap, cells(parts, parts.wanted, column, column + 1, row))
      first = column + 1
    }
  }
}

/** Where the cells of a row are, from a column to before another; neighbours share their edges. */
function cells(parts: Parts, scale: number, first: number, end: number, row: number): Rect {
  const side = (tileSize * parts.exact) / scale
  const x = originX(parts)
  const y = originY(parts)
  return {
    left: Math.floor(x + first * side),
    top: Math.floor(y + row * side),
    right: Math.floor(x + end * side),
    bottom: Math.floor(y + (row + 1) * side),
  }
}

// Whole device pixels: tiles at their own zoom are then copied, not resampled.
function originX(parts: Parts): number {
  return Math.round(-parts.viewport.x * parts.exact)
}

function originY(parts: Parts): number {
  return Math.round(-parts.viewport.y * parts.exact)
}

function drawTile(context: CanvasRenderingContext2D, bitmap: ImageBitmap, at: Rect): void {
  const width = at.right - at.left
  const height = at.bottom - at.top
  if (width === bitmap.width && height === bitmap.height) {
    context.drawImage(bitmap, at.left, at.top)
  } else context.drawImage(bitmap, at.left, at.top, width, height)
}

function fill(
  context: CanvasRenderingContext2D,
  parts: Parts,
  others: readonly Level[],
  hole: Rect,
): void {
  const place = inPicture(parts, hole)
  if (place.right <= place.left || place.bottom <= place.top) return
  context.save()
  context.beginPath()
  context.rect(place.left, place.top, place.right - place.left, place.bottom - place.top)
  context.clip()
  const covering = others.find((level) => drawLevel(null, parts, level, place))
  if (covering) drawLevel(context, parts, covering, place)
  else {
    drawOverview(context, parts)
    for (const level of others.slice(0, 2).reverse()) drawLevel(context, parts, level, place)
  }
  context.restore()
}

/** The part of a place that is on the canvas and in the picture. */
function inPicture(parts: Parts, place: Rect): Rect {
  const { extent, exact } = parts
  const left = originX(parts) + extent.left * exact
  const top = originY(parts) + extent.top * exact
  return {
    left: Math.max(place.left, 0, Math.floor(left)),
    top: Math.max(place.top, 0, Math.floor(top)),
    right: Math.min(place.right, parts.width, Math.ceil(left + extent.width * exact)),
    bottom: Math.min(place.bottom, parts.height, Math.ceil(top + extent.height * exact)),
  }
}

/** Draws a level's tiles at a place (or only looks, without a context); whether they cover it. */
function drawLevel(
  context: CanvasRenderingContext2D | null,
  parts: Parts,
  level: Level,
  place: Rect,
): boolean {
  const side = (tileSize * parts.exact) / level.scale
  const x = originX(parts)
  const y = originY(parts)
  const c1 = Math.ceil((place.right - x) / side)
  const r1 = Math.ceil((place.bottom - y) / side)
  let covers = true
  for (let row = Math.floor((place.top - y) / side); row < r1; row += 1) {
    for (let column = Math.floor((place.left - x) / side); column < c1; column += 1) {
      const bitmap = level.tiles.get(tileKey(column, row))
      if (bitmap === undefined) covers = false
      else if (context)
        drawTile(context, bitmap, cells(parts, level.scale, column, column + 1, row))
      if (!covers && context === null) return false
    }
  }
  return covers
}

function drawOverview(context: CanvasRenderingContext2D, parts: Parts): void {
  const { overview, exact, extent } = parts
  if (overview === null) return
  const scale = exact / overview.scale
  const { width, height } = overview.bitmap
  const x = originX(parts) + extent.left * exact
  const y = originY(parts) + extent.top * exact
  context.imageSmoothingEnabled = scale < 8
  context.drawImage(overview.bitmap, x, y, width * scale, height * scale)
  context.imageSmoothingEnabled = true
}

function distance(a: number, b: number): number {
  return Math.abs(Math.log(a / b))
}
