import { useMemo, useRef, type KeyboardEvent, type ReactElement } from 'react'

import type { SearchReport } from '../../../electron/contract/search'
import { IconButton } from '../../shell/primitives/Button'
import { Icon } from '../../shell/primitives/Icon'
import { useRows } from '../../shell/primitives/use-rows'
import { openFile } from '../../store/layout'
import { replaceInFile, replaceOne } from './replace'
import { fold, rowsOf, useSearch, type ResultRow } from './search'

/** Matches by file. Up and Down walk, Enter goes there, Left and Right fold and open a file. */
export function SearchResults({ report }: { report: SearchReport }): ReactElement {
  const folded = useSearch((state) => state.folded)
  const replaces = useSearch((state) => state.form.replaces)
  const rows = useMemo(() => rowsOf(report, folded), [report, folded])
  const scroller = useRef<HTMLDivElement>(null)
  const { virtualizer, rowHeight } = useRows(rows.length, scroller, 1.75)

  const walk = (event: KeyboardEvent): void => {
    const focused = (event.target as HTMLElement).closest<HTMLElement>('[data-search-row]')
    const at = Number(focused?.dataset['searchRow'])
    const row = rows[at]
    if (!row) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      focusRow(at + step)
    } else if (event.key === 'ArrowLeft') {
      if (row.kind === 'file') fold(row.path, true)
      else focusRow(rows.findIndex((one) => one.kind === 'file' && one.path === row.path))
    } else if (event.key === 'ArrowRight' && row.kind === 'file') fold(row.path, false)
  }
  const focusRow = (index: number): void => {
    if (index < 0 || index >= rows.length) return
    virtualizer.scrollToIndex(index)
    // The row is made with the next picture.
    requestAnimationFrame(() => {
      scroller.current?.querySelector<HTMLElement>(`[data-search-row="${index}"]`)?.focus()
    })
  }

  return (
    <div
      className="search-results"
      ref={scroller}
      onKeyDown={walk}
      role="group"
      aria-label="Results"
    >
      <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const row = rows[index]
          if (!row) return null
          return (
            <div
              key={index}
              className="search-row"
              style={{ transform: `translateY(${start}px)`, height: rowHeight }}
            >
              {row.kind === 'file' ? (
                <FileRow row={row} index={index} replaces={replaces} />
              ) : (
                <MatchRow row={row} index={index} replaces={replaces} />
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}

type RowProps<Kind> = {
  row: Extract<ResultRow, { kind: Kind }>
  index: number
  replaces: boolean
}

function FileRow({ row, index, replaces }: RowProps<'file'>): ReactElement {
  const { path, count, isFolded } = row
  const slash = path.lastIndexOf('/')
  return (
    <>
      <button
        type="button"
        className="search-main"
        aria-expanded={!isFolded}
        title={path}
        data-search-row={index}
        data-testid={`search-file-${path}`}
        onClick={() => fold(path, !isFolded)}
      >
        <Icon name={isFolded ? 'right' : 'down'} />
        <span>{path.slice(slash + 1)}</span>
        <span className="muted ellipsis">{slash > 0 ? path.slice(0, slash) : ''}</span>
        <span className="number muted">{count}</span>
      </button>
      {replaces && (
        <IconButton
          icon="check"
          label={`Replace all in ${path}`}
          onClick={() => void replaceInFile(path)}
        />
      )}
    </>
  )
}

function MatchRow({ row, index, replaces }: RowProps<'match'>): ReactElement {
  const { path, match } = row
  const { line, column, before, text, after, replacement } = match
  return (
    <>
      <button
        type="button"
        className="search-main search-match"
        title={`${path}:${line}:${column}`}
        data-search-row={index}
        data-testid="search-match"
        onClick={() => openFile(path, line, column)}
      >
        <span className="number muted search-place">{line}</span>
        <span className="mono search-preview">
          {before}
          {replacement === undefined ? (
            <mark>{text}</mark>
          ) : (
            <>
              <del>{text}</del>
              <ins>{replacement}</ins>
            </>
          )}
          {after}
        </span>
      </button>
      {replaces && (
        <IconButton
          icon="check"
          label={`Replace in line ${line} of ${path}`}
          testId="search-replace-one"
          onClick={() => void replaceOne(path, match)}
        />
      )}
    </>
  )
}
