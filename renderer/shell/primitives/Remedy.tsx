import type { ReactElement } from 'react'

import { CopyButton } from './CopyButton'

/** A command to paste into a terminal. */
export function Remedy({ command }: { command: string }): ReactElement {
  return (
    <div className="remedy">
      <code className="selectable">{command}</code>
      <CopyButton text={() => command} label="Copy the command" />
    </div>
  )
}
