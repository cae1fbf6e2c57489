import type { ReactElement } from 'react'

import { Icon } from '../../shell/primitives/Icon'
import { useHost } from '../../store/host'

export function CrashBadge(): ReactElement | null {
  const crash = useHost((state) => state.crash)
  if (!crash) return null
  return (
    <span className="tone-error">
      <Icon name="crash" label="crashed" />
    </span>
  )
}
