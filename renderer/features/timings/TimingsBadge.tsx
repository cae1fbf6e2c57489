import type { ReactElement } from 'react'

import { BusyBadge } from '../../shell/primitives/Badge'
import { useTimings } from './store'

export function TimingsBadge(): ReactElement | null {
  const measuring = useTimings((state) => state.work !== null)
  return measuring ? <BusyBadge label="measuring" /> : null
}
