import type { ReactElement } from 'react'

import { BusyBadge, CountBadge } from '../../shell/primitives/Badge'
import { useLasting } from '../../shell/primitives/lasting'
import { useIsOlder } from '../../store/staleness'
import { useJob } from '../../store/job'
import { pytestJob } from './job'
import { freshFailures, usePytest } from './store'

/** How many of the project's own tests failed, of the sources as they are. */
export function PytestBadge(): ReactElement {
  // Renders again when a verdict becomes old.
  useIsOlder('run')
  const failed = usePytest(freshFailures)
  const isRunning = useLasting(useJob(pytestJob, (state) => state.running !== null))
  if (isRunning) return <BusyBadge label="testing" />
  return <CountBadge count={failed} label={`${failed} failed`} />
}
