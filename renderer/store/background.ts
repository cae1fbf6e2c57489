import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { AppEvent } from '../../electron/contract/app-calls'
import { listen } from '../bridge/bridge'
import { notify, notifyError } from './notifications'

export type BackgroundTask = AppEvent<'background.progressed'>

/** Work that main does by itself, by title. */
export const backgroundStore = createStore<{ tasks: BackgroundTask[] }>(() => ({ tasks: [] }))

export function useBackground(): BackgroundTask[] {
  return useStore(backgroundStore, (state) => state.tasks)
}

export function listenToBackground(): void {
  listen('background.failed', (error) => notifyError(error))
  listen('version.found', ({ version, own, address }) => {
    notify('info', `Opsmith ${version} is available. You use Opsmith ${own}.`, {
      hint: `The new version is listed at ${address}. To stop looking for newer versions, turn off “Newer version” in Settings.`,
    })
  })
  listen('background.progressed', (event) => {
    backgroundStore.setState((state) => {
      const others = state.tasks.filter((task) => task.title !== event.title)
      return { tasks: event.done >= 1 ? others : [...others, event] }
    })
  })
}
