import type { ReactElement } from 'react'

import { projectPath } from '../../store/files'
import { openFile } from '../../store/layout'

type Props = { file: string; line?: number; column?: number; short?: boolean }

/** A place in a source; opens it there. Files outside the project open read-only. */
export function FileLink({ file, line = 0, column = 1, short = false }: Props): ReactElement {
  const { path, external } = projectPath(file)
  const name = short || external ? shorten(path) : path
  const place = line > 0 ? `:${line}` : ''
  if (external ? isElsewhere(path) : path.startsWith('../')) {
    return (
      <span
        className="muted mono selectable"
        title="This file is on the machine that built libtorch, so Opsmith cannot open it"
      >
        {shorten(path)}
        {place}
      </span>
    )
  }
  return (
    <button
      type="button"
      className="file-link"
      title={external ? `${path}${place} (read-only)` : `${path}${place}`}
      onClick={(event) => {
        event.stopPropagation()
        openFile(file, line, column)
      }}
    >
      {name}
      {place}
    </button>
  )
}

/** Places inside libtorch are those of its own build machine: there is no such file here. */
function isElsewhere(path: string): boolean {
  return /^\/(__w|pytorch|builder)\//.test(path) || /\/pytorch\/(aten|torch|c10|build)\//.test(path)
}

/** The last two parts: enough to know a header by, short enough for a row. */
function shorten(path: string): string {
  const parts = path.split('/')
  return parts.length <= 3 ? path : `…/${parts.slice(-2).join('/')}`
}
