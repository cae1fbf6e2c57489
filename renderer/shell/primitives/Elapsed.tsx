import { useEffect, useState, type ReactElement } from 'react'

import { formatSeconds } from './format'

type ElapsedProps = {
  /** ms since the epoch */
  since: number
}

/**
 * How long something has been running, counted up in whole seconds while it is shown. Each change is painted: tenths of
 * a second took a quarter of a core from the compiler where no GPU paints.
 */
export function Elapsed({ since }: ElapsedProps): ReactElement {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <span className="number">{formatSeconds(Math.round(Math.max(0, now - since) / 1_000), 0)}</span>
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
