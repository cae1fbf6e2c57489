import type { Box, FromPainter, ViewId } from '../paint/paint-messages'
import { tileSize } from '../paint/paint-messages'
import type { GraphPalette } from '../scene'
import { composeTiles } from './compose'
import { nothingSelected, paintHighlight, type Highlight, type Selection } from './highlight'
import { painter, type Extent } from './painter-client'
import { TileCache, tileKey } from './tile-cache'

/** World point at the canvas's corner, and CSS pixels a world unit. */
export type Viewport = { x: number; y: number; zoom: number }

type Next = {
  epoch: number
  since: number
  shift: { dx: number; dy: number }
  /** Not only other colours of what is shown. */
  isLayout: boolean
}

type Tile = Extract<FromPainter, { type: 'tile' }>
type Overview = Extract<FromPainter, { type: 'overview' }>

const largestZoom = 4
/** At a smaller zoom the words in boxes cannot be read. */
const readableZoom = 0.45
/** CSS pixels around a graph that is fitted into the canvas. */
const fitMargin = 24
/** World units around the graph that are painted too: badges and rings reach out of boxes. */
const border = 20
/** After the last turn of the wheel: until then pictures of another zoom are shown scaled. */
const settleTime = 90
/** A new picture is shown when all of it is there, or after this long as far as it is. */
const patience = 350

/**
 * One canvas: composes painted tiles, draws the highlight over them, sixty times a second at most and
 * only when something changed. Everything that takes longer happens in the workers.
 */
