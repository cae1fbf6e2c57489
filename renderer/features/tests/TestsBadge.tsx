import type { ReactElement } from 'react'

import { CountBadge } from '../../shell/primitives/Badge'
import { useTestGroups } from '../../store/tests'
import { isFailure } from './commands'

/** How many tests failed, of the sources as they are. */
export function TestsBadge(): ReactElement {
  const rows = useTestGroups().flatMap((group) => group.rows)
  const failed = rows.filter(({ state, isOld }) => isFailure(state) && !isOld).length
  return <CountBadge count={failed} label={`${failed} failed`} />
}
