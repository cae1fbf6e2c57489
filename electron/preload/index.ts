import { contextBridge, ipcRenderer } from 'electron'

import { callChannel, eventChannel } from '../contract/channels'

/** The one object the renderer gets; main checks sender, name and payload of everything that comes. */
contextBridge.exposeInMainWorld('opsmith', {
  call: (name: string, input: unknown): Promise<unknown> =>
    ipcRenderer.invoke(callChannel, name, input),
  on: (name: string, listener: (event: unknown) => void): (() => void) => {
    const forward = (_event: unknown, sent: string, payload: unknown): void => {
      if (sent === name) listener(payload)
    }
    ipcRenderer.on(eventChannel, forward)
    return () => {
      ipcRenderer.removeListener(eventChannel, forward)
    }
  },
})
