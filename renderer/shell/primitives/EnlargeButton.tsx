import type { ReactElement } from 'react'

import { shortcutOf } from '../../store/commands'
import { layoutStore, useLayout, type PanelId } from '../../store/layout'
import { IconButton } from './Button'

/** Gives a panel the whole window, or takes it back to its place. */
export function EnlargeButton({ panel }: { panel: PanelId }): ReactElement {
  const enlarged = useLayout((state) => state.enlarged)
  return (
    <IconButton
      icon={enlarged ? 'shrink' : 'enlarge'}
      label={`${enlarged ? 'Restore the size' : 'Fill the window'} (${shortcutOf('view.enlarge')})`}
      onClick={() => layoutStore.getState().dock?.toggleEnlarged(panel)}
      testId={`${panel}-enlarge`}
    />
  )
}
