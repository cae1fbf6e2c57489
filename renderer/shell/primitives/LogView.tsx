import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, type ReactElement } from 'react'

import type { LineLog, LogLine } from '../../store/line-log'
import { useSettings } from '../../store/settings'
import { FileLink } from './FileLink'

type Props = {
  log: LineLog
  /** The log's version: a changed one is what makes this view look again. */
  version: number
  label: string
  /** A class for a line, from what it says or where it came from. */
  classOf?: (line: LogLine) => string
  /** Shown before a line that differs from the one above. */
  headOf?: (line: LogLine, above: LogLine | undefined) => string
  /** Places are those of the project's files; false where a log names others. */
  linked?: boolean
}

/** A log of any length: only what is in view is in the document; follows the end unless scrolled up. */
export function LogView({
  log,
  version,
  label,
  classOf,
  headOf,
  linked = true,
}: Props): ReactElement {
  const scroller = useRef<HTMLDivElement>(null)
  const following = useRef(true)
  const fontSize = useSettings((settings) => settings.fontSize)
  const rowHeight = Math.round(fontSize * 1.45)
  const virtualizer = useVirtualizer({
    count: log.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 20,
  })

  useEffect(() => {
    virtualizer.measure()
  }, [rowHeight, virtualizer])

  useEffect(() => {
    const follow = (): void => {
      const element = scroller.current
      if (element && following.current) element.scrollTop = element.scrollHeight
    }
    follow()
    // Long lines bring a scroll bar, which takes room from the last one.
    const frame = requestAnimationFrame(follow)
    return () => cancelAnimationFrame(frame)
  }, [version])

  const noteScroll = (): void => {
    const element = scroller.current
    if (!element) return
    following.current =
      element.scrollHeight - element.scrollTop - element.clientHeight < rowHeight * 2
  }

  return (
    <div
      className="log"
      ref={scroller}
      onScroll={noteScroll}
      role="log"
      aria-label={label}
      tabIndex={0}
    >
      <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
        {virtualizer.getVirtualItems().map((row) => {
          const line = log.at(row.index)
          if (!line) return null
          const head = headOf?.(line, row.index > 0 ? log.at(row.index - 1) : undefined) ?? ''
          return (
            <div
              key={row.key}
              className={`log-line selectable ${classOf?.(line) ?? ''}`}
              style={{ transform: `translateY(${row.start}px)`, height: rowHeight }}
            >
              {head !== '' && <span className="log-head">{head}</span>}
              {linked ? <Linked text={line.text} /> : line.text}
            </div>
          )
        })}
      </div>
    </div>
  )
}

const place = /^((?:[A-Za-z]:)?[^\s:()]+\.\w+):(\d+)(?::(\d+))?(?=[:\s])/

/** A compiler's "file:line:column:" at the beginning of a line is a link. */
function Linked({ text }: { text: string }): ReactElement {
  const found = place.exec(text)
  if (!found) return <>{text}</>
  const [whole, file = '', line = '0', column = '1'] = found
  return (
    <>
      <FileLink file={file} line={Number(line)} column={Number(column)} />
      {text.slice(whole.length)}
    </>
  )
}
