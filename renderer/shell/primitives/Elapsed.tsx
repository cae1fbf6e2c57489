import { useEffect, useState, type ReactElement } from 'react'

import { formatSeconds } from './format'

type ElapsedProps = {
  /** ms since the epoch */
  since: number
  /** Counted in whole seconds: each change is painted, and may be in the way of what is timed. */
  calm?: boolean
}

/** How long something has been running, counted up while it is shown. */
export function Elapsed({ since, calm = false }: ElapsedProps): ReactElement {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), calm ? 1_000 : 100)
    return () => clearInterval(timer)
  }, [calm])
  const seconds = Math.max(0, now - since) / 1_000
  return (
    <span className="number">
      {formatSeconds(calm ? Math.round(seconds) : seconds, calm ? 0 : 1)}
    </span>
  )
}

type ProgressProps = { done: number; steps: number; label: string }

/** Indeterminate while the number of steps isn't known. */
export function Progress({ done, steps, label }: ProgressProps): ReactElement {
  const known = steps > 0
  return (
    <div
      className={known ? 'progress' : 'progress unknown'}
      role="progressbar"
      aria-label={label}
      {...(known ? { 'aria-valuenow': done, 'aria-valuemin': 0, 'aria-valuemax': steps } : {})}
    >
      <div style={known ? { width: `${Math.min(100, (100 * done) / steps)}%` } : {}} />
    </div>
  )
}
