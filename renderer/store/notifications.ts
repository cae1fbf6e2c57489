import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { WorkbenchError } from '../../electron/contract/outcome'

export type NotificationAction = { label: string; run: () => void }
export type Notification = {
  id: number
  severity: 'info' | 'warning' | 'error'
  message: string
  hint: string
  detail: string
  action: NotificationAction | null
}

/** For what has no panel of its own; panels show their own errors in place. */
export const notificationStore = createStore<{ items: Notification[] }>(() => ({ items: [] }))

let nextId = 1
const infoLifetime = 6_000

export function notify(
  severity: Notification['severity'],
  message: string,
  more: Partial<Pick<Notification, 'hint' | 'detail' | 'action'>> = {},
): void {
  const id = nextId++
  const item: Notification = { id, severity, message, hint: '', detail: '', action: null, ...more }
  notificationStore.setState((state) => ({
    // The same message again replaces the older one instead of piling up.
    items: [...state.items.filter((other) => other.message !== message), item].slice(-5),
  }))
  // Good news may leave by itself; a problem stays until it was seen.
  if (severity === 'info' && item.action === null) setTimeout(() => dismiss(id), infoLifetime)
}

export function notifyError(error: WorkbenchError, action: NotificationAction | null = null): void {
  if (error.code === 'cancelled') return
  notify('error', error.message, { hint: error.hint ?? '', detail: error.detail ?? '', action })
}

export function dismiss(id: number): void {
  notificationStore.setState((state) => ({ items: state.items.filter((item) => item.id !== id) }))
}

export function useNotifications(): Notification[] {
  return useStore(notificationStore, (state) => state.items)
}
