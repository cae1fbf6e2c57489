import fs from 'node:fs'
import path from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { App } from '../support/app'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

const buildTime = 170_000
let cache: TestCache
let app: App

beforeEach(() => {
  cache = makeTestCache()
})
afterEach(async () => {
  await app.close()
  cache.remove()
})

const hostState = (running: App): Promise<{ generation: number; pid: number; state: string }> =>
  running.page.evaluate(async () => {
    const bridge = (
      window as unknown as {
        opsmith: {
          call(
            name: string,
            input: object,
          ): Promise<{ value: { generation: number; pid: number; state: string } }>
        }
      }
    ).opsmith
    return (await bridge.call('host.state', {})).value
  })

async function buildAndRun(): Promise<void> {
  // The build that began with the project. Ended by the next one, it may still show that it was good.
  await app.built(buildTime)
  await app.testId('toolbar-build').click()
  await app.built(buildTime)
  await app.page.getByRole('tab', { name: /Run/ }).first().click()
  await app.testId('run-go').click()
}

/** The source of a crash case, with the name of the project that is open. */
const crashSource = (name: string): string =>
  fs
    .readFileSync(path.join(root, 'test/cases/crash', name, 'op.cpp'), 'utf8')
    .replaceAll(name, 'null_write')

describe('an operator that ends its process', () => {
  it('a segmentation fault is shown with its source line, junk on descriptors ends no more, and the next build works', async () => {
    const folder = copyProject(path.join(root, 'test/cases/crash/null_write'), cache)
    app = await App.start(cache, folder)
    await app.openFile('op.cpp')
    await buildAndRun()
    const card = app.testId('crash-card').first()
    await card.waitFor()
    expect((await card.textContent()) ?? '').toMatch(/segmentation fault/i)
    expect((await card.textContent()) ?? '').toContain('op.cpp')
    await app.picture('crash-segfault')

    // On the connection of Electron's own processes the same bytes end main.
    await app.setText('op.cpp', crashSource('junk_on_descriptors'))
    await app.save()
    const misused = app.testId('crash-card').filter({ hasText: 'File descriptors misused' })
    const runAgain = async (): Promise<number> => {
      await app.testId('run-go').click()
      return await misused.count()
    }
    await expect.poll(runAgain, { timeout: buildTime, interval: 1000 }).toBe(1)

    // The sources are safe and the next build works, in the same window.
    const source = fs.readFileSync(path.join(root, 'samples/my_op/op.cpp'), 'utf8')
    expect(await app.text('op.cpp')).toBe(crashSource('junk_on_descriptors'))
    await app.setText('op.cpp', source)
    await app.save()
    await app.built(buildTime)
    await app.page
      .getByRole('tab', { name: /Schemas/ })
      .first()
      .click()
    await app.testId('schema-row-null_write::forward').waitFor({ timeout: buildTime })
  })

  it('200 MB that are printed, opened or in opsmith.json are refused in a sentence, and the window never freezes', async () => {
    const folder = copyProject(path.join(root, 'test/cases/crash/null_write'), cache)
    app = await App.start(cache, folder)
    await app.openFile('op.cpp')
    const longestPause = await app.page.evaluateHandle(() => {
      const began = performance.now()
      const seen = { milliseconds: 0, began }
      let last = began
      setInterval(() => {
        seen.milliseconds = Math.max(seen.milliseconds, performance.now() - last)
        last = performance.now()
      }, 20)
      return seen
    })
    const printing = crashSource('print_100mb').replace('100 * 1024', '200 * 1024')
    await app.setText('op.cpp', printing)
    await app.save()
    await buildAndRun()
    const card = app.testId('crash-card').filter({ hasText: /printed/i })
    await expect
      .poll(
        async () => {
          await app.testId('run-go').click()
          return await card.count()
        },
        { timeout: buildTime, interval: 1000 },
      )
      .toBe(1)

    const size = 200 << 20
    fs.writeFileSync(path.join(folder, 'data.txt'), Buffer.alloc(size, 'x'))
    await app.openFile('data.txt')
    await app.page
      .getByText(/data\.txt is too large to open/)
      .first()
      .waitFor()
    fs.writeFileSync(path.join(folder, 'opsmith.json'), Buffer.alloc(size, ' '))
    const problem = app.page.getByText('opsmith.json is 200 MiB; the limit is 8 MiB.').first()
    // A run that was asked for above may crash after this, which shows the host's output in this place.
    await expect
      .poll(async () => {
        await app.testId('tool-tab-problems').click()
        return await problem.isVisible()
      })
      .toBe(true)
    const { milliseconds, whole } = await longestPause.evaluate((seen) => ({
      milliseconds: seen.milliseconds,
      whole: performance.now() - seen.began,
    }))
    // On a machine where all of this takes minutes, a pause is as much longer.
    expect(milliseconds).toBeLessThan(Math.max(3_000, whole / 8))
  })

  it('an op host that is killed from outside is replaced by a new one', async () => {
    app = await App.start(cache, copyProject(path.join(root, 'samples/my_op'), cache))
    await buildAndRun()
    await app.testId('run-comparison').first().waitFor()
    const before = await hostState(app)
    expect(before.pid).toBeGreaterThan(0)
    process.kill(before.pid, 'SIGKILL')
    await expect.poll(async () => (await hostState(app)).pid).not.toBe(before.pid)
    await app.testId('run-go').click()
    await expect
      .poll(async () => (await hostState(app)).generation)
      .toBeGreaterThan(before.generation)
    await app.page.waitForFunction(() =>
      /match|equal/i.test(
        document.querySelector('[data-testid="run-comparison"]')?.textContent ?? '',
      ),
    )
  })
})
