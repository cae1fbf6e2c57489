import type { WorkbenchError } from '../../../electron/contract/outcome'
import type { Histogram, TensorHandle, TensorPage } from '../../../electron/contract/tensor'
import { call } from '../../bridge/bridge'

const tileRows = 64
const tileColumns = 32

type Tile = TensorPage | 'loading' | WorkbenchError

/** The first page of a slice of a tensor. */
export type FirstPage = {
  tensor: TensorHandle
  index: number[]
  /** Null until it is there. */
  page: TensorPage | null
  /** The page, or why it could not be fetched. */
  arrives: Promise<TensorPage | WorkbenchError>
}

/** The page of a slice that begins at a row and a column. */
export async function fetchPage(
  handle: number,
  index: number[],
  rowStart = 0,
  columnStart = 0,
): Promise<TensorPage | WorkbenchError> {
  const size = { rowCount: tileRows, columnCount: tileColumns }
  const result = await call('tensor.page', { handle, index, rowStart, columnStart, ...size })
  return result.ok ? result.value : result.error
}

/**
 * The pages of one slice of one tensor, fetched as they come into view. The tensor stays in the op
 * host; this holds the few thousand numbers that were looked at.
 */
export class TensorPages {
  private tiles = new Map<string, Tile>()

  /** @param first the page at row 0, column 0, if it was asked for already */
  constructor(
    private readonly handle: number,
    private readonly index: number[],
    private readonly changed: () => void,
    first: FirstPage | null,
  ) {
    const key = '0,0'
    if (first?.page) this.tiles.set(key, first.page)
    else if (first) void this.take(key, first.arrives)
  }

  /**
   * The value and its text at a place; null while it is on its way.
   * @param isGone the op host no longer has the tensor: only what was fetched before can be shown
   */
  at(row: number, column: number, isGone: boolean): { value: number; text: string | null } | null {
    const tile = this.tile(row, column, isGone)
    if (tile === 'loading' || 'code' in tile) return null
    const place = (row - tile.rowStart) * tile.pageColumns + (column - tile.columnStart)
    const value = tile.values[place]
    return value === undefined ? null : { value, text: tile.text?.[place] ?? null }
  }

  error(): WorkbenchError | null {
    for (const tile of this.tiles.values()) if (tile !== 'loading' && 'code' in tile) return tile
    return null
  }

  private tile(row: number, column: number, isGone: boolean): Tile {
    const rowStart = row - (row % tileRows)
    const columnStart = column - (column % tileColumns)
    const key = `${rowStart},${columnStart}`
    const known = this.tiles.get(key)
    if (known) return known
    if (isGone) return 'loading'
    void this.take(key, fetchPage(this.handle, this.index, rowStart, columnStart))
    return 'loading'
  }

  private async take(key: string, page: FirstPage['arrives']): Promise<void> {
    this.tiles.set(key, 'loading')
    this.tiles.set(key, await page)
    this.changed()
  }
}

export async function fetchHistogram(
  handle: number,
  bins: number,
): Promise<Histogram | WorkbenchError> {
  const result = await call('tensor.histogram', { handle, bins })
  return result.ok ? result.value : result.error
}
