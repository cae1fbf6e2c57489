import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useReducer, useRef, type ReactElement } from 'react'

import type { TensorHandle } from '../../../electron/contract/tensor'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { exactNumber, formatNumber } from '../../shell/primitives/format'
import { useSettings } from '../../store/settings'
import { firstPageOf, type ShownTensor } from './shown'
import { TensorPages } from './tensor-pages'
import { cellColours, type ColourScale } from '../../shell/primitives/colour-map'

type Props = {
  shown: ShownTensor & { tensor: TensorHandle }
  scale: ColourScale | null
  /** The op host no longer has the values. */
  isGone: boolean
}

/** A tensor's last two dimensions as a table of any size: pages come as they are scrolled to. */
export function TensorTable({ shown, scale, isGone }: Props): ReactElement {
  const { tensor, index, cell, jumps } = shown
  const scroller = useRef<HTMLDivElement>(null)
  const [, refresh] = useReducer((count: number) => count + 1, 0)
  const fontSize = useSettings((settings) => settings.fontSize)
  const indexKey = index.join(',')
  const pages = useMemo(() => {
    const slice = indexKey === '' ? [] : indexKey.split(',').map(Number)
    return new TensorPages(tensor.handle, slice, refresh, firstPageOf(tensor, slice))
  }, [tensor, indexKey])
  const rows = tensor.shape.length < 2 ? 1 : (tensor.shape.at(-2) ?? 0)
  const columns = tensor.shape.length < 1 ? 1 : (tensor.shape.at(-1) ?? 0)
  const rowHeight = Math.round(fontSize * 1.6)
  const columnWidth = Math.round(fontSize * (tensor.dtype.startsWith('complex') ? 13 : 5.9))
  const headWidth = Math.round(fontSize * Math.max(2.6, 0.65 * String(rows).length + 1))
  const rowList = useVirtualizer({
    count: rows,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 4,
    scrollMargin: rowHeight,
  })
  const columnList = useVirtualizer({
    horizontal: true,
    count: columns,
    getScrollElement: () => scroller.current,
    estimateSize: () => columnWidth,
    overscan: 2,
    scrollMargin: headWidth,
  })
  useEffect(() => {
    rowList.measure()
    columnList.measure()
  }, [rowHeight, columnWidth, rowList, columnList])

  const wanted = cell === null ? null : { row: cell.at(-2) ?? 0, column: cell.at(-1) ?? 0 }
  useEffect(() => {
    if (!cell) return
    rowList.scrollToIndex(cell.at(-2) ?? 0, { align: 'center' })
    columnList.scrollToIndex(cell.at(-1) ?? 0, { align: 'center' })
  }, [cell, jumps, rowList, columnList])

  if (rows === 0 || columns === 0) return <p className="muted">No elements.</p>
  const error = pages.error()
  if (error) return <ErrorView error={error} />
  const height = rowHeight * Math.min(rows + 1, 16) + 14
  return (
    <div
      className="run-tensor-table"
      ref={scroller}
      style={{ height }}
      tabIndex={0}
      role="table"
      aria-label="Values"
      aria-rowcount={rows}
      aria-colcount={columns}
    >
      <div
        style={{
          height: rowList.getTotalSize() + rowHeight,
          width: columnList.getTotalSize() + headWidth,
          position: 'relative',
        }}
      >
        <div className="run-tensor-head" style={{ height: rowHeight }} aria-hidden>
          {columnList.getVirtualItems().map((column) => (
            <span
              key={column.key}
              className="number"
              style={{ transform: `translateX(${column.start}px)`, width: columnWidth }}
            >
              {column.index}
            </span>
          ))}
        </div>
        {rowList.getVirtualItems().map((row) => (
          <div
            key={row.key}
            role="row"
            aria-rowindex={row.index + 1}
            className="run-tensor-row"
            style={{ transform: `translateY(${row.start}px)`, height: rowHeight }}
          >
            <span className="run-tensor-row-head number" style={{ width: headWidth }} aria-hidden>
              {row.index}
            </span>
            {columnList.getVirtualItems().map((column) => (
              <Cell
                key={column.key}
                row={row.index}
                column={column.index}
                at={pages.at(row.index, column.index, isGone)}
                scale={scale}
                wanted={wanted?.row === row.index && wanted.column === column.index}
                left={column.start}
                width={columnWidth}
                place={[...index, ...(tensor.shape.length < 2 ? [] : [row.index]), column.index]}
              />
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}

/** Small numbers spend their room on zeros: the tooltip has every digit. */
function cellNumber(value: number): string {
  return formatNumber(value, Math.abs(value) < 0.1 ? 4 : 5)
}

type CellProps = {
  row: number
  column: number
  at: { value: number; text: string | null } | null
  scale: ColourScale | null
  wanted: boolean
  left: number
  width: number
  place: number[]
}

function Cell({ row, column, at, scale, wanted, left, width, place }: CellProps): ReactElement {
  const colours = at && scale ? cellColours(at.value, scale) : null
  const bad = at !== null && at.text === null && !Number.isFinite(at.value)
  const text = at === null ? '…' : (at.text ?? cellNumber(at.value))
  const exact = at === null ? '' : (at.text ?? exactNumber(at.value))
  const classes = `run-tensor-cell number${bad ? ' tone-error' : ''}${wanted ? ' wanted' : ''}`
  return (
    <span
      role="cell"
      aria-colindex={column + 1}
      className={classes}
      style={{ transform: `translateX(${left}px)`, width, ...(colours ?? {}) }}
      title={`[${place.join(', ')}] = ${exact}`}
      data-testid={`run-cell-${row}-${column}`}
    >
      {text}
    </span>
  )
}
