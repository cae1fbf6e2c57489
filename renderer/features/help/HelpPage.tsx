import type { ReactElement } from 'react'

import { PageFrame } from '../../shell/primitives/PageFrame'
import { HelpPanel } from './HelpPanel'

/** Help in a window without a project. */
export function HelpPage(): ReactElement {
  return (
    <PageFrame>
      <HelpPanel />
    </PageFrame>
  )
}
