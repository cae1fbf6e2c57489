import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { findClangd } from '../../electron/engine/toolchain/find-clangd'
import { App } from '../support/app'
import { makeTestCache } from '../support/installation'
import type { TestCache } from '../support/installation'

const clangd = await findClangd('')
/** A build, and a timing that waits for a quiet moment. */
const patience = 180_000
let cache: TestCache
let app: App
let folder: string

beforeAll(async () => {
  cache = makeTestCache()
  // Its source includes nothing: clangd has read it at once, and an operator of libtorch's own is what is timed.
  folder = path.join(cache.home, 'nothing')
  fs.mkdirSync(folder)
  fs.writeFileSync(path.join(folder, 'op.cpp'), 'int nothing() { return 0; }\n')
  const inputs = { x: { shape: [64] } }
  const benchmarks = [{ op: 'aten::sigmoid', args: ['x'] }]
  const manifest = { name: 'nothing', sources: ['op.cpp'], inputs, benchmarks }
  fs.writeFileSync(path.join(folder, 'opsmith.json'), JSON.stringify(manifest))
  app = await App.start(cache, folder, { hotCompile: false })
  await app.built(patience)
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
