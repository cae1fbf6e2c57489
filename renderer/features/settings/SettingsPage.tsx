import type { ReactElement } from 'react'

import { PageFrame } from '../../shell/primitives/PageFrame'
import { SettingsPanel } from './SettingsPanel'

/** The settings in a window without a project. */
export function SettingsPage(): ReactElement {
  return (
    <PageFrame>
      <SettingsPanel />
    </PageFrame>
  )
}
