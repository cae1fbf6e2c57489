import { beforeEach, describe, expect, it, vi } from 'vitest'

import { ok } from '../../electron/contract/outcome'
import type { Answerer } from '../../electron/main/answerer'
import { ElectronDesktop } from '../../electron/main/electron-desktop'
import { listenToRenderer } from '../../electron/main/listen-to-renderer'
import { callFrom, makePage, showPage } from '../support/electron-ipc'

vi.mock('electron', async () => (await import('../support/electron-ipc')).electron)

const page = makePage()
let desktop: ElectronDesktop
let begin: () => void

beforeEach(() => {
  desktop = new ElectronDesktop()
  showPage(desktop, page)
  const session = {
    answer: (name: unknown) => Promise.resolve(ok(name)),
    noteDropped: () => undefined,
  }
  const answerer = new Promise<Answerer>((resolve) => {
    begin = () => {
      resolve(session)
    }
  })
  listenToRenderer(desktop, answerer)
})

describe('a call of the window', () => {
  it('that comes before the session waits for it', async () => {
    const answered = callFrom(page, 'settings.get')
    begin()
    expect(await answered).toEqual(ok('settings.get'))
  })

  it('shows that the page listens once it knows what its start named, until it is gone', async () => {
    const listening = desktop.whenListening()
    begin()
    await callFrom(page, 'language.state')
    expect(desktop.isListening).toBe(false)
    await callFrom(page, 'app.info')
    await listening
    expect(desktop.isListening).toBe(true)
    desktop.notePageGone()
    expect(desktop.isListening).toBe(false)
  })

  it('of another page is refused, and shows nothing', async () => {
    begin()
    const answered = await callFrom(makePage(), 'app.info')
    expect(answered).toMatchObject({ ok: false, error: { code: 'request.invalid' } })
    expect(desktop.isListening).toBe(false)
  })
})
