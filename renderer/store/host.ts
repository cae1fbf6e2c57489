import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { HostState } from '../../electron/contract/app-calls'
import type { HostExit } from '../../electron/contract/outcome'
import { call, listen } from '../bridge/bridge'
import { LineLog, throttled } from './line-log'
import { notify, notifyError } from './notifications'

type Store = {
  host: HostState | null
  /** The crash that is shown until the next good build or until it is dismissed. */
  crash: HostExit | null
  /** The call that was stopped last, where it was seen to hang; until the next good build. */
  hang: HostExit | null
  logVersion: number
}

export const hostStore = createStore<Store>(() => ({
  host: null,
  crash: null,
  hang: null,
  logVersion: 0,
}))

/** Lines are tagged "generation:stream". */
export const hostLog = new LineLog()

export function useHost<T>(select: (state: Store) => T): T {
  return useStore(hostStore, select)
}

const changed = throttled(() => hostStore.setState({ logVersion: hostLog.version }), 60)
const crashListeners = new Set<(exit: HostExit) => void>()

/** Called once for every op host that ended in another way than by our wish. */
export function onCrash(listener: (exit: HostExit) => void): void {
  crashListeners.add(listener)
}

export async function listenToHost(): Promise<void> {
  listen('host.changed', takeState)
  listen('host.output', (event) => {
    hostLog.append(event.text, `${event.generation}:${event.stream}`)
    changed()
  })
  const result = await call('host.state', {})
  // An event may have come first, and is newer.
  if (result.ok && hostStore.getState().host === null) takeState(result.value)
}

let lastCrash = 0

function takeState(host: HostState): void {
  hostStore.setState({ host })
  if (host.lastExit) noteCrash(host.lastExit)
}

/** A crash is told twice, by the failed call and by the host's state: it is shown once. */
export function noteCrash(exit: HostExit): void {
  if (exit.reason === 'stopped' || exit.generation <= lastCrash) return
  lastCrash = exit.generation
  hostStore.setState({ crash: exit })
  for (const listener of crashListeners) listener(exit)
}

/** A call was stopped while user code ran: where it was is as good to know as of a crash. */
export function noteStopped(exit: HostExit): void {
  if (exit.phase === '') return
  if (exit.stack.length > 0) hostStore.setState({ hang: exit })
  notify('info', exit.message)
}

/** Another engine starts op hosts from now on, which counts its own. */
export function forgetHost(): void {
  lastCrash = 0
  hostStore.setState({ host: null, crash: null, hang: null })
}

export function dismissCrash(): void {
  hostStore.setState({ crash: null, hang: null })
}

export function clearHostLog(): void {
  hostLog.clear()
  changed()
}

export async function restartHost(): Promise<void> {
  const result = await call('host.restart', {})
  if (!result.ok) notifyError(result.error)
}
