import type { ReactElement } from 'react'

import { Button, IconButton } from './primitives/Button'
import { Details } from './primitives/ErrorView'
import { Icon, type IconName } from './primitives/Icon'
import { dismiss, useNotifications, type Notification } from '../store/notifications'

const icons: Record<Notification['severity'], IconName> = {
  info: 'note',
  warning: 'warning',
  error: 'error',
}

/** Never modal: nothing waits for an answer here. */
export function Notifications(): ReactElement {
  const items = useNotifications()
  return (
    <div className="notifications" aria-live="polite" aria-label="Notifications">
      {items.map((item) => (
        <div key={item.id} className="notification" data-testid="notification">
          <div className="notification-head">
            <span className={`tone-${item.severity}`}>
              <Icon name={icons[item.severity]} label={item.severity} />
            </span>
            <span className="grow selectable">{item.message}</span>
            <IconButton icon="close" label="Dismiss" onClick={() => dismiss(item.id)} />
          </div>
          {item.hint !== '' && <p className="selectable">{item.hint}</p>}
          {item.action && <Act item={item} />}
          {item.detail !== '' && <Details text={item.detail} />}
        </div>
      ))}
    </div>
  )
}

function Act({ item }: { item: Notification }): ReactElement | null {
  const { action } = item
  if (!action) return null
  const run = (): void => {
    dismiss(item.id)
    action.run()
  }
  return <Button onClick={run}>{action.label}</Button>
}
