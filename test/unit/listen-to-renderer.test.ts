import { beforeEach, describe, expect, it, vi } from 'vitest'

import { callChannel } from '../../electron/contract/channels'
import { ok } from '../../electron/contract/outcome'
import type { Answerer } from '../../electron/main/answerer'
import { ElectronDesktop } from '../../electron/main/electron-desktop'
import { listenToRenderer } from '../../electron/main/listen-to-renderer'
import { startUrlOf } from '../../electron/main/security'

type Listener = (event: unknown, name: string, input: unknown) => Promise<unknown>
const listeners = vi.hoisted(() => new Map<string, Listener>())
vi.mock('electron', () => ({
  app: { getVersion: () => '' },
  dialog: {},
  ipcMain: { handle: (channel: string, listener: Listener) => listeners.set(channel, listener) },
  protocol: {},
  session: {},
  shell: {},
}))

const frame = { url: startUrlOf(true) }
const page = { mainFrame: frame }
let desktop: ElectronDesktop
let begin: (answerer: Answerer) => void

beforeEach(() => {
  desktop = new ElectronDesktop()
  desktop.window = { webContents: page } as ElectronDesktop['window'] & object
  const answerer = new Promise<Answerer>((resolve) => (begin = resolve))
  listenToRenderer(desktop, answerer)
})

const callFrom = async (sender: object): Promise<unknown> =>
  await listeners.get(callChannel)?.({ sender, senderFrame: frame }, 'app.info', {})

describe('a call of the window', () => {
  it('that comes before the session waits for it', async () => {
    const answered = callFrom(page)
    begin({ answer: (name) => Promise.resolve(ok(name)), noteDropped: () => undefined })
    expect(await answered).toEqual(ok('app.info'))
  })

  it('shows that the page listens, until it is gone', async () => {
    const listening = desktop.whenListening()
    expect(desktop.isListening).toBe(false)
    void callFrom(page)
    await listening
    expect(desktop.isListening).toBe(true)
    desktop.notePageGone()
    expect(desktop.isListening).toBe(false)
  })

  it('of another page is refused, and shows nothing', async () => {
    const answered = await callFrom({ mainFrame: frame })
    expect(answered).toMatchObject({ ok: false, error: { code: 'request.invalid' } })
    expect(desktop.isListening).toBe(false)
  })
})
