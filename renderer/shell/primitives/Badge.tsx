import type { ReactElement } from 'react'

/** In a panel's tab: how many need a look. */
export function CountBadge({
  count,
  label,
  tone = 'error',
  testId,
}: {
  count: number
  /** The count in words, for screen readers. */
  label: string
  tone?: 'error' | 'warning'
  testId?: string
}): ReactElement | null {
  if (count === 0) return null
  return (
    <span className={`count tone-${tone}`} role="img" aria-label={label} data-testid={testId}>
      {count}
    </span>
  )
}

/** In a panel's tab: it works. */
export function BusyBadge({ label }: { label: string }): ReactElement {
  return <span className="spinner" role="img" aria-label={label} />
}
