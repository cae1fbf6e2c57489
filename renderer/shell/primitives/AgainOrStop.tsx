import type { ReactElement } from 'react'

import { ActionButton } from './ActionButton'
import { IconButton } from './Button'
import { Elapsed } from './Elapsed'

type Props = {
  /** What "again" does: "Check again". */
  label: string
  /** The job under way; null for none. */
  job: string | null
  /** When it began, ms since the epoch. */
  startedAt: number
  disabled?: boolean
  /** Of a panel's main action: its word, and the command whose key is shown. */
  action?: { text: string; command: string }
  onAgain: () => void
  onStop: () => void
  testId: string
  stopTestId?: string
}

/** Does something once more; while that is under way, how long it has been, and Stop. */
export function AgainOrStop(props: Props): ReactElement {
  const { label, job, startedAt, disabled = false, action } = props
  const { onAgain, onStop, testId, stopTestId } = props
  if (job === null) {
    if (action) {
      return (
        <ActionButton
          text={action.text}
          title={label}
          command={action.command}
          disabled={disabled}
          onClick={onAgain}
          testId={testId}
        />
      )
    }
    return (
      <IconButton
        icon="refresh"
        label={label}
        disabled={disabled}
        onClick={onAgain}
        testId={testId}
      />
    )
  }
  return (
    <span className="running-work" role="status">
      <Elapsed since={startedAt} />
      <IconButton
        icon="stop"
        label="Stop"
        onClick={onStop}
        {...(stopTestId === undefined ? {} : { testId: stopTestId })}
      />
    </span>
  )
}
