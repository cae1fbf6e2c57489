import fs from 'node:fs'
import path from 'node:path'

import { _electron } from 'playwright-core'
import type { ElectronApplication, Page } from 'playwright-core'

import { electronExecutable } from '../support/app'
import type { TestCache } from '../support/installation'

declare global {
  interface Window {
    /** Milliseconds from the key to the frame. */
    painted?: Promise<number>
  }
}

const mainScript =
  "const { app, BrowserWindow } = require('electron'); app.whenReady().then(() => new BrowserWindow().loadURL('data:text/html,<p>empty'))"

/** The folder of an app whose window shows one word. */
export function emptyApp(cache: TestCache): string {
  const folder = fs.mkdtempSync(path.join(cache.home, 'empty-'))
  fs.writeFileSync(path.join(folder, 'package.json'), '{"name":"empty","main":"main.js"}')
  fs.writeFileSync(path.join(folder, 'main.js'), mainScript)
  return folder
}

/** A window of the same Electron with nothing in it. */
async function openEmptyWindow(
  cache: TestCache,
): Promise<{ electron: ElectronApplication; page: Page }> {
  const executablePath = await electronExecutable()
  const args = ['--no-sandbox', emptyApp(cache)]
  const electron = await _electron.launch({ executablePath, args })
  const page = await electron.firstWindow()
  await page.waitForLoadState('load')
  return { electron, page }
}

/** Seconds from a key to the frame that shows one changed word: what no window of this Electron comes below. */
export async function emptyWindowSeconds(cache: TestCache, rounds: number): Promise<number[]> {
  const { electron, page } = await openEmptyWindow(cache)
  try {
    const seconds: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const word = `saved ${round}`
      // In place before the key is pressed.
      await page.evaluate((shown) => {
        window.painted = new Promise((resolve) => {
          const onKey = (event: KeyboardEvent): void => {
            document.body.textContent = shown
            requestAnimationFrame(() => {
              setTimeout(() => {
                resolve(performance.now() - event.timeStamp)
              }, 0)
            })
          }
          window.addEventListener('keydown', onKey, { once: true })
        })
      }, word)
      await page.keyboard.press('s')
      seconds.push((await page.evaluate(() => window.painted ?? Number.NaN)) / 1000)
    }
    return seconds
  } finally {
    await electron.close()
  }
}
