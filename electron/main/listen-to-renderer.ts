import { ipcMain } from 'electron'
import { z } from 'zod'

import type { AppCallName } from '../contract/app-calls'
import { callChannel, dropChannel } from '../contract/channels'
import { err } from '../contract/outcome'
import type { Result } from '../contract/outcome'
import type { AppSession } from '../session/app-session'
import { answer } from '../session/calls/handle'
import type { Handlers } from '../session/calls/handle'
import type { ElectronDesktop } from './electron-desktop'
import { isTrustedSender } from './security'

const droppedPaths = z.array(z.string().max(10_000)).max(1000)

/** A session, and the window that works with it. */
interface Listening {
  session: AppSession
  desktop: ElectronDesktop
  handlers: Handlers<AppCallName>
  /** The settings apply. Until then no call is answered. */
  ready: Promise<void>
}

/** The one place where the renderer is listened to. */
export function listenToRenderer({ session, desktop, handlers, ready }: Listening): void {
  ipcMain.handle(callChannel, async (event, name: unknown, input: unknown) => {
    if (
      !isTrustedSender(event.senderFrame, event.sender) ||
      event.sender !== desktop.window?.webContents
    ) {
      return err('request.invalid', 'Only the Opsmith window can make this call.')
    }
    await ready
    // The Settings panel asks for it again and again, whether somebody looks or not.
    if (name !== 'app.memory') session.touch()
    const here = (): Promise<Result<unknown>> => answer(session, handlers, name, input)
    const { remote } = session
    return remote && typeof name === 'string'
      ? await remote.answer(name, input, here)
      : await here()
  })
  ipcMain.handle(dropChannel, (event, given: unknown): string[] => {
    const paths = droppedPaths.safeParse(given)
    const isWindow = event.sender === desktop.window?.webContents
    if (!isWindow || !isTrustedSender(event.senderFrame, event.sender) || !paths.success) return []
    session.project?.noteDropped(paths.data)
    return paths.data
  })
}