export class Surface {
  viewport: Viewport = { x: 0, y: 0, zoom: 1 }
  size: Extent = { left: 0, top: 0, width: 0, height: 0 }
  /** By hand, since the picture was placed. */
  wasMoved = false
  /** Layouts that were shown so far. */
  layoutsShown = 0
  onView: (viewport: Viewport) => void = () => undefined
  onOverview: (bitmap: ImageBitmap, scale: number) => void = () => undefined
  private readonly context: CanvasRenderingContext2D | null
  private readonly watchers = new Set<() => void>()
  private readonly cache = new TileCache()
  private overview: Overview | null = null
  private shown = 0
  private next: Next | null = null
  private shift = { dx: 0, dy: 0 }
  private wantedScale = 1
  private zoomedAt = 0
  private lastWant = ''
  private frame = 0
  private settle: ReturnType<typeof setTimeout> | undefined
  palette: GraphPalette | null = null
  private highlight: Highlight = { ...nothingSelected, hovered: null, marked: [] }
  private width = 0
  private height = 0
  private ratio = 1
  private times: number[] | null = null

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly view: ViewId,
  ) {
    this.context = canvas.getContext('2d', { alpha: false })
  }

  get cssWidth(): number {
    return this.width
  }

  get cssHeight(): number {
    return this.height
  }

  /** CSS pixels. */
  resize(width: number, height: number, ratio: number): void {
    this.width = width
    this.height = height
    this.ratio = ratio
    this.canvas.width = Math.max(1, Math.round(width * ratio))
    this.canvas.height = Math.max(1, Math.round(height * ratio))
    this.wantedScale = this.viewport.zoom * ratio
    this.changed()
    if (this.frame !== 0) cancelAnimationFrame(this.frame)
    // In the same frame: a canvas that changes its size is empty until it is drawn.
    this.frame = 0
    this.draw()
  }

  setPalette(palette: GraphPalette): void {
    this.palette = palette
    this.changed()
  }

  /** What is selected, and what it is joined to. */
  setSelection(selection: Selection | null): void {
    this.highlight = { ...this.highlight, ...(selection ?? nothingSelected) }
    this.changed()
  }

  setHovered(hovered: Box | null): void {
    if (hovered === null && this.highlight.hovered === null) return
    this.highlight = { ...this.highlight, hovered }
    this.changed()
  }

  setMarked(marked: Box[]): void {
    this.highlight = { ...this.highlight, marked }
    this.changed()
  }

  /** The next layout puts what is held on to somewhere else: the view goes along when it is shown. */
  follow(dx: number, dy: number): void {
    this.shift = { dx, dy }
  }

  /** The painter was given something new; `size` when it is a new layout. */
  expect(epoch: number, size?: Extent): void {
    const shift = size ? this.shift : (this.next?.shift ?? { dx: 0, dy: 0 })
    if (size) {
      this.size = size
      this.shift = { dx: 0, dy: 0 }
    }
    const isLayout = size !== undefined || (this.next?.isLayout ?? false)
    this.next = { epoch, since: performance.now(), shift, isLayout }
    this.lastWant = ''
    this.changed()
    if (this.shown === 0) this.showNext()
    else setTimeout(() => this.changed(), patience + 10)
  }

  takeTile(tile: Tile): void {
    if (tile.epoch !== this.shown && tile.epoch !== this.next?.epoch) {
      tile.bitmap.close()
      return
    }
    this.cache.put(tile.epoch, tile.scale, tile.column, tile.row, tile.bitmap)
    this.changed()
  }

  takeOverview(overview: Overview): void {
    if (overview.epoch !== this.shown && overview.epoch !== this.next?.epoch) {
      overview.bitmap.close()
      return
    }
    this.overview?.bitmap.close()
    this.overview = overview
    this.onOverview(overview.bitmap, overview.scale)
    this.changed()
  }

  panBy(dx: number, dy: number): void {
    this.wasMoved = true
    const { x, y, zoom } = this.viewport
    this.setViewport({ x: x - dx / zoom, y: y - dy / zoom, zoom })
  }

  /** Keeps the world's point under (`x`, `y`), CSS pixels of the canvas, where it is. */
  zoomAt(factor: number, x: number, y: number): void {
    this.wasMoved = true
    const before = this.viewport
    const zoom = Math.min(Math.max(before.zoom * factor, this.smallestZoom()), largestZoom)
    const world = { x: before.x + x / before.zoom, y: before.y + y / before.zoom }
    this.zoomedAt = performance.now()
    clearTimeout(this.settle)
    this.settle = setTimeout(() => this.changed(), settleTime + 5)
    this.setViewport({ x: world.x - x / zoom, y: world.y - y / zoom, zoom })
  }

  /** All of it where that can be read, else as much as can be; asked once more, all of it in any case. */
  fit(): void {
    const readable = this.readable()
    const { x, y, zoom } = this.viewport
    const isThere = readable.x === x && readable.y === y && readable.zoom === zoom
    this.setViewport(isThere ? this.fitting() : readable)
  }

  /** All of it, but never larger than life. A long graph is a thin line then. */
  showAll(): void {
    this.setViewport(this.fitting())
  }

  /** A first look: all of it where that can be read, else its beginning, as wide as the canvas. */
  start(): void {
    this.wasMoved = false
    const all = this.fitting()
    const wide = (this.width - 2 * fitMargin) / Math.max(this.size.width, 1)
    if (all.zoom >= readableZoom || wide < readableZoom) {
      this.setViewport(all)
      return
    }
    const zoom = Math.min(wide, 1)
    const x = this.size.left + (this.size.width - this.width / zoom) / 2
    this.setViewport({ x, y: this.size.top - fitMargin / zoom, zoom })
  }

  /** All of it, else the whole width or height around what is in view now, at a zoom that can be read. */
  private readable(): Viewport {
    const all = this.fitting()
    if (all.zoom >= readableZoom) return all
    const { left, top, width, height } = this.size
    const wide = (this.width - 2 * fitMargin) / Math.max(width, 1)
    const high = (this.height - 2 * fitMargin) / Math.max(height, 1)
    const zoom = Math.min(Math.max(wide, high, readableZoom), 1)
    const margin = fitMargin / zoom
    const middle = this.world(this.width / 2, this.height / 2)
    /** Where the view begins: in the middle of what fits, else no further than the graph goes. */
    const start = (from: number, length: number, view: number, at: number): number => {
      if (length <= view) return from + (length - view) / 2
      return Math.min(Math.max(at - view / 2, from - margin), from + length + margin - view)
    }
    return {
      x: start(left, width, this.width / zoom, middle.x),
      y: start(top, height, this.height / zoom, middle.y),
      zoom,
    }
  }

  fitting(): Viewport {
    const margin = fitMargin
    const { left, top, width, height } = this.size
    const room = Math.min(
      (this.width - 2 * margin) / Math.max(width, 1),
      (this.height - 2 * margin) / Math.max(height, 1),
    )
    const zoom = Math.max(Math.min(room, 1), 1e-4)
    const isShort = height * zoom < this.height - 2 * margin
    const y = isShort ? -margin / zoom : (height - this.height / zoom) / 2
    return { x: left + (width - this.width / zoom) / 2, y: top + y, zoom }
  }

  /** Brings a place into view, at least at a zoom at which it can be read. */
  reveal(box: { x: number; y: number; w: number; h: number }, readable = 0.7): void {
    const { viewport } = this
    const zoom = Math.max(viewport.zoom, Math.min(readable, largestZoom))
    const margin = 40 / zoom
    const right = viewport.x + this.width / viewport.zoom
    const bottom = viewport.y + this.height / viewport.zoom
    const inView =
      zoom === viewport.zoom &&
      box.x >= viewport.x + margin &&
      box.y >= viewport.y + margin &&
      box.x + box.w <= right - margin &&
      box.y + box.h <= bottom - margin
    if (inView) return
    this.setViewport({
      x: box.x + box.w / 2 - this.width / zoom / 2,
      y: box.y + box.h / 2 - this.height / zoom / 2,
      zoom,
    })
  }

  setViewport(viewport: Viewport): void {
    this.viewport = viewport
    this.onView(viewport)
    for (const watcher of this.watchers) watcher()
    this.changed()
  }

  /** Told of every move and every new picture; answers what stops it. */
  watch(watcher: () => void): () => void {
    this.watchers.add(watcher)
    return () => this.watchers.delete(watcher)
  }

  world(x: number, y: number): { x: number; y: number } {
    const { viewport } = this
    return { x: viewport.x + x / viewport.zoom, y: viewport.y + y / viewport.zoom }
  }

  /** Milliseconds spent composing each frame since the last time this was asked. */
  takeDrawTimes(): number[] {
    const times = this.times ?? []
    this.times = []
    return times
  }

  /** Whether all in view was painted for about this zoom; else other zooms' pictures fill the place. */
  get isPainted(): boolean {
    return this.missing(this.shown, this.viewport) === 0
  }

  /** Whether all that is in view is painted as it should be. */
  get isComplete(): boolean {
    return this.next === null && this.isPainted
  }

  dispose(): void {
    cancelAnimationFrame(this.frame)
    clearTimeout(this.settle)
    this.cache.clear()
    this.overview?.bitmap.close()
  }

  private smallestZoom(): number {
    return Math.min(this.fitting().zoom / 2, 0.5)
  }

  private changed(): void {
    if (this.frame !== 0) return
    this.frame = requestAnimationFrame(() => {
      this.frame = 0
      this.draw()
    })
  }

  private draw(): void {
    const started = performance.now()
    if (this.width === 0 || this.height === 0 || !this.context || !this.palette) return
    this.chooseScale()
    if (this.next && this.isNextReady()) this.showNext()
    this.askForTiles()
    this.compose(this.context, this.palette)
    if (this.times && this.times.length < 10_000) this.times.push(performance.now() - started)
    // Tiles are sharp at one zoom only; the right ones are asked for when the wheel has come to rest.
    if (this.wantedScale !== this.viewport.zoom * this.ratio) this.settleSoon()
  }

  private settleSoon(): void {
    clearTimeout(this.settle)
    this.settle = setTimeout(() => this.changed(), settleTime)
  }

  /** No wheel turns. */
  private get rests(): boolean {
    return performance.now() - this.zoomedAt > settleTime
  }

  private chooseScale(): void {
    const exact = this.viewport.zoom * this.ratio
    const off = exact / this.wantedScale
    if (this.rests || off > 2 || off < 0.5) this.wantedScale = exact
  }

  private isNextReady(): boolean {
    const next = this.next
    if (!next) return false
    if (performance.now() - next.since > patience) return true
    return this.missing(next.epoch, this.shifted(next)) === 0
  }

  private showNext(): void {
    const next = this.next
    if (!next) return
    this.next = null
    if (next.isLayout) this.layoutsShown += 1
    this.shown = next.epoch
    this.cache.keepOnly([next.epoch])
    if (this.overview && this.overview.epoch !== next.epoch) {
      this.overview.bitmap.close()
      this.overview = null
    }
    if (next.shift.dx !== 0 || next.shift.dy !== 0) {
      this.viewport = this.shifted(next)
      this.onView(this.viewport)
    }
    for (const watcher of this.watchers) watcher()
  }

  private shifted(next: { shift: { dx: number; dy: number } }): Viewport {
    const { x, y, zoom } = this.viewport
    return { x: x + next.shift.dx, y: y + next.shift.dy, zoom }
  }

  /** Tiles in view, as columns and rows; the second pair exclusive. */
  private range(viewport: Viewport): [number, number, number, number] {
    const side = tileSize / this.wantedScale
    const { left, top, width, height } = this.size
    const x0 = Math.max(viewport.x, left - border)
    const y0 = Math.max(viewport.y, top - border)
    const x1 = Math.min(viewport.x + this.width / viewport.zoom, left + width + border)
    const y1 = Math.min(viewport.y + this.height / viewport.zoom, top + height + border)
    return [
      Math.floor(x0 / side),
      Math.floor(y0 / side),
      Math.ceil(x1 / side),
      Math.ceil(y1 / side),
    ]
  }

  private missing(epoch: number, viewport: Viewport): number {
    const [c0, r0, c1, r1] = this.range(viewport)
    const tiles = this.cache.level(epoch, this.wantedScale)?.tiles
    let count = 0
    for (let row = r0; row < r1; row += 1) {
      for (let column = c0; column < c1; column += 1) {
        if (!tiles?.has(tileKey(column, row))) count += 1
      }
    }
    return count
  }

  /** First what is in view, nearest to the middle first, then a ring around it. */
  private askForTiles(): void {
    const epoch = this.next?.epoch ?? this.shown
    if (epoch === 0) return
    const viewport = this.next ? this.shifted(this.next) : this.viewport
    const [c0, r0, c1, r1] = this.range(viewport)
    const tiles = this.cache.level(epoch, this.wantedScale)?.tiles
    const middleColumn = (c0 + c1 - 1) / 2
    const middleRow = (r0 + r1 - 1) / 2
    const list: { column: number; row: number; away: number }[] = []
    const side = tileSize / this.wantedScale
    const { left, top, width, height } = this.size
    const isOutside = (column: number, row: number): boolean =>
      (column + 1) * side < left - border ||
      (row + 1) * side < top - border ||
      column * side > left + width + border ||
      row * side > top + height + border
    // Around what is in view too, for a hand that pans; while it zooms that would be thrown away.
    const ring = this.rests ? 1 : 0
    let visible = 0
    for (let row = r0 - ring; row < r1 + ring; row += 1) {
      for (let column = c0 - ring; column < c1 + ring; column += 1) {
        if (tiles?.has(tileKey(column, row))) continue
        const isVisible = row >= r0 && row < r1 && column >= c0 && column < c1
        if (!isVisible && isOutside(column, row)) continue
        const away = Math.hypot(column - middleColumn, row - middleRow)
        list.push({ column, row, away: isVisible ? away : away + 1_000 })
        if (isVisible) visible += 1
      }
    }
    list.sort((a, b) => a.away - b.away)
    const pace = this.rests ? 'full' : 'half'
    const want = `${epoch} ${this.wantedScale}/${pace} ${list.map((t) => `${t.column},${t.row}`).join(' ')}`
    if (want === this.lastWant) return
    // A list that only lost what has come needs no telling.
    const isRest = this.lastWant !== '' && isRestOf(want, this.lastWant)
    this.lastWant = want
    if (isRest) return
    const pairs = Int32Array.from(list.flatMap((tile) => [tile.column, tile.row]))
    painter.want(this.view, { scale: this.wantedScale, tiles: pairs, visible, pace })
  }

  private compose(context: CanvasRenderingContext2D, palette: GraphPalette): void {
    const { viewport, ratio } = this
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.fillStyle = palette.background
    context.fillRect(0, 0, this.canvas.width, this.canvas.height)
    const level = this.cache.level(this.shown, this.wantedScale)
    if (level) this.cache.touch(level)
    composeTiles(context, {
      levels: this.cache.levels.filter((one) => one.epoch === this.shown),
      exact: viewport.zoom * ratio,
      wanted: this.wantedScale,
      viewport,
      width: this.canvas.width,
      height: this.canvas.height,
      range: this.range(viewport),
      extent: this.size,
      overview: this.overview?.epoch === this.shown ? this.overview : null,
    })
    const scale = viewport.zoom * ratio
    context.setTransform(scale, 0, 0, scale, -viewport.x * scale, -viewport.y * scale)
    paintHighlight(context, this.highlight, palette, viewport.zoom, {
      left: viewport.x,
      top: viewport.y,
      right: viewport.x + this.width / viewport.zoom,
      bottom: viewport.y + this.height / viewport.zoom,
    })
  }
}

/** Whether every tile of `want` was in the list before, and for the same picture and scale. */
function isRestOf(want: string, before: string): boolean {
  const now = want.split(' ')
  const old = before.split(' ')
  if (now[0] !== old[0] || now[1] !== old[1]) return false
  const known = new Set(old.slice(2))
  return now.slice(2).every((tile) => known.has(tile))
}
