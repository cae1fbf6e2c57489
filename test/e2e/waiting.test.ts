import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { findClangd } from '../../electron/engine/toolchain/find-clangd'
import { App } from '../support/app'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

const clangd = await findClangd('')
/** clangd reads libtorch's headers, and a timing waits for a quiet moment. */
const patience = 180_000
let cache: TestCache
let app: App
let folder: string

beforeAll(async () => {
  cache = makeTestCache()
  folder = copyProject(path.join(root, 'samples/sigmoid'), cache)
  app = await App.start(cache, folder, { hotCompile: false })
  await app
    .testId('status-build')
    .filter({ hasText: /built in/i })
    .waitFor({ timeout: patience })
})
afterAll(async () => {
  await app.close()
  cache.remove()
})

describe.skipIf(!clangd.ok)('a timing', () => {
  it('waits while clangd reads, and the panel shows that it waits', async () => {
    await app.openFile('op.cpp')
    const language = app.testId('status-language')
    const said = async (): Promise<string> =>
      `${await language.getAttribute('data-state')} ${await language.textContent()}`
    await expect.poll(said, { timeout: patience }).toMatch(/^ready (?!.*reading)/)
    await app.page.keyboard.press('Control+9')
    await app.testId('timings-entry-0').click()
    // It is not over before it is stopped, however long the picture takes.
    await app.testId('timings-seconds').fill('120')
    await app.testId('timings-seconds').press('Enter')
    const pid = Number(await language.getAttribute('data-pid'))
    // Asked for one more file, it answers nothing until it goes on.
    fs.writeFileSync(path.join(folder, 'constants.h'), '#pragma once\n')
    process.kill(pid, 'SIGSTOP')
    try {
      await app.openFile('constants.h')
      await expect.poll(said).toMatch(/^ready .*reading/)
      await app.testId('timings-run').click()
      await app.testId('timings-waiting').filter({ hasText: 'waits: clangd reads' }).waitFor()
      expect(await app.testId('timings-line').count()).toBe(0)
      await app.picture('timings-waiting')
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    // Other tests run meanwhile: then it waits for a quiet machine, or warms up.
    const waiting = app.testId('timings-waiting')
    await expect.poll(() => waiting.textContent(), { timeout: patience }).not.toContain('clangd')
    await app.testId('timings-stop').click()
    await app.testId('timings-run').waitFor()
  })
})
