import type { ReactElement } from 'react'

import { BusyBadge } from '../../shell/primitives/Badge'
import { useBench } from './bench'

export function TimingsBadge(): ReactElement | null {
  const measuring = useBench((state) => state.work !== null)
  return measuring ? <BusyBadge label="measuring" /> : null
}
