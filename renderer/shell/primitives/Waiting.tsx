import type { ReactElement } from 'react'

import { useBuild } from '../../store/build'
import { Button } from './Button'

type Props = {
  working: boolean
  /** While a build runs: "The check comes with the build." */
  coming: string
  onCheck: () => void
  onStop: () => void
}

/** In place of a check's result that is not there yet. */
export function Waiting({ working, coming, onCheck, onStop }: Props): ReactElement {
  const building = useBuild((state) => state.running !== null)
  if (building) return <p className="panel-pad muted">{coming}</p>
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
