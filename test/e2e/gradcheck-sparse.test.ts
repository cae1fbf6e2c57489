import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { App } from '../support/app'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

const buildTime = 170_000
let cache: TestCache
let app: App

beforeAll(async () => {
  cache = makeTestCache()
  const folder = copyProject(path.join(root, 'test/cases/gradcheck/sparse_inputs'), cache)
  app = await App.start(cache, folder)
  // The key works before a case was chosen.
  await app.page.keyboard.press('F9')
})
afterAll(async () => {
  await app.close()
  cache.remove()
})

const attribute = (id: string): Promise<string | null> =>
  app.testId(id).getAttribute('data-verdict')

describe('sparse inputs in the gradcheck panel', () => {
  it('a sparse input is checked masked or unmasked, and its layout can be edited', async () => {
    const second = (): Promise<string | null> => attribute('gradcheck-entry-1')
    await expect.poll(second, { timeout: buildTime }).toBe('failed')
    await expect
      .poll(() => app.testId('gradcheck-entry-0').getAttribute('aria-pressed'))
      .toBe('true')
    await app.testId('gradcheck-entry-1').click()
    const verdict = async (wanted: string): Promise<void> => {
      await expect.poll(() => attribute('gradcheck-verdict')).toBe(wanted)
    }
    await verdict('failed')
    expect(await app.testId('gradcheck-cause').textContent()).toContain('gradcheck option "masked"')
    await app.testId('gradcheck-more').click()
    await app.testId('gradcheck-masked').check()
    await verdict('passed')

    const chip = app.testId('gradcheck-input-x')
    expect(await chip.textContent()).toContain('float64 [4, 5] sparse_coo grad')
    await chip.click()
    const density = app.page.getByLabel('Density', { exact: true })
    const layout = app.page.getByLabel('Layout', { exact: true })
    // Its figures are others with fewer elements: until then, the verdict is the one before.
    const words = (): Promise<string | null> => app.testId('gradcheck-verdict').textContent()
    const before = await words()
    await density.fill('0.1')
    await density.press('Enter')
    await expect.poll(words).not.toBe(before)
    await verdict('passed')
    // The operator takes nothing but sparse_coo.
    await layout.selectOption('strided')
    await verdict('failed')
    expect(await density.count()).toBe(0)
    await layout.selectOption('sparse_coo')
    await verdict('passed')
    await app.picture('gradcheck-sparse')
  })
})
