import path from 'node:path'

import { afterAll, beforeAll, expect, it } from 'vitest'

import { App } from '../support/app'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

/** A device that every machine has: test/cases/timing/device. */
let cache: TestCache
let app: App

beforeAll(async () => {
  cache = makeTestCache()
  app = await App.start(cache, copyProject(path.join(root, 'test/cases/timing/device'), cache))
})
afterAll(async () => {
  await app.close()
  cache.remove()
})

it('timings on a device show warm and cold times, launch and graph, and why no kernels are listed', async () => {
  await app.built(170_000)
  await app.page.keyboard.press('Control+9')
  await app.testId('timings-entry-0').click()
  // The measurement may be over before a look from here: the window looks itself, from before the press on.
  const begun = app.page.waitForFunction(
    () => document.querySelector('[data-testid=timings-stop]') !== null,
  )
  await Promise.all([begun, app.testId('timings-run').click()])
  await app.testId('timings-run').waitFor({ timeout: 170_000 })
  expect(await app.testId('timings-cell').count()).toBe(2)
  expect(await app.testId('timings-device').textContent()).toMatch(
    /launch time on the host[\d.]+ [µm]s.*in a CUDA graph[\d.]+ [µm]s/,
  )
  await app.testId('timings-list-kernels').click()
  const none = app.testId('timings-no-kernels')
  await none.waitFor()
  expect(await none.textContent()).toMatch(/profiler recorded nothing on privateuseone/)
  await app.testId('timings-enlarge').click()
  await none.scrollIntoViewIfNeeded()
  await app.picture('timings-device')
})
