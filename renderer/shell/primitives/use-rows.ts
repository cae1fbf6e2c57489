import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { useEffect, type RefObject } from 'react'

import { useSettings } from '../../store/settings'

/** Rows drawn above and below those in view. */
const overscan = 20

type Rows = {
  virtualizer: Virtualizer<HTMLDivElement, Element>
  /** Pixels. */
  rowHeight: number
}

/**
 * A list of `count` rows of equal height, of which only those in view are drawn. The height follows the text size.
 * @param scroller the element that scrolls
 * @param textSizes the height of a row, in text sizes
 */
export function useRows(
  count: number,
  scroller: RefObject<HTMLDivElement | null>,
  textSizes: number,
): Rows {
  const fontSize = useSettings((settings) => settings.fontSize)
  const rowHeight = Math.round(fontSize * textSizes)
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan,
  })
  useEffect(() => {
    virtualizer.measure()
  }, [rowHeight, virtualizer])
  return { virtualizer, rowHeight }
}

/** Rows that a key walks in a list, to its ends with Home and End. */
export const rowSteps: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 20,
  PageUp: -20,
  Home: -Infinity,
  End: Infinity,
}
