import { useEffect, useMemo, useRef, useState, type ReactElement } from 'react'

import { CopyButton } from '../../shell/primitives/CopyButton'
import { useRows } from '../../shell/primitives/use-rows'
import { useShown } from './jobs'
import { goToTextLine, useView } from './view-store'

/** The graph as PyTorch prints it. A click on a line selects its node, a selected node shows its lines. */
export function TextView(): ReactElement {
  const text = useShown((shown) => shown?.graph.text ?? '')
  const lines = useMemo(() => text.replace(/\n$/, '').split('\n'), [text])
  const selected = useView((state) =>
    state.side === 'main' ? (state.inspection?.lines ?? null) : null,
  )
  const scroller = useRef<HTMLDivElement>(null)
  const [current, setCurrent] = useState(0)
  const { virtualizer, rowHeight } = useRows(lines.length, scroller, 1.5)
  const first = selected?.[0] ?? -1
  useEffect(() => {
    if (first < 0) return
    setCurrent(first)
    virtualizer.scrollToIndex(first, { align: 'auto' })
  }, [first, virtualizer])
  const go = (line: number): void => {
    const next = Math.min(Math.max(line, 0), lines.length - 1)
    setCurrent(next)
    virtualizer.scrollToIndex(next, { align: 'auto' })
    void goToTextLine(next)
  }
  return (
    <div className="graph-text">
      <span className="graph-text-copy">
        <CopyButton text={() => text} label="Copy the text" />
      </span>
      <div
        className="log"
        ref={scroller}
        role="listbox"
        aria-label="The graph as PyTorch prints it"
        aria-activedescendant={`graph-line-${current}`}
        tabIndex={0}
        data-testid="graph-text"
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') go(current + 1)
          else if (event.key === 'ArrowUp') go(current - 1)
          else return
          event.preventDefault()
        }}
      >
        <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
          {virtualizer.getVirtualItems().map((row) => {
            const isSelected =
              selected !== null && row.index >= selected[0] && row.index <= selected[1]
            return (
              <div
                key={row.key}
                id={`graph-line-${row.index}`}
                role="option"
                aria-selected={isSelected}
                className="log-line selectable graph-line"
                style={{ transform: `translateY(${row.start}px)`, height: rowHeight }}
                data-testid={`graph-line-${row.index}`}
                onClick={() => go(row.index)}
              >
                {lines[row.index]}
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}
