import { callChannel } from '../../electron/contract/channels'
import type { ElectronDesktop } from '../../electron/main/electron-desktop'

type Listener = (event: unknown, name: string, input: unknown) => Promise<unknown>
const listeners = new Map<string, Listener>()

/** What main uses of Electron when it listens to the window: for vi.mock('electron'). */
export const electron = {
  app: { getVersion: () => '' },
  dialog: {},
  ipcMain: { handle: (channel: string, listener: Listener) => listeners.set(channel, listener) },
  protocol: {},
  session: {},
  shell: {},
}

/** A page at the address of the window's. */
export interface Page {
  mainFrame: { url: string }
}
// Not by a name of main's: that module imports Electron, which waits for this one.
export const makePage = (): Page => ({ mainFrame: { url: 'app://opsmith/index.html' } })

/** Makes this page the window's. */
export function showPage(desktop: ElectronDesktop, page: Page): void {
  desktop.window = { webContents: page } as ElectronDesktop['window'] & object
}

/** A call of a page, as Electron brings it. */
export async function callFrom(page: Page, name: string, input: unknown = {}): Promise<unknown> {
  return await listeners.get(callChannel)?.(
    { sender: page, senderFrame: page.mainFrame },
    name,
    input,
  )
}
