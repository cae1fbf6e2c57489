import type { ReactElement } from 'react'

import { IconButton } from './Button'
import { Elapsed, Progress } from './Elapsed'

type Props = {
  done: number
  total: number
  /** When it began, ms since the epoch. */
  startedAt: number
  label: string
  /** See Elapsed. */
  calm?: boolean
  onStop: () => void
  testId: string
}

/** In a list's heading while all of it is worked through. */
export function ListProgress(props: Props): ReactElement {
  const { done, total, startedAt, label, calm = false, onStop, testId } = props
  return (
    <>
      <Progress done={done} steps={total} label={label} />
      <span className="number">
        {total > 0 && `${done} of ${total} `}
        <Elapsed since={startedAt} calm={calm} />
      </span>
      <IconButton icon="stop" label="Stop" onClick={onStop} testId={testId} />
    </>
  )
}
