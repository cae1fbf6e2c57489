import type { ReactElement } from 'react'

type Props = { open: boolean; onToggle: () => void; testId: string }

/** Shows the options that are seldom needed, or hides them again. */
export function MoreOptions({ open, onToggle, testId }: Props): ReactElement {
  return (
    <button
      type="button"
      className="link"
      aria-expanded={open}
      data-testid={testId}
      onClick={onToggle}
    >
      {open ? 'fewer' : 'more …'}
    </button>
  )
}
