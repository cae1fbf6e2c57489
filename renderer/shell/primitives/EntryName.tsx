import type { ReactElement } from 'react'

/** A row's name, and under it what is particular about it. */
export function EntryName({
  title,
  particular,
}: {
  title: string
  particular: string
}): ReactElement {
  return (
    <span className="entry-name">
      <span className="mono ellipsis">{title}</span>
      {particular !== '' && <span className="muted ellipsis">{particular}</span>}
    </span>
  )
}
