import { useEffect, useState, type ReactElement } from 'react'

import { machineOf } from '../../electron/contract/project-place'
import { reconnect, useRemote } from '../store/remote'
import { Button } from './primitives/Button'
import { Icon } from './primitives/Icon'

/** Above the panels, in one line, for as long as the machine of the project cannot be reached. */
export function ConnectionBar(): ReactElement | null {
  const connection = useRemote((state) => state.connection)
  const [isOpen, setOpen] = useState(false)
  const { state, target, message, hint, detail, retryAt, isKept } = connection
  if (state !== 'lost' && state !== 'reconnecting') return null
  const machine = machineOf(target)
  return (
    <div className="trust-banner" role="status" data-testid="connection-bar" data-state={state}>
      <Icon name="warning" />
      <span
        className={isOpen ? 'grow selectable' : 'grow ellipsis selectable'}
        title={[message, hint, detail].filter((text) => text !== '').join('\n')}
        data-testid="connection-reason"
      >
        {message} {hint}
      </span>
      <Button pressed={isOpen} onClick={() => setOpen(!isOpen)} testId="connection-details">
        Whole reason
      </Button>
      <span className="connection-next">
        {isKept
          ? `Opsmith keeps your edits on this machine. Work on ${machine} continues.`
          : 'Opsmith keeps your edits on this machine.'}{' '}
        {state === 'reconnecting' ? `Connecting to ${machine} …` : <NextTry at={retryAt} />}
      </span>
      <Button
        icon="refresh"
        disabled={state === 'reconnecting'}
        onClick={() => void reconnect()}
        testId="connection-reconnect"
      >
        Reconnect
      </Button>
    </div>
  )
}

/** Nobody has to hear each second: a screen reader reads the text once. */
function NextTry({ at }: { at: number }): ReactElement | null {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  if (at === 0) return <>Opsmith does not reconnect automatically.</>
  const seconds = Math.max(1, Math.ceil((at - now) / 1000))
  return <span aria-live="off">The next attempt is in {seconds} s.</span>
}
