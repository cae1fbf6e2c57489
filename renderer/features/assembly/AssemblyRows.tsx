import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactElement } from 'react'

import type { AssemblyLoop, AssemblyReport, AssemblyRow } from '../../../electron/contract/assembly'
import { instructionName } from '../../../electron/contract/assembly'
import { useJob } from '../../store/job'
import { Code } from './Code'
import { estimateJob, useEstimates, useRemarks } from './extras'
import { LoopMark, remarkText, useFirstRows } from './RowMarks'
import { assemblyStore, coloursOf, lineKey, lineWithCode, useAssembly } from './store'
import { rowSteps, useRows } from '../../shell/primitives/use-rows'
import { projectPath } from '../../store/files'
import { openFile } from '../../store/layout'

type Props = { report: AssemblyReport; rows: readonly AssemblyRow[]; stale: boolean }

const startsAt =
  (report: AssemblyReport, row: AssemblyRow) =>
  ({ first }: AssemblyLoop): boolean =>
    report.rows[first] === row

const shortName = (file: string): string => file.slice(file.lastIndexOf('/') + 1)

/** Rows of any number, of which only those in view are in the document. Arrow keys move, Enter opens the line, J follows a jump. */
export function AssemblyRows({ report, rows, stale }: Props): ReactElement {
  const scroller = useRef<HTMLDivElement>(null)
  const { filter, hovered, wanted } = useAssembly((state) => state)
  const [selected, setSelected] = useState(-1)
  const colours = useMemo(() => coloursOf(report), [report])
  const remarks = useFirstRows(rows, useRemarks())
  const estimates = useEstimates()
  const estimating = useJob(estimateJob, (state) => state.running !== null)
  // A line of the same function that was asked for again must not lose the place.
  const shownId = `${report.form} ${report.function.id}`
  const { virtualizer, rowHeight } = useRows(rows.length, scroller, 1.5)

  useEffect(() => {
    assemblyStore.setState({ pointed: rows[selected] ?? null })
  }, [selected, rows])

  useEffect(() => {
    setSelected(-1)
    if (scroller.current) scroller.current.scrollTop = 0
  }, [shownId])

  useEffect(() => {
    if (!wanted) return
    const line = lineWithCode(report.rows, wanted)
    const index = rows.findIndex((row) => row.file === wanted.file && row.line === line)
    if (index < 0) return
    setSelected(index)
    virtualizer.scrollToIndex(index, { align: 'center' })
  }, [wanted, rows, report, virtualizer])

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
  const estimateAround = (row: AssemblyRow | undefined): void => {
    const index = row ? report.rows.indexOf(row) : -1
    const loop = report.loops.find(({ first, last }) => first <= index && index <= last)
    if (loop) void estimateJob.run(loop)
  }
  const keys = (event: KeyboardEvent): void => {
    const step = rowSteps[event.key]
    if (step !== undefined) select(selected + step)
    else if (event.key === 'Enter') open(rows[selected], true)
    else if (event.key === 'j') jump(rows[selected])
    else if (event.key === 'l') estimateAround(rows[selected])
    else return
    event.preventDefault()
  }

  return (
    <div
      className={stale ? 'assembly-rows stale' : 'assembly-rows'}
      ref={scroller}
      role="listbox"
      aria-label="Instructions. Arrow keys move, Enter opens the line, J follows a jump, L estimates the cycles of a loop."
      data-takes-focus=""
      aria-activedescendant={selected >= 0 ? `assembly-row-${selected}` : undefined}
      tabIndex={0}
      onKeyDown={keys}
      onMouseLeave={() =>
        assemblyStore.setState({ hovered: null, pointed: rows[selected] ?? null })
      }
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
          const loop = row.kind === 'label' ? report.loops.find(startsAt(report, row)) : undefined
          const remark = remarks.get(index)
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
                  pointed: row,
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
              <Code row={row} meaning={report.meanings[instructionName(row.text)] ?? ''} />
              {loop && (
                <LoopMark
                  loop={loop}
                  estimate={estimates.find(({ first }) => first === loop.first)}
                  busy={estimating}
                />
              )}
              {remark && (
                <span
                  className={`assembly-remark ${remark[0]?.kind ?? ''}`}
                  title={remark.map(remarkText).join('\n')}
                  data-testid="assembly-remark"
                >
                  {remark.slice(0, 1).map(remarkText)}
                  {remark.length > 1 ? ` (+${remark.length - 1})` : ''}
                </span>
              )}
              {!remark && filter.inlined && row.inlined !== '' && (
                <span className="assembly-inlined">{row.inlined}</span>
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}
