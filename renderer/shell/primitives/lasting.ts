import { useEffect, useState } from 'react'

/**
 * Milliseconds. What takes less is done before somebody can read that it runs; to show it would be a flicker, which also
 * takes a core from the work.
 */
const unseen = 300

/** Whether it is true, and has been for 0.3 s: what is shown of work that runs. */
export function useLasting(isTrue: boolean): boolean {
  const [lasts, setLasts] = useState(false)
  useEffect(() => {
    if (!isTrue) return undefined
    const timer = setTimeout(() => setLasts(true), unseen)
    return () => {
      clearTimeout(timer)
      setLasts(false)
    }
  }, [isTrue])
  return isTrue && lasts
}
