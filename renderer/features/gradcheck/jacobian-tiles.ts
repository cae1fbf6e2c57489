import type { WorkbenchError } from '../../../electron/contract/outcome'
import type { TensorHandle } from '../../../electron/contract/tensor'
import { call } from '../../bridge/bridge'
import type { ColourScale } from '../../shell/primitives/colour-map'
import type { ColourTable } from './colour-table'

/** Rows and columns of a tile: 65,536 numbers cross two processes in a few milliseconds. */
export const jacobianTileSize = 256
/** Tiles that are kept, some 84 MB of numbers: ten million elements can be looked at as a whole. */
const keptTiles = 160
/** Questions under way: few, so that what comes into view next need not wait behind what left it. */
const atOnce = 2

/** One halving after the other: `values` of a level are the largest magnitudes of 2 x 2 of the level before. */
type Level = { rows: number; columns: number; values: Float64Array; canvas: OffscreenCanvas | null }
type Tile = { levels: Level[]; text: string[] | null; used: number }

/**
 * A Jacobian that lies in the op host, as tiles fetched when they come into view. Seen from afar a
 * pixel shows the largest magnitude of what it covers, so that one wrong element among millions is
 * still seen.
 */
export class JacobianTiles {
  private readonly tiles = new Map<string, Tile>()
  private readonly asked = new Set<string>()
  private queue: { row: number; column: number }[] = []
  private clock = 0
  private disposed = false
  failure: WorkbenchError | null = null
  readonly rows: number
  readonly columns: number

  constructor(
    private readonly tensor: TensorHandle,
    readonly colours: ColourTable,
    private readonly changed: () => void,
  ) {
    this.rows = tensor.shape[0] ?? 1
    this.columns = tensor.shape[1] ?? 1
  }

  get scale(): ColourScale {
    return this.colours.scale
  }

  /** Takes up work, again after a `close` too. */
  open(): void {
    this.disposed = false
  }

  close(): void {
    this.disposed = true
    this.queue = []
    this.tiles.clear()
  }

  /** The value at a place with its exact text; null while it is on its way. */
  at(row: number, column: number): { value: number; text: string | null } | null {
    const tile = this.tiles.get(keyOf(row, column))
    const level = tile?.levels[0]
    if (!tile || !level) return null
    const place = (row % jacobianTileSize) * level.columns + (column % jacobianTileSize)
    const value = level.values[place]
    return value === undefined ? null : { value, text: tile.text?.[place] ?? null }
  }

  /**
   * Draws what a rectangle of elements shows, `zoom` pixels an element; what is missing is asked for.
   * False when there is more in view than is kept: then nothing is asked for.
   */
  draw(
    context: CanvasRenderingContext2D,
    view: { x: number; y: number; zoom: number; width: number; height: number },
  ): boolean {
    const { x, y, zoom, width, height } = view
    const first = { row: tileStart(Math.max(y, 0)), column: tileStart(Math.max(x, 0)) }
    const last = {
      row: Math.min(this.rows, y + height / zoom),
      column: Math.min(this.columns, x + width / zoom),
    }
    const across = Math.ceil((last.column - first.column) / jacobianTileSize)
    const down = Math.ceil((last.row - first.row) / jacobianTileSize)
    const fits = across * down <= keptTiles
    const depth = Math.max(0, Math.floor(Math.log2(1 / zoom)))
    const missing: { row: number; column: number }[] = []
    context.imageSmoothingEnabled = false
    for (let row = first.row; row < last.row; row += jacobianTileSize) {
      for (let column = first.column; column < last.column; column += jacobianTileSize) {
        const tile = this.tiles.get(keyOf(row, column))
        if (!tile) {
          missing.push({ row, column })
          continue
        }
        this.clock += 1
        tile.used = this.clock
        const level = tile.levels[Math.min(depth, tile.levels.length - 1)]
        const full = tile.levels[0]
        if (!level || !full) continue
        level.canvas ??= this.paint(level)
        const left = (column - x) * zoom
        const top = (row - y) * zoom
        context.drawImage(level.canvas, left, top, full.columns * zoom, full.rows * zoom)
      }
    }
    this.queue = fits ? missing : []
    this.fetchNext()
    return fits
  }

  /** Asks for the tile of an element, whatever is in view. */
  want(row: number, column: number): void {
    const key = keyOf(row, column)
    if (this.disposed || this.tiles.has(key) || this.asked.has(key)) return
    this.queue.unshift({ row: tileStart(row), column: tileStart(column) })
    this.fetchNext()
  }

  private fetchNext(): void {
    while (this.asked.size < atOnce) {
      const next = this.queue.shift()
      if (!next || this.failure) return
      const key = keyOf(next.row, next.column)
      if (this.asked.has(key) || this.tiles.has(key)) continue
      this.asked.add(key)
      void this.fetch(key, next.row, next.column)
    }
  }

  private async fetch(key: string, rowStart: number, columnStart: number): Promise<void> {
    const result = await call('tensor.page', {
      handle: this.tensor.handle,
      index: [],
      rowStart,
      rowCount: jacobianTileSize,
      columnStart,
      columnCount: jacobianTileSize,
    })
    this.asked.delete(key)
    if (this.disposed) return
    if (result.ok) {
      const { pageRows, pageColumns, values, text } = result.value
      const full = { rows: pageRows, columns: pageColumns, values: Float64Array.from(values) }
      this.clock += 1
      this.tiles.set(key, { levels: levelsOf(full), text: text ?? null, used: this.clock })
      this.forgetOldest()
    } else this.failure = result.error
    this.changed()
    this.fetchNext()
  }

  private forgetOldest(): void {
    if (this.tiles.size <= keptTiles) return
    const oldest = [...this.tiles].reduce((a, b) => (b[1].used < a[1].used ? b : a))
    this.tiles.delete(oldest[0])
  }

  private paint(level: Level): OffscreenCanvas {
    const canvas = new OffscreenCanvas(level.columns, level.rows)
    const context = canvas.getContext('2d')
    if (!context) return canvas
    const picture = context.createImageData(level.columns, level.rows)
    const pixels = new Uint32Array(picture.data.buffer)
    for (const [place, value] of level.values.entries()) pixels[place] = this.colours.pixel(value)
    context.putImageData(picture, 0, 0)
    return canvas
  }
}

function tileStart(place: number): number {
  return Math.floor(place / jacobianTileSize) * jacobianTileSize
}

function keyOf(row: number, column: number): string {
  return `${tileStart(row)},${tileStart(column)}`
}

function levelsOf(full: Omit<Level, 'canvas'>): Level[] {
  const levels: Level[] = [{ ...full, canvas: null }]
  for (let last = full; last.rows > 1 || last.columns > 1;) {
    last = halved(last)
    levels.push({ ...last, canvas: null })
  }
  return levels
}

/** What is no number is larger than any. */
function halved(from: Omit<Level, 'canvas'>): Omit<Level, 'canvas'> {
  const rows = Math.ceil(from.rows / 2)
  const columns = Math.ceil(from.columns / 2)
  const values = new Float64Array(rows * columns)
  for (let row = 0; row < from.rows; row += 1) {
    for (let column = 0; column < from.columns; column += 1) {
      const value = from.values[row * from.columns + column] ?? 0
      const place = (row >> 1) * columns + (column >> 1)
      const held = values[place] ?? 0
      if (Number.isNaN(value) || Math.abs(value) > Math.abs(held)) values[place] = value
    }
  }
  return { rows, columns, values }
}
