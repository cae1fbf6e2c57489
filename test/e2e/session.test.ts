import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { App } from '../support/app'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

let cache: TestCache
let folder: string
let app: App

beforeAll(async () => {
  cache = makeTestCache()
  folder = copyProject(path.join(root, 'test/cases/crash/endless_loop'), cache)
  const manifest = path.join(folder, 'opsmith.json')
  const text = fs.readFileSync(manifest, 'utf8')
  fs.writeFileSync(manifest, text.replace(/"timeout": 2\b/, '"timeout": 600'))
  const source = path.join(folder, 'op.cpp')
  const code = fs.readFileSync(source, 'utf8')
  // The call says that it has begun.
  const says = '  std::puts("begun");\n  std::fflush(stdout);\n'
  fs.writeFileSync(
    source,
    code
      .replace('#include <atomic>\n', '#include <atomic>\n#include <cstdio>\n')
      .replace('  std::atomic', `${says}  std::atomic`),
  )
  fs.writeFileSync(
    path.join(folder, 'long.h'),
    Array.from({ length: 600 }, (_, index) => `//${index + 1}`).join('\n'),
  )
  // A shell without start-up files: those of a user may take a minute.
  vi.stubEnv('SHELL', '/bin/sh')
  app = await App.start(cache, folder)
  await app.resize(1280, 720)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await app.close()
  cache.remove()
})

async function terminalText(): Promise<string> {
  const name = await app.testId('terminal-view').getAttribute('data-terminal')
  return await app.page.evaluate((of) => window.opsmithTest?.terminal.text(of) ?? '', name ?? '')
}

/** Waits until the keyboard is in the terminal, which takes it a moment after its key. */
async function terminalFocused(): Promise<void> {
  await app.testId('terminal-view').locator('textarea:focus').waitFor({ state: 'attached' })
}

/** Whether a process has this word in its command line. */
function isRunning(word: string): boolean {
  return fs.readdirSync('/proc').some((pid) => {
    try {
      return fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(word)
    } catch {
      return false
    }
  })
}

/** The first line that the editor of long.h shows. */
async function firstLine(): Promise<number> {
  const lines = await app
    .testId('editor-long.h')
    .getByText(/^\/\/\d+$/)
    .allInnerTexts()
  return Math.min(...lines.map((line) => Number(line.slice(2))))
}

describe('the terminal', () => {
  it('is a shell in the folder of the project, with opsmith on its PATH', async () => {
    await app.page.keyboard.press('Control+Backquote')
    await terminalFocused()
    await app.page.keyboard.type('pwd; opsmith --help | head -n 3; echo ./op.cpp:3:1\n')
    await expect.poll(terminalText).toContain(folder)
    await expect.poll(terminalText).toMatch(/^Usage: opsmith/m)
    await app.picture('terminal-dark')
  })

  it('a place in its output opens the editor there', async () => {
    // With the prompt after it: the prompt may scroll the place.
    await expect.poll(terminalText).toMatch(/^\.\/op\.cpp:3:1\n\S/m)
    const row = app.testId('terminal-view').getByText('./op.cpp:3:1', { exact: true })
    // What draws the terminal lies below what takes the mouse. A place is looked for once the mouse is over it.
    const cursorAt = ([left, top]: readonly [number, number]): string => {
      const element = document.elementFromPoint(left, top)
      return element ? getComputedStyle(element).cursor : ''
    }
    let x = 0
    let y = 0
    const pointAtIt = async (): Promise<string> => {
      const place = await row.boundingBox()
      if (!place) throw new Error('the place is not shown')
      x = place.x + 20
      y = place.y + 5
      await app.page.mouse.move(x - 10, y)
      await app.page.mouse.move(x, y)
      return await app.page.evaluate(cursorAt, [x, y] as const)
    }
    await expect.poll(pointAtIt).toBe('pointer')
    await app.page.mouse.click(x, y)
    await app.testId('status-cursor').filter({ hasText: /^3:1$/ }).waitFor()
  })

  it('what it prints without end neither blocks the window nor grows in it; closing ends it', async () => {
    await app.page.keyboard.press('Control+Backquote')
    await terminalFocused()
    await app.page.keyboard.type('sleep 98765 & yes wait\n')
    await expect.poll(terminalText).toMatch(/wait\nwait\nwait/)
    await expect.poll(() => isRunning('98765')).toBe(true)
    await app.page.keyboard.press('Control+P')
    await app.page.keyboard.press('Control+Shift+P')
    await app.page.keyboard.type('Terminal: end')
    await app.page.keyboard.press('Enter')
    await expect.poll(() => isRunning('98765')).toBe(false)
    await expect.poll(() => isRunning('yes\0wait')).toBe(false)
  })
})

