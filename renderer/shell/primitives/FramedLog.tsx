import type { ComponentProps, ReactElement } from 'react'

import { CopyButton } from './CopyButton'
import { LogView } from './LogView'

type Props = ComponentProps<typeof LogView> & {
  /** Lines that are in view without scrolling; a shorter log takes less room. */
  most: number
}

/** A log in a frame among other things, with a button that copies all of it. */
export function FramedLog({ most, ...shown }: Props): ReactElement {
  const { log } = shown
  return (
    <div
      className="framed-log"
      style={{ height: `${Math.min(Math.max(log.length, 2), most) * 1.45 + 1}rem` }}
    >
      <LogView {...shown} />
      <CopyButton text={() => log.text()} label="Copy the log" />
    </div>
  )
}
