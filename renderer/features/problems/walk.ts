import type { KeyboardEvent } from 'react'

const rowOf = (element: Element): HTMLElement | null =>
  element.closest<HTMLElement>('[role=treeitem]')

/** What a row of the list can do; the row itself knows how. */
export type RowActions = {
  /** Opens its place. */
  go: () => void
  /** Shows or hides what is below it; left out if there is nothing. */
  unfold?: (open: boolean) => void
  /** Makes the first fix; left out if there is none. */
  fix?: () => void
}

/** The keys of a tree. Up and Down, Home and End walk, Right and Left open and close the notes, Enter goes to the place. */
export function walkProblems(event: KeyboardEvent<HTMLElement>): void {
  const row = event.target instanceof Element ? rowOf(event.target) : null
  if (!row || event.altKey || event.ctrlKey || event.metaKey) return
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=treeitem]')]
  const at = rows.indexOf(row)
  const steps: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: rows.length - 1,
  }
  const next = steps[event.key]
  if (next === undefined) return
  rows[Math.min(Math.max(next, 0), rows.length - 1)]?.focus()
  event.preventDefault()
}

/** The keys of one row. */
export function actOnRow(event: KeyboardEvent<HTMLElement>, actions: RowActions): void {
  const row = event.currentTarget
  const isOpen = row.getAttribute('aria-expanded') === 'true'
  const isOnRow = event.target === row
  const hasModifier = event.ctrlKey || event.metaKey || event.altKey
  if (event.key === '.' && event.ctrlKey) {
    if (!actions.fix) return
    actions.fix()
  } else if (hasModifier) return
  else if (event.key === 'ArrowLeft' && !isOnRow) row.focus()
  else if (!isOnRow) return
  else if (event.key === 'Enter') actions.go()
  else if (event.key === 'ArrowLeft' && isOpen) actions.unfold?.(false)
  else if (event.key === 'ArrowRight' && !isOpen && actions.unfold) actions.unfold(true)
  else if (event.key === 'ArrowRight' && isOpen) {
    row.querySelector<HTMLElement>('.problem-notes :is(a, button, summary)')?.focus()
  } else return
  event.preventDefault()
}