describe('a call that is stopped', () => {
  it('says after how long and where it was, and its line is marked', async () => {
    await app.built()
    await app.testId('rail-run').click()
    await app.testId('run-go').click()
    await app.testId('run-stop').waitFor()
    // Who stops a call within a second is not told where it was. On a busy machine it begins late.
    await app.testId('rail-host-output').click()
    await app.testId('host-output-panel').getByText('begun').waitFor()
    await app.page.waitForTimeout(1_500)
    await expect.poll(() => app.testId('run-panel').innerText()).toMatch(/(?<!\d)([2-9]|[1-9]\d) s/)
    await app.testId('run-stop').click()
    const message = app.testId('notification').filter({ hasText: /Stopped/ })
    await message.waitFor()
    expect(await message.innerText()).toMatch(/after \d+\.\d s; the call was at op\.cpp:\d+/)
    const panel = await app.testId('run-stopped').innerText()
    expect(panel).toMatch(/after \d+\.\d s; the call was at op\.cpp:\d+/)
    const marks = await app.page.evaluate(() => window.opsmithTest?.tests.marks('op.cpp'))
    expect(marks).toContainEqual({ line: expect.any(Number) as number, kind: 'hung' })
    await app.picture('stopped-call')
  })
})

describe('two editors', () => {
  it('of one file share its text, each with a caret of its own', async () => {
    await app.caretAt('op.cpp', 4)
    await app.page.keyboard.press('Control+Backslash')
    await expect.poll(() => app.testId('editor-op.cpp').count()).toBe(2)
    const [left, right] = await app.testId('editor-op.cpp').all()
    const places = await Promise.all([left?.boundingBox(), right?.boundingBox()])
    expect(places[1]?.x).toBeGreaterThan((places[0]?.x ?? 0) + (places[0]?.width ?? 0) - 5)
    await right?.locator(':focus').waitFor({ state: 'attached' })
    await app.page.keyboard.press('Control+Home')
    await app.page.keyboard.type('// both')
    await expect.poll(() => left?.innerText()).toContain('both')
    // A place opens in the editor in use.
    await app.openFile('op.cpp', 9)
    await app.testId('status-cursor').filter({ hasText: /^9:1$/ }).waitFor()
    await right?.locator(':focus').waitFor({ state: 'attached' })
    await app.picture('split-editors')
    await app.page.keyboard.press('Control+F4')
    await expect.poll(() => app.testId('editor-op.cpp').count()).toBe(1)
    expect(await app.text('op.cpp')).toMatch(/^\/\/ both/)
  })
})

describe('a window that is opened again', () => {
  it('has the caret, the scroll position and the fields of the session before', async () => {
    await app.caretAt('long.h', 400)
    await expect.poll(firstLine).toBeGreaterThan(300)
    const atCaret = await firstLine()
    await app.page.keyboard.press('Control+ArrowUp')
    await expect.poll(firstLine).toBe(atCaret - 1)
    const shown = await firstLine()
    await app.caretAt('op.cpp', 4, 2)
    await app.testId('run-reference').fill('3 * x')
    await app.testId('status-cursor').waitFor()
    await app.close()
    app = await App.start(cache, folder)
    await app.openFile('op.cpp')
    await app.testId('status-cursor').filter({ hasText: /^4:2$/ }).waitFor()
    await app.openFile('long.h')
    await expect.poll(firstLine).toBe(shown)
    await app.testId('rail-run').click()
    expect(await app.testId('run-reference').inputValue()).toBe('3 * x')
  })
})
