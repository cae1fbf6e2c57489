import type { ReactElement, ReactNode } from 'react'

import { Icon, type IconName } from './Icon'

type Props = { text: string; icon?: IconName; quiet?: boolean; children?: ReactNode }

/** What a panel is for and the one action that fills it. */
export function EmptyState({ text, icon, quiet = false, children }: Props): ReactElement {
  return (
    <div className={quiet ? 'empty-state quiet' : 'empty-state'}>
      {icon && <Icon name={icon} />}
      <p>{text}</p>
      {children}
    </div>
  )
}
