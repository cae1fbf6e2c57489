import type { ReactElement } from 'react'

import { useBuild } from '../../store/build'
import { runCommand, shortcutOf } from '../../store/commands'
import { Button } from './Button'
import { EmptyState } from './EmptyState'
import type { IconName } from './Icon'

/** Instead of a panel that has no operators yet; `text` says what it is for. */
export function NeedsBuild({ icon, text }: { icon: IconName; text: string }): ReactElement {
  const building = useBuild((state) => state.running !== null)
  if (building) return <EmptyState text="Building … The operators appear after the build." quiet />
  return (
    <EmptyState icon={icon} text={text}>
      <Button primary icon="play" onClick={() => runCommand('build.run')}>
        Build <kbd>{shortcutOf('build.run')}</kbd>
      </Button>
    </EmptyState>
  )
}
