import fs from 'node:fs'
import path from 'node:path'

import { BrowserWindow, nativeTheme, screen } from 'electron'
import { z } from 'zod'

import type { AppSession } from './app-session'
import { secureWebPreferences, startUrl } from './security'

const bounds = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int().min(600),
  height: z.number().int().min(400),
})

function boundsFile(session: AppSession): string {
  return path.join(session.installation.cacheFolder, 'window.json')
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

/** The workbench window; closing it asks nothing, since what was typed is kept first. */
export async function openWindow(session: AppSession, preload: string): Promise<BrowserWindow> {
  const window = new BrowserWindow({
    ...rememberedBounds(session),
    minWidth: 800,
    minHeight: 500,
    show: false,
    title: 'Opsmith',
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#1b1d21' : '#ffffff',
    webPreferences: secureWebPreferences(preload),
  })
  session.window = window
  window.once('ready-to-show', () => {
    window.show()
  })
  window.on('focus', () => {
    session.touch()
  })
  let kept = false
  window.on('close', (event) => {
    if (kept) return
    event.preventDefault()
    fs.mkdirSync(session.installation.cacheFolder, { recursive: true })
    fs.writeFileSync(boundsFile(session), JSON.stringify(window.getNormalBounds()))
    // Gone for the eye at once; the process stays for as long as keeping what was typed takes.
    window.hide()
    void session.flush().then(() => {
      kept = true
      window.destroy()
    })
  })
  // A renderer that died is started anew: drafts bring back what was typed.
  window.webContents.on('render-process-gone', (_event, details) => {
    if (details.reason !== 'clean-exit') void window.loadURL(startUrl)
  })
  await window.loadURL(startUrl)
  return window
}
