import { ipcMain } from 'electron'
import type { IpcMainInvokeEvent } from 'electron'
import { z } from 'zod'

import { callChannel, dropChannel } from '../contract/channels'
import { err } from '../contract/outcome'
import type { Answerer } from './answerer'
import type { ElectronDesktop } from './electron-desktop'
import { isTrustedSender } from './security'

const droppedPaths = z.array(z.string().max(10_000)).max(1000)

/**
 * The one place where the renderer is listened to, from before there is a window.
 * @param answerer who answers; calls that come before it wait
 */
export function listenToRenderer(desktop: ElectronDesktop, answerer: Promise<Answerer>): void {
  const isWindow = (event: IpcMainInvokeEvent): boolean =>
    isTrustedSender(event.senderFrame, event.sender) && event.sender === desktop.window?.webContents
  ipcMain.handle(callChannel, async (event, name: unknown, input: unknown) => {
    if (!isWindow(event))
      return err('request.invalid', 'Only the Opsmith window can make this call.')
    const answered = await (await answerer).answer(name, input)
    // The page asks for it once it listens, and knows by the answer what its own start named.
    if (name === 'app.info') desktop.noteListening()
    return answered
  })
  ipcMain.handle(dropChannel, async (event, given: unknown): Promise<string[]> => {
    const paths = droppedPaths.safeParse(given)
    if (!isWindow(event) || !paths.success) return []
    ;(await answerer).noteDropped(paths.data)
    return paths.data
  })
}
