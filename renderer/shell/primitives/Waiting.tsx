import type { ReactElement } from 'react'

import { useBuild } from '../../store/build'
import { Button } from './Button'

type Props = {
  working: boolean
  onCheck: () => void
  onStop: () => void
}

/** In place of a check's result that is not there yet. */
export function Waiting({ working, onCheck, onStop }: Props): ReactElement {
  const building = useBuild((state) => state.running !== null)
  if (building) return <p className="panel-pad muted">Waiting for the build …</p>
  if (!working) {
    return (
      <div className="panel-pad">
        <Button icon="play" onClick={onCheck}>
          Check
        </Button>
      </div>
    )
  }
  return (
    <p className="panel-pad muted" role="status">
      <span className="spinner" /> checking …{' '}
      <button type="button" className="link" onClick={onStop}>
        Stop
      </button>
    </p>
  )
}
