import { useEffect, useState, type ReactElement } from 'react'

import { formatSeconds } from './format'

/** How long something has been running, counted up while it is shown. */
export function Elapsed({ since }: { since: number }): ReactElement {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 100)
    return () => clearInterval(timer)
  }, [])
  return <span className="number">{formatSeconds(Math.max(0, now - since) / 1_000, 1)}</span>
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
