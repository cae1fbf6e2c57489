import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactElement } from 'react'

import type { AssemblyComparison, AssemblyRow } from '../../../electron/contract/assembly'
import { rowSteps, useRows } from '../../shell/primitives/use-rows'
import { openFile } from '../../store/layout'
import { Code } from './Code'
import { assemblyStore } from './store'

/** Text sizes of width from which the two are shown side by side. */
const sideBySideWidth = 62

type Line = { sign: ' ' | '-' | '+' | '*'; base?: AssemblyRow; other?: AssemblyRow }

/** Two columns: what changed is in one line where both have something there. */
export function pairedLines({ pairs, base, other }: AssemblyComparison): Line[] {
  return pairs.map((pair) => {
    const [one, before] = [base.rows[pair.base], other.rows[pair.other]]
    const sign = pair.same ? ' ' : one && before ? '*' : one ? '+' : '-'
    return { sign, ...(one ? { base: one } : {}), ...(before ? { other: before } : {}) }
  })
}

/** One column: all that went, then all that came in its place. */
export function unifiedLines(comparison: AssemblyComparison): Line[] {
  const lines: Line[] = []
  let came: Line[] = []
  for (const line of pairedLines(comparison)) {
    if (line.sign === ' ') {
      lines.push(...came, line)
      came = []
      continue
    }
    if (line.other) lines.push({ sign: '-', other: line.other })
    if (line.base) came.push({ sign: '+', base: line.base })
  }
  return [...lines, ...came]
}

function useIsWide(): { host: React.RefObject<HTMLDivElement | null>; isWide: boolean } {
  const host = useRef<HTMLDivElement>(null)
  const [isWide, setWide] = useState(false)
  useEffect(() => {
    const element = host.current
    if (!element) return
    const look = (): void => {
      const size = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
      setWide(element.clientWidth >= sideBySideWidth * size)
    }
    look()
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { host, isWide }
}

/** The function of both versions: side by side where there is room, else one below the other. */
export function ComparedRows({ comparison }: { comparison: AssemblyComparison }): ReactElement {
  const { host, isWide } = useIsWide()
  const [selected, setSelected] = useState(-1)
  const lines = useMemo(
    () => (isWide ? pairedLines(comparison) : unifiedLines(comparison)),
    [comparison, isWide],
  )
  const { virtualizer, rowHeight } = useRows(lines.length, host, 1.5)
  useEffect(() => {
    const first = lines.findIndex(({ sign }) => sign !== ' ')
    setSelected(first)
    if (first >= 0) virtualizer.scrollToIndex(first, { align: 'center' })
  }, [lines, virtualizer])

  const rowOf = (line: Line | undefined): AssemblyRow | undefined => line?.base ?? line?.other
  const point = (line: Line | undefined): void =>
    assemblyStore.setState({ pointed: rowOf(line) ?? null })
  useEffect(() => {
    const line = lines[selected]
    assemblyStore.setState({ pointed: line?.base ?? line?.other ?? null })
  }, [lines, selected])

  const select = (index: number): void => {
    const bounded = Math.min(lines.length - 1, Math.max(0, index))
    setSelected(bounded)
    virtualizer.scrollToIndex(bounded)
  }
  /** The first line of the next block of changes, or of the one before. */
  const nextChange = (step: 1 | -1): void => {
    const isStart = (index: number): boolean =>
      lines[index]?.sign !== ' ' && (lines[index - 1]?.sign ?? ' ') === ' '
    for (let index = selected + step; index >= 0 && index < lines.length; index += step) {
      if (isStart(index)) return select(index)
    }
  }
  const open = (line: Line | undefined, focus: boolean): void => {
    const row = rowOf(line)
    if (row && row.line > 0) openFile(row.file, row.line, 1, focus)
  }
  const keys = (event: KeyboardEvent): void => {
    const step = rowSteps[event.key]
    if (step !== undefined) select(selected + step)
    else if (event.key === 'n') nextChange(1)
    else if (event.key === 'p') nextChange(-1)
    else if (event.key === 'Enter') open(lines[selected], true)
    else return
    event.preventDefault()
  }
  return (
    <div
      className={isWide ? 'assembly-rows assembly-two' : 'assembly-rows'}
      ref={host}
      role="listbox"
      aria-label="Both versions. Arrow keys move, N goes to the next change, P goes to the previous change, Enter opens the line."
      aria-activedescendant={selected >= 0 ? `assembly-pair-${selected}` : undefined}
      tabIndex={0}
      onKeyDown={keys}
      onMouseLeave={() => point(lines[selected])}
      data-testid="assembly-compared"
      data-wide={isWide}
    >
      <div style={{ height: virtualizer.getTotalSize(), position: 'relative', minWidth: '100%' }}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const line = lines[index]
          if (!line) return null
          return (
            <div
              key={key}
              id={`assembly-pair-${index}`}
              role="option"
              aria-selected={index === selected}
              className="assembly-pair"
              style={{ transform: `translateY(${start}px)`, height: rowHeight }}
              onMouseEnter={() => point(line)}
              onClick={() => {
                setSelected(index)
                open(line, false)
              }}
              data-testid="assembly-pair"
              data-sign={line.sign}
            >
              {isWide ? (
                <>
                  <Side row={line.other} sign={line.sign === ' ' ? ' ' : '-'} />
                  <Side row={line.base} sign={line.sign === ' ' ? ' ' : '+'} />
                </>
              ) : (
                <Side row={line.base ?? line.other} sign={line.sign} />
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}

function Side({ row, sign }: { row: AssemblyRow | undefined; sign: Line['sign'] }): ReactElement {
  if (!row) return <span className="assembly-side assembly-nothing" />
  const kind = sign === '+' ? ' came' : sign === '-' ? ' went' : ''
  return (
    <span className={`assembly-side ${row.kind}${kind}`}>
      <span className="assembly-sign">{sign}</span>
      <span className="assembly-place">{row.line > 0 ? row.line : ''}</span>
      <Code row={row} />
    </span>
  )
}
