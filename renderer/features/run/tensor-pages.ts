import type { WorkbenchError } from '../../../electron/contract/outcome'
import type { Histogram, TensorPage } from '../../../electron/contract/tensor'
import { call } from '../../bridge/bridge'

export const tileRows = 64
export const tileColumns = 32

type Tile = TensorPage | 'loading' | WorkbenchError

/**
 * The pages of one slice of one tensor, fetched as they come into view. The tensor stays in the op
 * host; this holds the few thousand numbers that were looked at.
 */
export class TensorPages {
  private tiles = new Map<string, Tile>()

  constructor(
    private readonly handle: number,
    private readonly index: number[],
    private readonly changed: () => void,
  ) {}

  /** The value and its text at a place; null while it is on its way. */
  at(row: number, column: number): { value: number; text: string | null } | null {
    const tile = this.tile(row, column)
    if (tile === 'loading' || 'code' in tile) return null
    const place = (row - tile.rowStart) * tile.pageColumns + (column - tile.columnStart)
    const value = tile.values[place]
    return value === undefined ? null : { value, text: tile.text?.[place] ?? null }
  }

  error(): WorkbenchError | null {
    for (const tile of this.tiles.values()) if (tile !== 'loading' && 'code' in tile) return tile
    return null
  }

  private tile(row: number, column: number): Tile {
    const rowStart = row - (row % tileRows)
    const columnStart = column - (column % tileColumns)
    const key = `${rowStart},${columnStart}`
    const known = this.tiles.get(key)
    if (known) return known
    this.tiles.set(key, 'loading')
    void this.fetch(key, rowStart, columnStart)
    return 'loading'
  }

  private async fetch(key: string, rowStart: number, columnStart: number): Promise<void> {
    const result = await call('tensor.page', {
      handle: this.handle,
      index: this.index,
      rowStart,
      rowCount: tileRows,
      columnStart,
      columnCount: tileColumns,
    })
    this.tiles.set(key, result.ok ? result.value : result.error)
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
