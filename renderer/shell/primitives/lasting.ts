import { useEffect, useRef, useState } from 'react'

/** Milliseconds. Work that takes less time is not shown: nobody could read it, and painting it would slow the work down. */
const unseen = 300
/** Milliseconds. Work that begins again within this time counts as the same work. */
const gap = 150

/**
 * As useLasting(), but true until 0.15 s after the work has ended. Use it for many short pieces of work in a row, such as
 * calls of the op host.
 */
export function useLastingOverGaps(isTrue: boolean): boolean {
  const since = useRef<number | null>(null)
  const [lasts, setLasts] = useState(false)
  useEffect(() => {
    if (isTrue) since.current ??= performance.now()
    if (since.current === null) return undefined
    const change = (): void => {
      if (!isTrue) since.current = null
      setLasts(isTrue)
    }
    const timer = setTimeout(change, isTrue ? since.current + unseen - performance.now() : gap)
    return () => clearTimeout(timer)
  }, [isTrue])
  return lasts
}

/** True while `isTrue` is, from 0.3 s after it began; gaps of less than 0.15 s do not end it. Use it to show running work. */
export function useLasting(isTrue: boolean): boolean {
  const lasts = useLastingOverGaps(isTrue)
  return isTrue && lasts
}
