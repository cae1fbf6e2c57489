import type { ReactElement } from 'react'

import { BusyBadge, CountBadge } from '../../shell/primitives/Badge'
import { useLasting } from '../../shell/primitives/lasting'
import { useJob } from '../../store/job'
import { useIsOlder } from '../../store/staleness'
import { allGradchecksJob } from './jobs'
import { useGradcheck } from './store'
import { unexpected } from './problems'

/** How many gradchecks did not end as expected. */
export function GradcheckBadge(): ReactElement {
  // Renders again when a verdict becomes old.
  useIsOlder('run')
  const wrong = useGradcheck((state) => unexpected(state.outcomes).length)
  const checking = useLasting(useJob(allGradchecksJob, (state) => state.running !== null))
  if (checking) return <BusyBadge label="checking" />
  return <CountBadge count={wrong} label={`${wrong} not as expected`} />
}
