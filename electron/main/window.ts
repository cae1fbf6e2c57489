import fs from 'node:fs'
import path from 'node:path'

import { BrowserWindow, nativeTheme, screen } from 'electron'
import type { Session } from 'electron'
import { z } from 'zod'

import { ioError } from '../engine/project/files'
import type { AppSession } from '../session/app-session'
import type { ElectronDesktop } from './electron-desktop'
import { RecentEnds } from './recent-ends'
import { appOrigin, secureWebPreferences, startUrlOf } from './security'
import { backgroundOf } from './start-page'
import type { Look } from './start-page'

const bounds = z.object({
  x: z.int(),
  y: z.int(),
  width: z.int().min(600),
  height: z.int().min(400),
})

function boundsFile(stateFolder: string): string {
  return path.join(stateFolder, 'window.json')
}

/** The place of last time, unless the screen it was on is gone. */
function rememberedBounds(
  stateFolder: string,
): z.infer<typeof bounds> | { width: number; height: number } {
  const area = screen.getPrimaryDisplay().workAreaSize
  const usual = { width: Math.min(1600, area.width), height: Math.min(1000, area.height) }
  try {
    const parsed = bounds.safeParse(JSON.parse(fs.readFileSync(boundsFile(stateFolder), 'utf8')))
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
function keepBounds(stateFolder: string, window: BrowserWindow): void {
  const file = boundsFile(stateFolder)
  try {
    fs.mkdirSync(stateFolder, { recursive: true })
    fs.writeFileSync(file, JSON.stringify(window.getNormalBounds()))
  } catch (error) {
    const { message } = ioError(error, `write ${file}`).error
    process.stderr.write(`opsmith: the position of the window could not be saved. ${message}\n`)
  }
}

/** What the window needs of a session. The first page is shown before there is one. */
type WindowSession = Pick<AppSession, 'startFolder' | 'touch' | 'flush' | 'noteUnexpected'>

/** What is shown, and by whom. */
export interface Shown {
  desktop: ElectronDesktop
  stateFolder: string
  /** What the first page opens; "" for no project. */
  startFolder: string
  look: Look
  session?: WindowSession
  /** The load that was begun last. */
  loading?: symbol
}

/** @throws if the page cannot be loaded. A load that a close or a newer load ends does not throw. */
async function load(shown: Shown, window: BrowserWindow): Promise<void> {
  const mine = Symbol('load')
  shown.loading = mine
  const folder = shown.session?.startFolder ?? shown.startFolder
  try {
    await window.loadURL(startUrlOf(folder !== ''))
  } catch (error) {
    // A crash ends the load before it is known as one, and begins another.
    await new Promise((resolve) => setImmediate(resolve))
    if (!shown.desktop.isClosing && !window.isDestroyed() && shown.loading === mine) throw error
  }
}

async function askToReload(
  shown: Shown,
  window: BrowserWindow,
  { times, reason }: { times: number; reason: string },
): Promise<void> {
  const { desktop } = shown
  const pressed = await desktop.ask({
    type: 'error',
    message: `The process of the window crashed ${times} times within a minute (${reason}).`,
    detail: 'Opsmith has saved your unsaved edits. Reload the window to continue.',
    buttons: ['Reload the window', 'Close Opsmith'],
    defaultId: 0,
    cancelId: 1,
  })
  if (desktop.isClosing) return
  if (pressed === 0) {
    await load(shown, window)
    return
  }
  // Nobody is there who could keep anything more.
  desktop.isClosing = true
  window.destroy()
}

/** Makes the workbench window. Closing it asks nothing, since what was typed is kept first. */
export function makeWindow(shown: Shown, preload: string): BrowserWindow {
  const { desktop, stateFolder } = shown
  const window = new BrowserWindow({
    ...rememberedBounds(stateFolder),
    minWidth: 800,
    minHeight: 500,
    show: false,
    title: 'Opsmith',
    backgroundColor: backgroundOf(shown.look, nativeTheme),
    webPreferences: secureWebPreferences(preload),
  })
  desktop.window = window
  window.on('focus', () => {
    shown.session?.touch()
  })
  window.on('close', (event) => {
    event.preventDefault()
    if (desktop.isClosing) return
    desktop.isClosing = true
    keepBounds(stateFolder, window)
    // Gone for the eye at once; the process stays for as long as keeping what was typed takes.
    window.hide()
    const { webContents } = window
    // A page without a session, or one that does not listen, has no typed text and would not answer.
    if (!shown.session || !desktop.isListening) {
      // Not in this event: Electron would end without closing the session.
      setImmediate(() => {
        window.destroy()
      })
      return
    }
    const gone = new Promise<void>((resolve) => {
      webContents.once('render-process-gone', () => {
        resolve()
      })
    })
    void shown.session.flush(gone).finally(() => {
      window.destroy()
    })
  })
  window.webContents.on('did-navigate', () => {
    desktop.notePageGone()
  })
  const ends = new RecentEnds()
  // A renderer that died is started again: drafts bring back what was typed.
  window.webContents.on('render-process-gone', (_event, details) => {
    desktop.notePageGone()
    if (details.reason === 'clean-exit' || desktop.isClosing) return
    const times = ends.note(Date.now())
    const { reason } = details
    const again = times > 0 ? askToReload(shown, window, { times, reason }) : load(shown, window)
    again.catch((error: unknown) => {
      if (shown.session) shown.session.noteUnexpected(error)
      else process.stderr.write(`opsmith: could not load the window again: ${String(error)}\n`)
    })
  })
  return window
}

/** The window's code, by the names that its bundler and Vite's server give it. */
const codeUrls = [`${appOrigin}/assets/main-*.js`, `${appOrigin}/shell/main.tsx*`]
/** Milliseconds after which the engine is read, even if the window shows nothing. */
const longestStart = 2_000
/** Milliseconds until a picture is on the screen: Chromium needs this thread for it. */
const twoFrames = 32

/** Resolves when the window's code was handed out. */
function codeIsRead({ webRequest }: Session): Promise<void> {
  return new Promise((resolve) => {
    webRequest.onCompleted({ urls: codeUrls }, () => {
      webRequest.onCompleted(null)
      resolve()
    })
  })
}

/**
 * Loads the first page, and shows it with its first picture. Resolves when the window has its code, which keeps its process
 * busy; when it is closed; or after two seconds.
 * @returns `isLoaded`, which rejects if the page cannot be loaded
 */
export async function showFirstPage(
  shown: Shown,
  window: BrowserWindow,
): Promise<{ isLoaded: Promise<void> }> {
  const isRead = codeIsRead(window.webContents.session)
  const isShown = new Promise<void>((resolve) => {
    // Another start shows it, too.
    window.once('show', () => {
      setTimeout(resolve, twoFrames)
    })
    window.once('ready-to-show', () => {
      if (!shown.desktop.isClosing) window.show()
    })
  })
  const isLoaded = load(shown, window)
  const isClosed = new Promise<void>((resolve) => {
    window.once('closed', () => {
      resolve()
    })
  })
  const waited = new Promise((resolve) => {
    setTimeout(resolve, longestStart)
  })
  // `isLoaded` alone is too early: the first script asks for the window's code after the load.
  await Promise.race([Promise.all([isRead, isShown, isLoaded]), isClosed, waited])
  // Some compositors do not paint hidden windows: ready-to-show never comes.
  if (!shown.desktop.isClosing && !window.isDestroyed() && !window.isVisible()) window.show()
  return { isLoaded }
}
