import type { ReactElement } from 'react'

import { BusyBadge, CountBadge } from '../../shell/primitives/Badge'
import { unexpectedOperators, useOperatorChecks } from './store'

/** How many operators did not end as expected. */
export function OperatorChecksBadge(): ReactElement {
  const wrong = useOperatorChecks((state) => unexpectedOperators(state).length)
  const checking = useOperatorChecks((state) => state.job !== null)
  if (checking) return <BusyBadge label="checking" />
  return <CountBadge count={wrong} label={`${wrong} not as expected`} />
}
