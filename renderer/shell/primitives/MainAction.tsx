import { useEffect, useState, type ReactElement } from 'react'

import { shortcutOf } from '../../store/commands'
import { Button } from './Button'
import { Elapsed, Progress } from './Elapsed'
import { useLasting } from './lasting'

type Props = {
  /** "Run", "Check", "Measure", "Profile". */
  text: string
  /** What it does, for who looks longer. */
  title: string
  /** The command with the same effect, whose key is shown. */
  command: string
  disabled?: boolean
  /** What it starts: the state of its job. `startedAt` is null where several jobs run, one after the other. */
  job: { running: string | null; startedAt: number | null }
  /** How far the job is; null before it says so, left out where it never does. */
  steps?: { done: number; total: number } | null
  /** It does all of a list, in whose heading it is; the panel's main action is elsewhere. */
  isOfList?: boolean
  onStart: () => void
  onStop: () => void
  testId: string
  stopTestId: string
}

/** Milliseconds from a click until its work runs. */
const longestStart = 500

/**
 * What a panel is there for: the same in all of them, at the right end of the row with its call, or of the panel's bar
 * where it has no call. It shows its key; while it works, how long it has been, and Stop. Work that was
 * not started by a click is shown only after 0.3 s.
 */
export function MainAction(props: Props): ReactElement {
  const { text, title, command, disabled = false, job, isOfList = false } = props
  const { onStart, onStop, testId, stopTestId } = props
  const isRunning = job.running !== null
  const lasts = useLasting(isRunning)
  const [isClicked, setClicked] = useState(false)
  useEffect(() => (isRunning ? () => setClicked(false) : undefined), [isRunning])
  useEffect(() => {
    if (isRunning || !isClicked) return undefined
    // The click has started nothing: what runs later is not its work.
    const timer = setTimeout(() => setClicked(false), longestStart)
    return () => clearTimeout(timer)
  }, [isRunning, isClicked])
  const place = isOfList ? 'list-action' : 'main-action'
  const key = shortcutOf(command)
  if (isRunning && (isClicked || lasts)) {
    return (
      <span className={`${place} running-work`} role="status" data-testid={place}>
        <HowFar {...props} />
        <Button icon="stop" onClick={onStop} testId={stopTestId}>
          Stop
        </Button>
      </span>
    )
  }
  return (
    <span className={place} data-testid={place}>
      <Button
        primary={!isOfList}
        icon="play"
        disabled={disabled}
        onClick={() => {
          setClicked(true)
          if (!isClicked) onStart()
        }}
        title={key === '' ? title : `${title} (${key})`}
        testId={testId}
      >
        {text} {key !== '' && <kbd>{key}</kbd>}
      </Button>
    </span>
  )
}

function HowFar({ text, job, steps }: Props): ReactElement {
  return (
    <>
      {steps !== undefined && (
        <Progress done={steps?.done ?? 0} steps={steps?.total ?? 0} label={text} />
      )}
      <span className="number">
        {steps && steps.total > 0 && `${steps.done} of ${steps.total}`}
        {steps && steps.total > 0 && job.startedAt !== null && ', '}
        {job.startedAt !== null && <Elapsed since={job.startedAt} />}
      </span>
    </>
  )
}
