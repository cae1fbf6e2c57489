import { useEffect, useRef, type ReactElement } from 'react'

import { nameOf, treeStore, type Naming } from './tree'
import { endNaming } from './tree-actions'

type Props = { naming: Naming; depth: number }

const labels = {
  rename: 'New name',
  newFile: 'Name of the new file',
  newFolder: 'Name of the new folder',
}

/** The name of a file or folder, while it is typed: Enter takes it, Escape leaves all as it was. */
export function NameField({ naming, depth }: Props): ReactElement {
  const field = useRef<HTMLInputElement>(null)
  const initial = naming.kind === 'rename' ? nameOf(naming.path) : ''
  useEffect(() => {
    const dot = initial.lastIndexOf('.')
    // The extension is what mostly stays.
    field.current?.setSelectionRange(0, dot > 0 ? dot : initial.length)
  }, [initial])
  const isEnding = useRef(false)
  const end = (typed: string): void => {
    // Leaving the field is the end of it too, and Enter takes the field away.
    if (isEnding.current) return
    isEnding.current = true
    const row = treeStore.getState().selected
    void endNaming(naming, typed)
    setTimeout(() => focusRow(row), 0)
  }
  return (
    <div
      className="explorer-name"
      role="treeitem"
      aria-level={depth + 1}
      aria-label={labels[naming.kind]}
      style={{ paddingLeft: `${1.5 + depth * 0.8}rem` }}
    >
      <input
        ref={field}
        autoFocus
        defaultValue={initial}
        aria-label={labels[naming.kind]}
        spellCheck={false}
        data-testid="explorer-name"
        onKeyDown={(event) => {
          event.stopPropagation()
          if (event.key === 'Enter') end(event.currentTarget.value)
          if (event.key === 'Escape') end('')
        }}
        onBlur={(event) => end(event.currentTarget.value)}
      />
    </div>
  )
}

/** The keyboard goes back to the tree, unless it has a place already. */
function focusRow(path: string): void {
  if (document.activeElement !== null && document.activeElement !== document.body) return
  document.querySelector<HTMLElement>(`[data-tree-path="${CSS.escape(path)}"]`)?.focus()
}
