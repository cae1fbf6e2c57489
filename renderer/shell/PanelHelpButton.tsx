import type { IDockviewHeaderActionsProps } from 'dockview-react'
import type { ReactElement } from 'react'

import { runCommand } from '../store/commands'
import { featureOf } from '../store/feature'
import { IconButton } from './primitives/Button'

/** At the right of a group's tabs: what the panel in front is for. Files need no such help. */
export function PanelHelpButton({ activePanel }: IDockviewHeaderActionsProps): ReactElement | null {
  const feature = activePanel ? featureOf(activePanel.id) : undefined
  if (!feature || feature.id === 'help') return null
  return (
    <IconButton
      icon="help"
      label={`Help on ${feature.title}`}
      onClick={() => runCommand('help.panel', feature.id)}
      testId={`help-button-${feature.id}`}
    />
  )
}
