import { contextBridge, ipcRenderer, webUtils } from 'electron'

import { callChannel, dropChannel, eventChannel } from '../contract/channels'

/**
 * Where a file lies that came from the disk; "" for one that a script made. Electron before 29 has no webUtils, and
 * notes the path at the file.
 */
function pathOf(file: File & { path?: unknown }): string {
  if (!(file instanceof File)) return ''
  const utils = webUtils as typeof webUtils | undefined
  if (utils) return utils.getPathForFile(file)
  return typeof file.path === 'string' ? file.path : ''
}

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
  // The window's own code cannot name a path here: only a real drop has one.
  dropped: (files: readonly File[]): Promise<unknown> =>
    ipcRenderer.invoke(
      dropChannel,
      files.map(pathOf).filter((path) => path !== ''),
    ),
})
