import type { ReactElement } from 'react'

import { Button } from '../../shell/primitives/Button'
import { showPanel } from '../../store/layout'
import { DoctorPanel } from './DoctorPanel'

/** Without a project: what is missing on this machine, and the way on. */
export function DoctorPage(): ReactElement {
  return (
    <div className="doctor-page">
      <DoctorPanel />
      <div className="panel-bar">
        <Button onClick={() => showPanel('gallery')} testId="doctor-to-gallery">
          To the samples
        </Button>
      </div>
    </div>
  )
}
