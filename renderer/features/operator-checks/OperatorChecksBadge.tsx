import type { ReactElement } from 'react'

import { BusyBadge, CountBadge } from '../../shell/primitives/Badge'
import { useLasting } from '../../shell/primitives/lasting'
import { useJob } from '../../store/job'
import { useIsOlder } from '../../store/staleness'
import { allOperatorChecksJob, operatorCheckJob } from './jobs'
import { unexpectedOperators } from './problems'
import { useOperatorChecks } from './store'

/** How many operators did not end as expected. */
export function OperatorChecksBadge(): ReactElement {
  const one = useJob(operatorCheckJob, (state) => state.value)
  const stamp = useJob(operatorCheckJob, (state) => state.stamp)
  // Renders again when a verdict becomes old.
  useIsOlder('run')
  const wrong = useOperatorChecks(
    ({ outcomes }) => unexpectedOperators(outcomes, one, stamp).length,
  )
  const isChecking = useLasting(useJob(allOperatorChecksJob, (state) => state.running !== null))
  if (isChecking) return <BusyBadge label="checking" />
  return <CountBadge count={wrong} label={`${wrong} not as expected`} />
}
