import type { ReactElement } from 'react'

import { BusyBadge } from '../../shell/primitives/Badge'
import { useIsTiming } from './shown'

export function TimingsBadge(): ReactElement | null {
  return useIsTiming() ? <BusyBadge label="measuring" /> : null
}
