import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import type { AppInput } from '../../electron/contract/app-calls'
import { err, ok, type Result } from '../../electron/contract/outcome'
import type { TensorHandle, TensorPage, TensorStats } from '../../electron/contract/tensor'
import {
  ColourTable,
  errorScale,
  jacobianScale,
} from '../../renderer/features/gradcheck/colour-table'
import { JacobianTiles, jacobianTileSize } from '../../renderer/features/gradcheck/jacobian-tiles'
import { rgbAt } from '../../renderer/shell/primitives/colour-map'
import { connectMain } from '../support/main-process'

const main = connectMain()

const statsOf = (min: number | null, max: number | null): TensorStats => ({
  count: 4,
  nan: 0,
  posInf: 0,
  negInf: 0,
  zeros: 0,
  min,
  max,
  mean: 0,
  std: 0,
})

const channels = (pixel: number): number[] => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255]

describe('colours of a Jacobian', () => {
  it('the colours are those of the scale at its ends, in its middle and beyond', () => {
    const table = new ColourTable({ kind: 'diverging', low: -2, high: 2 })
    expect(channels(table.pixel(-2))).toEqual(rgbAt('diverging', 0))
    expect(channels(table.pixel(0))).toEqual(rgbAt('diverging', 0.5))
    expect(channels(table.pixel(2))).toEqual(rgbAt('diverging', 1))
    expect(table.pixel(99)).toBe(table.pixel(2))
    expect(table.pixel(1.5)).not.toBe(table.pixel(2))
    // Opaque: a canvas shows what is below it through anything else.
    expect(table.pixel(1) >>> 24).toBe(255)
  })

  it('values that are not numbers have a colour of their own', () => {
    const table = new ColourTable({ kind: 'sequential', low: 0, high: 1 })
    const special = table.pixel(NaN)
    expect(table.pixel(Infinity)).toBe(special)
    expect(table.pixel(-Infinity)).toBe(special)
    for (let i = 0; i <= 100; i += 1) expect(table.pixel(i / 100)).not.toBe(special)
  })

  it('the colour of an error shows its magnitude, whatever its sign', () => {
    const table = new ColourTable({ kind: 'sequential', low: 0, high: 3 })
    expect(table.pixel(-3)).toBe(table.pixel(3))
    expect(table.pixel(-3)).not.toBe(table.pixel(0))
  })

  it('black text is chosen where it is easier to read than white', () => {
    const table = new ColourTable({ kind: 'diverging', low: -1, high: 1 })
    expect(table.isLight(0)).toBe(true)
    expect(table.isLight(1)).toBe(false)
    expect(table.isLight(-1)).toBe(false)
  })

  it('a scale without extent has the colour of zero', () => {
    const none = new ColourTable(errorScale(statsOf(0, 0)))
    expect(channels(none.pixel(0))).toEqual(rgbAt('sequential', 0))
    const flat = new ColourTable(jacobianScale(statsOf(0, 0), statsOf(0, 0)))
    expect(channels(flat.pixel(0))).toEqual(rgbAt('diverging', 0.5))
  })

  it('both Jacobians share one scale, centred on zero', () => {
    expect(jacobianScale(statsOf(-1, 5), statsOf(-7, 2))).toEqual({
      kind: 'diverging',
      low: -7,
      high: 7,
    })
    expect(errorScale(statsOf(-4, 1))).toEqual({ kind: 'sequential', low: 0, high: 4 })
    // Nothing finite in it.
    expect(errorScale(statsOf(null, null))).toEqual({ kind: 'sequential', low: 0, high: 0 })
  })
})

type Page = AppInput<'tensor.page'>

/** One wrong element among a million, and one that is no number. */
const wrong = { row: 700, column: 300 }
const undefinedAt = { row: 10, column: 900 }
const elementAt = (row: number, column: number): number => {
  if (row === wrong.row && column === wrong.column) return -9
  if (row === undefinedAt.row && column === undefinedAt.column) return NaN
  return (row + column) / 4000
}

const handle: TensorHandle = {
  kind: 'tensor',
  handle: 5,
  shape: [1000, 1000],
  strides: [1000, 1],
  dtype: 'float64',
  device: 'cpu',
  requiresGrad: false,
  gradFn: '',
  stats: statsOf(-9, 1),
}

/** A canvas that remembers what was painted. */
class Canvas {
  pixels: Uint32Array = new Uint32Array(0)
  constructor(
    readonly width: number,
    readonly height: number,
  ) {}

  getContext(): object {
    return {
      createImageData: (width: number, height: number) => ({
        data: new Uint8ClampedArray(4 * width * height),
      }),
      putImageData: ({ data }: { data: Uint8ClampedArray }) => {
        this.pixels = new Uint32Array(data.buffer)
      },
    }
  }
}

type Drawn = { canvas: Canvas; left: number; top: number; width: number; height: number }

