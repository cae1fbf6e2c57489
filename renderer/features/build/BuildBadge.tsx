import type { ReactElement } from 'react'

import { BusyBadge } from '../../shell/primitives/Badge'
import { Icon } from '../../shell/primitives/Icon'
import { useLasting } from '../../shell/primitives/lasting'
import { useBuild } from '../../store/build'

export function BuildBadge(): ReactElement | null {
  const building = useLasting(useBuild((state) => state.running !== null))
  const failed = useBuild((state) => state.value?.report.ok === false || state.error !== null)
  if (building) return <BusyBadge label="building" />
  return failed ? (
    <span className="tone-error">
      <Icon name="error" label="failed" />
    </span>
  ) : null
}
