import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { ErrorCode, WorkbenchError } from '../../electron/contract/outcome'

export type NotificationAction = { label: string; run: () => void }
export type Notification = {
  id: number
  severity: 'info' | 'warning' | 'error'
  message: string
  hint: string
  detail: string
  /** What kind of error it is, for the page about it; null for what is no error. */
  code: ErrorCode | null
  action: NotificationAction | null
}

type Notifications = {
  items: Notification[]
  /** Warnings and errors that left without being dismissed, oldest first. */
  earlier: Notification[]
}

/** For what has no panel of its own; panels show their own errors in place. */
export const notificationStore = createStore<Notifications>(() => ({ items: [], earlier: [] }))

let nextId = 1
/** Milliseconds. */
const infoLifetime = 6_000
const problemLifetime = 20_000
const mostShown = 5
const mostKept = 20

let isHeld = false

/** While somebody reads, nothing leaves. */
export function holdNotifications(held: boolean): void {
  isHeld = held
}

export function notify(
  severity: Notification['severity'],
  message: string,
  more: Partial<Pick<Notification, 'hint' | 'detail' | 'code' | 'action'>> = {},
): void {
  const id = nextId++
  const empty = { hint: '', detail: '', code: null, action: null }
  const item: Notification = Object.assign({ id, severity, message }, empty, more)
  // The same message again replaces the older one instead of piling up.
  withdraw(message)
  notificationStore.setState(({ items }) => ({ items: [...items, item].slice(-mostShown) }))
  // What asks for an action stays until it is answered.
  if (item.action === null) {
    leaveAfter(item, severity === 'info' ? infoLifetime : problemLifetime)
  }
}

/** Good news may be forgotten; a problem can be looked up in the status bar. */
function leaveAfter(item: Notification, lifetime: number): void {
  setTimeout(() => {
    if (isHeld) {
      leaveAfter(item, infoLifetime)
      return
    }
    const { items, earlier } = notificationStore.getState()
    if (!items.includes(item)) return
    dismiss(item.id)
    if (item.severity === 'info') return
    notificationStore.setState({ earlier: [...earlier, item].slice(-mostKept) })
  }, lifetime)
}

/** Takes a message back that does not hold any more. */
export function withdraw(message: string): void {
  const others = (list: readonly Notification[]): Notification[] =>
    list.filter((other) => other.message !== message)
  notificationStore.setState(({ items, earlier }) => ({
    items: others(items),
    earlier: others(earlier),
  }))
}

/** Shows the problems that left again, until they are dismissed. */
export function showEarlier(): void {
  notificationStore.setState(({ items, earlier }) => ({
    items: [...earlier, ...items],
    earlier: [],
  }))
}

export function notifyError(error: WorkbenchError, action: NotificationAction | null = null): void {
  if (error.code === 'cancelled') return
  const { code, message, hint = '', detail = '' } = error
  notify('error', message, { hint, detail, code, action })
}

export function dismiss(id: number): void {
  notificationStore.setState((state) => ({ items: state.items.filter((item) => item.id !== id) }))
}

export function useNotifications<T>(select: (state: Notifications) => T): T {
  return useStore(notificationStore, select)
}
