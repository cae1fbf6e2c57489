import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { App } from '../support/app'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

const buildTime = 170_000
/** Workers start op hosts of their own, on a machine that does other things, too. */
const workTime = 180_000
let cache: TestCache
let app: App
const node = os.hostname()

// One window for all tests: runs of timings are in timings.test.ts.
beforeAll(async () => {
  cache = makeTestCache()
  const folder = copyProject(path.join(root, 'samples/sigmoid'), cache)
  app = await App.start(cache, folder)
  await app.built(buildTime)
  await app.resize(1280, 720)
})
afterAll(async () => {
  await app.close()
  cache.remove()
})

/**
 * Leaves the run of a panel, and waits elsewhere until it is done.
 * @param id the beginning of test ids
 * @param result the test id of what the run finds
 */
async function leaveAndReturn(id: string, result: string): Promise<void> {
  await app.testId(`${id}-run-stop`).click()
  await app.testId(`${id}-run-leave`).click()
  const phase = app.testId(`${id}-run-phase`)
  await phase.filter({ hasText: 'The run goes on' }).waitFor()
  await app.testId(`${id}-run-back`).click()
  await app.testId(`${id}-run-view`).waitFor({ state: 'detached' })
  await app.testId(`${id}-run-entry`).click()
  // What a run has found is read anew, also if it is done by now.
  await app.testId(result).first().waitFor({ timeout: workTime })
  await app.pictures(`${id}-run-works`)
  await phase.filter({ hasText: 'The run is done.' }).waitFor({ timeout: workTime })
  expect(await app.testId(`${id}-run-missing`).count()).toBe(0)
}

/** Jobs of runs whose workers have not ended. */
function openJobs(): string[] {
  const runs = path.join(cache.places.dataFolder, 'runs')
  const named = (...folder: string[]): string[] =>
    fs.readdirSync(path.join(runs, ...folder)).map((file) => path.parse(file).name)
  return fs.readdirSync(runs).flatMap((run) => {
    const ended = named(run, 'jobs')
    return named(run, 'logs').filter((job) => !ended.includes(job))
  })
}

async function remove(id: string): Promise<void> {
  // Workers end a moment after their last result; a run that has some is not removed.
  await expect.poll(openJobs, { timeout: workTime }).toEqual([])
  await app.testId(`${id}-run-remove`).click()
  await app.testId(`${id}-run-entry`).waitFor({ state: 'detached' })
  expect(fs.readdirSync(path.join(cache.places.dataFolder, 'runs'))).toEqual([])
}

describe('runs of other panels than Timings', () => {
  it('a search goes on without the window, and its worst point is checked here', async () => {
    await app.testId('tool-tab-gradcheck').click()
    // An eps that is too small for float32: the worst of many points fails.
    await app.testId('gradcheck-entry-1').click()
    await app.testId('gradcheck-verdict').waitFor({ timeout: workTime })
    await app.page.locator('#gradcheck-points').fill('2000')
    await app.testId('gradcheck-where').selectOption('local')
    await app.testId('gradcheck-search').scrollIntoViewIfNeeded()
    await app.pictures('gradcheck-where')
    await app.testId('gradcheck-search').click()
    // The first part of the search is there while others are left: nothing that takes long may come between.
    await app.testId('gradcheck-found').waitFor({ timeout: workTime })
    await leaveAndReturn('gradcheck', 'gradcheck-found')
    const found = app.testId('gradcheck-found')
    expect(await found.textContent()).toMatch(
      new RegExp(`\\d+ of 2000 points fail in .* of work, on node ${node}`),
    )
    await app.pictures('gradcheck-run')

    const seed = /seed x (\d+)/.exec((await found.textContent()) ?? '')?.[1] ?? 'none'
    await app.testId('gradcheck-take').click()
    await app.testId('gradcheck-run-view').waitFor({ state: 'detached' })
    await app.testId('gradcheck-main').getByText(`seed ${seed}`).first().waitFor()
    await expect
      .poll(() => app.testId('gradcheck-verdict').getAttribute('data-verdict'), {
        timeout: workTime,
      })
      .toBe('failed')
    await app.testId('gradcheck-run-entry').click()
    await remove('gradcheck')
    await app.testId('gradcheck-verdict').waitFor()
  })

  it('all gradchecks are done by two workers, at the place that searches have, and each verdict comes with its node', async () => {
    await app.testId('tool-tab-gradcheck').click()
    const entries = await app.page.getByTestId(/^gradcheck-entry-\d+$/).count()
    expect(entries).toBeGreaterThan(1)
    expect(await app.testId('gradcheck-all-where').inputValue()).toBe('local')
    await app.testId('gradcheck-all').click()
    const verdicts = app.testId('gradcheck-run-outcome')
    await expect.poll(() => verdicts.count(), { timeout: workTime }).toBe(entries)
    await app
      .testId('gradcheck-run-phase')
      .filter({ hasText: 'The run is done.' })
      .waitFor({ timeout: workTime })
    for (const text of await verdicts.allTextContents()) expect(text).toContain(node)
    await app.pictures('gradcheck-all-run')
    await remove('gradcheck')
  })

  it('all operators are checked by two workers, and each verdict comes with its node and findings', async () => {
    await app.testId('rail-operator-checks').click()
    await app.testId('operator-check-entry-0').waitFor({ timeout: workTime })
    const operators = await app.page.getByTestId(/^operator-check-entry-\d+$/).count()
    await app.testId('operator-check-where').selectOption('local')
    await app.pictures('operator-check-where')
    await app.testId('operator-check-run').click()
    const verdicts = app.testId('operator-check-run-outcome')
    // Two workers may bring theirs at once.
    await verdicts.first().waitFor({ timeout: workTime })
    await leaveAndReturn('operator-check', 'operator-check-run-outcome')
    expect(await verdicts.count()).toBe(operators)
    for (const text of await verdicts.allTextContents()) expect(text).toContain(node)
    await verdicts.first().click()
    expect(await app.testId('operator-check-one-verdict').getAttribute('data-verdict')).toBe(
      await verdicts.first().getAttribute('data-verdict'),
    )
    await app.pictures('operator-check-run')
    await remove('operator-check')
  })
})
