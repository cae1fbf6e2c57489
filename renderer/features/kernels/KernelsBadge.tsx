import type { ReactElement } from 'react'

import { CountBadge } from '../../shell/primitives/Badge'
import { formatCount } from '../../shell/primitives/format'
import { useKernels } from './store'

/** How many mistakes checked kernels reported. */
export function KernelsBadge(): ReactElement {
  const count = useKernels(({ report }) => report.findings.length)
  return <CountBadge count={count} label={formatCount(count, 'finding')} testId="kernels-badge" />
}
