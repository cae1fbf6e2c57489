import fs from 'node:fs'
import path from 'node:path'

import { BrowserWindow, nativeTheme, screen } from 'electron'
import { z } from 'zod'

import { ioError } from '../engine/project/files'
import type { AppSession } from '../session/app-session'
import type { ElectronDesktop } from './electron-desktop'
import { RecentEnds } from './recent-ends'
import { secureWebPreferences, startUrlOf } from './security'

const bounds = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int().min(600),
  height: z.number().int().min(400),
})

function boundsFile(session: AppSession): string {
  return path.join(session.installation.stateFolder, 'window.json')
}

/** The place of last time, unless the screen it was on is gone. */
function rememberedBounds(
  session: AppSession,
): z.infer<typeof bounds> | { width: number; height: number } {
  const area = screen.getPrimaryDisplay().workAreaSize
  const usual = { width: Math.min(1600, area.width), height: Math.min(1000, area.height) }
  try {
    const parsed = bounds.safeParse(JSON.parse(fs.readFileSync(boundsFile(session), 'utf8')))
    if (!parsed.success) return usual
    const display = screen.getDisplayMatching(parsed.data).workArea
    const visible =
      parsed.data.x < display.x + display.width - 100 &&
      parsed.data.y < display.y + display.height - 100
    return visible ? parsed.data : usual
  } catch {
    return usual
  }
}

/** A place that cannot be kept costs the place: the window closes all the same. */
function keepBounds(session: AppSession, window: BrowserWindow): void {
  try {
    fs.mkdirSync(session.installation.stateFolder, { recursive: true })
    fs.writeFileSync(boundsFile(session), JSON.stringify(window.getNormalBounds()))
  } catch (error) {
    const { message } = ioError(error, `write ${boundsFile(session)}`).error
    process.stderr.write(`opsmith: the position of the window could not be saved. ${message}\n`)
  }
}

async function load({ startFolder }: AppSession, window: BrowserWindow): Promise<void> {
  await window.loadURL(startUrlOf(startFolder !== ''))
}

/** What the window shows, and what shows it. */
interface Shown {
  session: AppSession
  desktop: ElectronDesktop
}

async function askToReload(
  { session, desktop }: Shown,
  window: BrowserWindow,
  { times, reason }: { times: number; reason: string },
): Promise<void> {
  const pressed = await desktop.ask({
    type: 'error',
    message: `The process of the window crashed ${times} times within a minute (${reason}).`,
    detail: 'Opsmith has saved your unsaved edits. Reload the window to continue.',
    buttons: ['Reload the window', 'Close Opsmith'],
    defaultId: 0,
    cancelId: 1,
  })
  if (pressed === 0) {
    await load(session, window)
    return
  }
  // Nobody is there who could keep anything more.
  desktop.isClosing = true
  window.destroy()
}

/** The workbench window; closing it asks nothing, since what was typed is kept first. */
export async function openWindow(shown: Shown, preload: string): Promise<BrowserWindow> {
  const { session, desktop } = shown
  const window = new BrowserWindow({
    ...rememberedBounds(session),
    minWidth: 800,
    minHeight: 500,
    show: false,
    title: 'Opsmith',
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#1b1d21' : '#ffffff',
    webPreferences: secureWebPreferences(preload),
  })
  desktop.window = window
  window.once('ready-to-show', () => {
    window.show()
  })
  window.on('focus', () => {
    session.touch()
  })
  window.on('close', (event) => {
    event.preventDefault()
    if (desktop.isClosing) return
    desktop.isClosing = true
    keepBounds(session, window)
    // Gone for the eye at once; the process stays for as long as keeping what was typed takes.
    window.hide()
    const { webContents } = window
    // Nothing was typed yet into what is still being loaded, and nobody there would answer.
    if (webContents.isLoadingMainFrame()) {
      window.destroy()
      return
    }
    const gone = new Promise<void>((resolve) => {
      webContents.once('render-process-gone', () => {
        resolve()
      })
    })
    void session.flush(gone).finally(() => {
      window.destroy()
    })
  })
  const ends = new RecentEnds()
  // A renderer that died is started again: drafts bring back what was typed.
  window.webContents.on('render-process-gone', (_event, details) => {
    if (details.reason === 'clean-exit' || desktop.isClosing) return
    const times = ends.note(Date.now())
    const { reason } = details
    void (times > 0 ? askToReload(shown, window, { times, reason }) : load(session, window))
  })
  await load(session, window)
  return window
}
