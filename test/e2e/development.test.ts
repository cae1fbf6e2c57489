import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { readSetupEnvironment } from '../../electron/engine/installation'
import { copyClone } from '../support/clone'
import { makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

/** Milliseconds: in development, the window loads each module of the renderer separately. */
const patience = 240_000
let cache: TestCache
let clone: string
let dev: ChildProcess
let printed = ''
let browser: Browser
let page: Page
/** What the window's console calls an error: a policy that is too strict is one. */
const errors: string[] = []

/** Resolves with what the pattern finds in the output of `npm run dev`, from `start` on. */
async function output(pattern: RegExp, start = 0): Promise<RegExpExecArray> {
  const find = (): RegExpExecArray => {
    const found = pattern.exec(printed.slice(start))
    if (!found) throw new Error(`npm run dev did not print ${String(pattern)}, but:\n${printed}`)
    return found
  }
  return await vi.waitFor(find, { timeout: patience })
}

/**
 * The window of the app that prints its debugging address after `start`. It is loading when Playwright connects, and
 * Playwright may miss the end of that: a new connection then sees the loaded window.
 */
async function connect(start: number): Promise<void> {
  const [, endpoint = ''] = await output(/DevTools listening on (ws:\S+)/, start)
  const attempts = 4
  for (let attempt = 1; attempt <= attempts; attempt++) {
    browser = await chromium.connectOverCDP(endpoint, { noDefaults: true })
    page = await vi.waitFor(
      () => {
        const [found] = browser.contexts().flatMap((context) => context.pages())
        if (!found) throw new Error('the app has no window')
        return found
      },
      { timeout: patience },
    )
    page.setDefaultTimeout(patience)
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text())
    })
    page.on('pageerror', (error) => errors.push(String(error)))
    try {
      await page.getByTestId('statusbar').waitFor({ timeout: patience / attempts })
      return
    } catch (error) {
      if (attempt === attempts)
        throw new Error(
          `The window at ${page.url()} shows no status bar. Errors of its console:\n${errors.join('\n')}`,
          { cause: error },
        )
      await browser.close()
    }
  }
}

function edit(file: string, from: string, to: string): void {
  const target = path.join(clone, file)
  const before = fs.readFileSync(target, 'utf8')
  expect(before).toContain(from)
  fs.writeFileSync(target, before.replace(from, to))
}

/** The command lines of all processes that have the clone's cache folder in their environment. */
function processes(): string[] {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        if (!fs.readFileSync(`/proc/${pid}/environ`, 'utf8').includes(cache.home)) return []
        return [fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')]
      } catch {
        return []
      }
    })
}

beforeAll(async () => {
  cache = makeTestCache()
  clone = path.join(cache.home, 'clone')
  fs.mkdirSync(clone)
  copyClone(clone)
  dev = spawn(process.execPath, ['scripts/dev.mjs', '--remote-debugging-port=0'], {
    cwd: clone,
    env: {
      ...process.env,
      ...cache.environment,
      OPSMITH_NO_SANDBOX: '1',
      LIBTORCH: readSetupEnvironment(root).libtorch ?? '',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [dev.stdout, dev.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      if (process.env['OPSMITH_TEST_LOG']) process.stderr.write(text)
    })
  await connect(0)
})
afterAll(async () => {
  if (dev.exitCode === null) {
    const gone = new Promise((resolve) => dev.once('exit', resolve))
    dev.kill('SIGTERM')
    await gone
  }
  cache.remove()
})

describe('npm run dev', () => {
  it('an edit of the renderer shows in the open window without a restart', async () => {
    await page.evaluate(() => {
      document.body.dataset['mark'] = 'the window of before the edit'
    })
    edit('renderer/shell/StatusBar.tsx', 'aria-label="Status"', 'aria-label="Edited status"')
    await page.getByLabel('Edited status').waitFor()
    expect(await page.evaluate(() => document.body.dataset['mark'])).toBe(
      'the window of before the edit',
    )
    expect(errors).toEqual([])
  })

  it('an edit of main restarts the app', async () => {
    const before = printed.length
    edit(
      'electron/main/index.ts',
      'registerScheme()\n',
      "process.stdout.write('main was edited\\n')\nregisterScheme()\n",
    )
    await output(/development rebuilt: restarting[^]*main was edited/, before)
    await connect(before)
    await page.getByLabel('Edited status').waitFor()
  })

  it('Ctrl+C leaves no process behind', async () => {
    expect(processes()).not.toHaveLength(0)
    const code = new Promise((resolve) => dev.once('exit', resolve))
    dev.kill('SIGINT')
    expect(await code).toBe(0)
    // Chromium's helper processes end some milliseconds after the process that started them.
    await expect.poll(processes).toEqual([])
  })
})