describe('the tiles of a Jacobian', () => {
  let asked: Page[] = []
  let refuse = false

  /** What the op host would answer of that matrix. */
  function answer(page: Page): Result<TensorPage> {
    asked.push(page)
    if (refuse) return err('input.invalid', 'It is gone.')
    const pageRows = Math.min(page.rowCount, 1000 - page.rowStart)
    const pageColumns = Math.min(page.columnCount, 1000 - page.columnStart)
    const values = Array.from({ length: pageRows * pageColumns }, (_, place) =>
      elementAt(
        page.rowStart + Math.floor(place / pageColumns),
        page.columnStart + (place % pageColumns),
      ),
    )
    const text = values.map((value) => `${value} exactly`)
    const { rowStart, columnStart } = page
    return ok({
      rows: 1000,
      columns: 1000,
      rowStart,
      columnStart,
      pageRows,
      pageColumns,
      values,
      text,
    })
  }

  let drawn: Drawn[] = []
  const context = {
    imageSmoothingEnabled: true,
    drawImage: (canvas: Canvas, left: number, top: number, width: number, height: number) => {
      drawn.push({ canvas, left, top, width, height })
    },
  } as unknown as CanvasRenderingContext2D

  const colours = new ColourTable({ kind: 'sequential', low: 0, high: 9 })
  const make = (changed: () => void = () => undefined): JacobianTiles =>
    new JacobianTiles(handle, colours, changed)

  /** Draws until nothing is asked for any more. */
  async function whole(tiles: JacobianTiles, zoom: number): Promise<boolean> {
    const view = { x: 0, y: 0, zoom, width: 1000 * zoom, height: 1000 * zoom }
    for (let before = -1; before !== asked.length;) {
      before = asked.length
      drawn = []
      tiles.draw(context, view)
      await new Promise((resolve) => setTimeout(resolve, 0))
    }
    drawn = []
    return tiles.draw(context, view)
  }

  beforeEach(() => {
    asked = []
    drawn = []
    refuse = false
    main.answer('tensor.page', answer)
    vi.stubGlobal('OffscreenCanvas', Canvas)
  })
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  it('each tile is fetched once, few at a time', async () => {
    const tiles = make()
    tiles.draw(context, { x: 0, y: 0, zoom: 1, width: 1000, height: 1000 })
    expect(asked).toHaveLength(2)
    await whole(tiles, 1)
    const starts = asked.map((page) => `${page.rowStart},${page.columnStart}`)
    expect(new Set(starts).size).toBe(16)
    expect(starts).toHaveLength(16)
    expect(drawn).toHaveLength(16)
  })

  it('only tiles in view are fetched', async () => {
    const tiles = make()
    tiles.draw(context, { x: 300, y: 520, zoom: 4, width: 400, height: 400 })
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(asked.map((page) => [page.rowStart, page.columnStart])).toEqual([[512, 256]])
  })

  it('the exact value of a loaded element is given, and none of an element that is not loaded', async () => {
    const tiles = make()
    expect(tiles.at(wrong.row, wrong.column)).toBeNull()
    tiles.want(wrong.row, wrong.column)
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(tiles.at(wrong.row, wrong.column)).toEqual({ value: -9, text: '-9 exactly' })
    expect(tiles.at(wrong.row + 1, wrong.column)?.value).toBe(elementAt(701, 300))
    expect(asked).toHaveLength(1)
  })

  it('one wrong element among a million is visible from afar, since a pixel has the largest magnitude', async () => {
    const tiles = make()
    await whole(tiles, 1 / 256)
    const cell = (row: number, column: number): Drawn | undefined =>
      drawn.find(
        ({ top, left }) => top === Math.floor(row / 256) && left === Math.floor(column / 256),
      )
    // A tile is one pixel there.
    const of = cell(wrong.row, wrong.column)
    expect([of?.canvas.width, of?.canvas.height]).toEqual([1, 1])
    expect(of?.canvas.pixels[0]).toBe(colours.pixel(-9))
    expect(cell(undefinedAt.row, undefinedAt.column)?.canvas.pixels[0]).toBe(colours.pixel(NaN))
    // The largest of an ordinary tile is its last element.
    expect(cell(0, 0)?.canvas.pixels[0]).toBe(colours.pixel(elementAt(255, 255)))
    // The last tiles are not whole: 1000 is 3 times 256, and 232.
    const last = cell(999, 999)
    expect([last?.width, last?.height]).toEqual([232 / 256, 232 / 256])
  })

  it('each element is drawn separately where it has a pixel', async () => {
    const tiles = make()
    await whole(tiles, 1)
    const first = drawn.find(({ left, top }) => left === 0 && top === 0)
    expect([first?.canvas.width, first?.canvas.height]).toEqual([
      jacobianTileSize,
      jacobianTileSize,
    ])
    expect(first?.canvas.pixels[3 * jacobianTileSize + 7]).toBe(colours.pixel(elementAt(3, 7)))
  })

  it('a view larger than the memory for tiles fetches nothing and reports it', () => {
    const large = { ...handle, shape: [10_000, 10_000] }
    const tiles = new JacobianTiles(large, colours, () => undefined)
    const view = { x: 0, y: 0, zoom: 0.05, width: 500, height: 500 }
    expect(tiles.draw(context, view)).toBe(false)
    expect(asked).toEqual([])
  })

  it('a refused fetch ends the fetching, and its error stays', async () => {
    refuse = true
    const changed = vi.fn()
    const tiles = make(changed)
    await whole(tiles, 1)
    expect(tiles.failure?.message).toBe('It is gone.')
    expect(asked.length).toBeLessThanOrEqual(2)
    expect(changed).toHaveBeenCalled()
  })

  it('closing forgets everything, also answers that arrive later', async () => {
    const tiles = make()
    tiles.draw(context, { x: 0, y: 0, zoom: 1, width: 200, height: 200 })
    tiles.close()
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(tiles.at(0, 0)).toBeNull()
    tiles.open()
    tiles.want(0, 0)
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(tiles.at(0, 0)?.value).toBe(0)
  })
})
