import type { ReactElement } from 'react'

import { PageFrame } from '../../shell/primitives/PageFrame'
import { SetupPanel } from './SetupPanel'

/** Without a project, as in the first start of a package. */
export function SetupPage(): ReactElement {
  return (
    <PageFrame>
      <SetupPanel />
    </PageFrame>
  )
}
