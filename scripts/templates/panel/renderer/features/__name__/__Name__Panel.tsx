import type { ReactElement } from 'react'

import { Button } from '../../shell/primitives/Button'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { useJob } from '../../store/job'
import { __camel__Job } from './job'

export function __Name__Panel(): ReactElement {
  return (
    <div className="panel-column __name__-panel" data-testid="__name__-panel">
      <Result />
    </div>
  )
}

function Result(): ReactElement {
  const { value, error, running } = useJob(__camel__Job, (state) => state)
  if (running !== null) return <EmptyState text="Counting …" quiet />
  if (error) return <ErrorView error={error} />
  if (value !== null) return <p role="status">{value} operators are registered.</p>
  return (
    <EmptyState text="Counts the operators that are registered.">
      <Button primary icon="play" onClick={() => void __camel__Job.run(null)}>
        Count
      </Button>
    </EmptyState>
  )
}
