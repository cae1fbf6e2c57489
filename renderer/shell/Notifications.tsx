import { useEffect, type ReactElement } from 'react'

import { Button, IconButton } from './primitives/Button'
import { Details } from './primitives/ErrorView'
import { formatCount } from './primitives/format'
import { HelpLink } from './primitives/HelpLink'
import { Icon, type IconName } from './primitives/Icon'
import {
  dismiss,
  holdNotifications,
  showEarlier,
  useNotifications,
  type Notification,
} from '../store/notifications'

const icons: Record<Notification['severity'], IconName> = {
  info: 'note',
  warning: 'warning',
  error: 'error',
}

/** Never modal: nothing waits for an answer here. At the left, where nothing else is drawn over a panel. */
export function Notifications(): ReactElement {
  const items = useNotifications((state) => state.items)
  useEffect(() => {
    // What the pointer was on may be gone without its leaving.
    if (items.length === 0) holdNotifications(false)
  }, [items])
  return (
    <section
      className="notifications"
      aria-live="polite"
      aria-label="Notifications"
      onMouseEnter={() => holdNotifications(true)}
      onMouseLeave={() => holdNotifications(false)}
    >
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
          {item.code !== null && (
            <HelpLink page="reference/errors" heading={item.code}>
              About this error
            </HelpLink>
          )}
          {item.action && <Act item={item} />}
          {item.detail !== '' && <Details text={item.detail} />}
        </div>
      ))}
    </section>
  )
}

/** In the status bar: the problems that left before somebody dismissed them. */
export function EarlierNotifications(): ReactElement | null {
  const count = useNotifications((state) => state.earlier.length)
  if (count === 0) return null
  return (
    <button
      type="button"
      className="status-item"
      onClick={showEarlier}
      title="Shows these messages again"
      data-testid="status-earlier"
    >
      <Icon name="warning" /> <span>{formatCount(count, 'message')}</span>
    </button>
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
