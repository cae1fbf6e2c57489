import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import { defaultSettings, type Settings } from '../../electron/contract/settings'
import { call } from '../bridge/bridge'
import { notifyError } from './notifications'

export const settingsStore = createStore<{ settings: Settings }>(() => ({
  // Until main has answered.
  settings: defaultSettings,
}))

export function useSettings<T>(select: (settings: Settings) => T): T {
  return useStore(settingsStore, (state) => select(state.settings))
}

export async function loadSettings(): Promise<void> {
  const result = await call('settings.get', {})
  if (result.ok) settingsStore.setState({ settings: result.value })
  else notifyError(result.error)
}

let underWay = 0

/** Shown at once, taken back when main refuses. */
export async function changeSettings(change: Partial<Settings>): Promise<boolean> {
  const before = settingsStore.getState().settings
  settingsStore.setState({ settings: { ...before, ...change } })
  underWay += 1
  const result = await call('settings.set', change)
  underWay -= 1
  if (!result.ok) notifyError(result.error)
  // An answer that does not know of a later change would take that one back for a moment.
  if (underWay === 0) {
    if (result.ok) settingsStore.setState({ settings: result.value })
    else await loadSettings()
  }
  return result.ok
}
