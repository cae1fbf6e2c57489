import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactElement } from 'react'

import type { AssemblyReport, AssemblyRow } from '../../../electron/contract/assembly'
import { assemblyStore, coloursOf, lineKey, useAssembly } from './store'
import { useRows } from '../../shell/primitives/use-rows'
import { projectPath } from '../../store/files'
import { openFile } from '../../store/layout'

type Props = { report: AssemblyReport; rows: readonly AssemblyRow[]; stale: boolean }

const shortName = (file: string): string => file.slice(file.lastIndexOf('/') + 1)

/** Rows of any number, of which only those in view are in the document. Arrows walk, Enter opens the line, J follows a jump. */
export function AssemblyRows({ report, rows, stale }: Props): ReactElement {
  const scroller = useRef<HTMLDivElement>(null)
  const { filter, hovered, wanted } = useAssembly((state) => state)
  const [selected, setSelected] = useState(-1)
  const colours = useMemo(() => coloursOf(report), [report])
  const { virtualizer, rowHeight } = useRows(rows.length, scroller, 1.5)

  useEffect(() => {
    setSelected(-1)
    if (scroller.current) scroller.current.scrollTop = 0
  }, [report])

  useEffect(() => {
    if (!wanted) return
    const index = rows.findIndex((row) => row.file === wanted.file && row.line === wanted.line)
    if (index < 0) return
    setSelected(index)
    virtualizer.scrollToIndex(index, { align: 'center' })
  }, [wanted, rows, virtualizer])

  const select = (index: number): void => {
    const bounded = Math.min(rows.length - 1, Math.max(0, index))
    setSelected(bounded)
    virtualizer.scrollToIndex(bounded)
  }
  const open = (row: AssemblyRow | undefined, focus: boolean): void => {
    if (row && row.line > 0) openFile(row.file, row.line, 1, focus)
  }
  const jump = (row: AssemblyRow | undefined): void => {
    const target = row && row.target >= 0 ? report.rows[row.target] : undefined
    const index = target ? rows.indexOf(target) : -1
    if (index >= 0) select(index)
  }
  const keys = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: 20,
      PageUp: -20,
      Home: -rows.length,
      End: rows.length,
    }
    const step = steps[event.key]
    if (step !== undefined) select(selected + step)
    else if (event.key === 'Enter') open(rows[selected], true)
    else if (event.key === 'j') jump(rows[selected])
    else return
    event.preventDefault()
  }

  return (
    <div
      className={stale ? 'assembly-rows stale' : 'assembly-rows'}
      ref={scroller}
      role="listbox"
      aria-label="Instructions. Arrows walk, Enter opens the line, J follows a jump."
      aria-activedescendant={selected >= 0 ? `assembly-row-${selected}` : undefined}
      tabIndex={0}
      onKeyDown={keys}
      onMouseLeave={() => assemblyStore.setState({ hovered: null })}
      data-testid="assembly-rows"
      data-rows={rows.length}
    >
      <div style={{ height: virtualizer.getTotalSize(), position: 'relative', minWidth: '100%' }}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index]
          if (!row) return null
          const colour = row.line > 0 ? colours.get(lineKey(row.file, row.line)) : undefined
          const isHovered =
            hovered !== null &&
            hovered.file === row.file &&
            hovered.line === row.line &&
            row.line > 0
          const before = rows[index - 1]
          const isNew = row.line > 0 && (before?.line !== row.line || before.file !== row.file)
          return (
            <div
              key={key}
              id={`assembly-row-${index}`}
              role="option"
              aria-selected={index === selected}
              className={[
                'assembly-row',
                row.kind,
                colour === undefined ? '' : `assembly-c${colour}`,
                isHovered ? 'hovered' : '',
              ].join(' ')}
              style={{ transform: `translateY(${start}px)`, height: rowHeight }}
              onMouseEnter={() =>
                assemblyStore.setState({
                  hovered: row.line > 0 ? { file: row.file, line: row.line } : null,
                })
              }
              onClick={() => {
                setSelected(index)
                open(row, false)
              }}
              onDoubleClick={() => jump(row)}
              data-testid="assembly-row"
              data-line={row.line}
            >
              {filter.addresses && <span className="assembly-address">{row.address}</span>}
              <span
                className="assembly-place"
                title={row.line > 0 ? `${projectPath(row.file).path}:${row.line}` : ''}
              >
                {isNew
                  ? row.file === report.function.file
                    ? row.line
                    : `${shortName(row.file)}:${row.line}`
                  : ''}
              </span>
              <Code row={row} />
              {filter.inlined && row.inlined !== '' && (
                <span className="assembly-inlined">{row.inlined}</span>
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}

function Code({ row }: { row: AssemblyRow }): ReactElement {
  if (row.kind !== 'instruction') return <span className="assembly-code">{row.text}</span>
  const space = row.text.indexOf(' ')
  const mnemonic = space < 0 ? row.text : row.text.slice(0, space)
  // The tool sets its remarks far to the right.
  const rest = space < 0 ? '' : row.text.slice(space + 1).replace(/\s{2,}#/, ' #')
  return (
    <span className="assembly-code selectable" title={rest.length > 60 ? row.text : undefined}>
      <span className="assembly-mnemonic">{mnemonic}</span> {rest}
    </span>
  )
}
