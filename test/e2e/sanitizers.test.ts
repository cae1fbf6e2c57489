import fs from 'node:fs'
import path from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { App } from '../support/app'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

const buildTime = 170_000
let cache: TestCache
let app: App
let folder: string

beforeEach(async () => {
  cache = makeTestCache()
  folder = copyProject(path.join(root, 'test/cases/sanitize/stable_memory'), cache)
  const file = path.join(folder, 'opsmith.json')
  const manifest = JSON.parse(fs.readFileSync(file, 'utf8')) as object
  const op = 'stable_memory::read_past'
  const checks = [{ op, args: ['x'], checks: ['mutation'], shapes: 1 }]
  const calls = [{ op, args: ['x'] }]
  fs.writeFileSync(file, JSON.stringify({ ...manifest, calls, checks }, null, 2))
  app = await App.start(cache, folder)
})
afterEach(async () => {
  await app.close()
  cache.remove()
})

describe('operator checks with sanitizers', () => {
  it('a fault that a sanitizer finds shows at its line, in operator checks and in calls', async () => {
    await app.openFile('op.cpp')
    await app.testId('rail-operator-checks').click()
    await app.testId('operator-check-sanitize').check()
    await app.testId('operator-check-run').click()
    const finding = app.page.locator(
      '[data-testid=operator-check-finding][data-check=address_sanitizer][data-status=failed]',
    )
    await finding.first().waitFor({ timeout: buildTime })
    expect(await finding.first().textContent()).toContain('past the end of input x (24 bytes)')
    expect(await app.testId('finding-stacks').first().textContent()).toMatch(/read_past.*op\.cpp/)
    const line = (await app.text('op.cpp'))
      .split('\n')
      .findIndex((text) => text.includes('[i + 1]'))
    await expect
      .poll(() => app.markers('op.cpp'))
      .toContainEqual(
        expect.objectContaining({
          line: line + 1,
          message: expect.stringContaining('heap-buffer-overflow') as string,
        }),
      )
    await app.picture('sanitizers')

    // The same library, in calls of opsmith.json.
    await app.testId('tool-tab-build').click()
    // Whatever runs can be stopped: the toolbar keeps no list of its own.
    const stop = app.page.waitForFunction(
      () => !document.querySelector<HTMLButtonElement>('[data-testid=toolbar-stop]')?.disabled,
    )
    await app.testId('build-sanitize').click()
    await stop
    await expect
      .poll(() => app.testId('sanitize-state').textContent(), { timeout: buildTime })
      .toContain('1 error in 1 call')
    await app.picture('build-sanitized')
    await app.testId('sanitize-state').getByRole('button').click()
    await expect
      .poll(() => app.testId('problems-panel').textContent())
      .toContain('(in a call of stable_memory::read_past)')
  })
})
