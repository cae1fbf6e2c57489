import type { ReactElement } from 'react'

import { PageFrame } from '../../shell/primitives/PageFrame'
import { DoctorPanel } from './DoctorPanel'

/** Without a project: what is missing on this machine, and the way on. */
export function DoctorPage(): ReactElement {
  return (
    <PageFrame>
      <DoctorPanel />
    </PageFrame>
  )
}
