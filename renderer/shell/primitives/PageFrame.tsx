import type { ReactElement, ReactNode } from 'react'

import { startPage } from '../../store/feature'
import { showPanel } from '../../store/layout'
import { Button } from './Button'

/** A panel in a window without a project, with the way back to the start page. */
export function PageFrame({ children }: { children: ReactNode }): ReactElement {
  return (
    <div className="page-frame">
      {children}
      <div className="panel-bar">
        <Button onClick={() => showPanel(startPage() ?? '')} testId="page-to-start">
          To the samples
        </Button>
      </div>
    </div>
  )
}
