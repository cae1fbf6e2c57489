import fs from 'node:fs'
import path from 'node:path'

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { App } from '../support/app'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

const buildTime = 170_000
let cache: TestCache
let folder: string
let app: App

beforeAll(() => {
  cache = makeTestCache()
  folder = copyProject(path.join(root, 'samples/sigmoid'), cache)
})
afterAll(async () => {
  await app.close()
  cache.remove()
})

async function gradchecked(): Promise<void> {
  await app.testId('rail-gradcheck').first().click()
  await app.page
    .locator('[data-testid=gradcheck-verdict][data-verdict=passed]')
    .waitFor({ timeout: buildTime })
}

const textSize = (): Promise<string> =>
  app.page.evaluate(() => document.documentElement.style.fontSize)

describe('the cache folder', () => {
  it('can be removed: settings, drafts and histories are still there', async () => {
    app = await App.start(cache, folder, { hotCompile: false, codeHelp: false, fontSize: 15 })
    await gradchecked()
    await app.openFile('op.cpp')
    await app.replace('op.cpp', 'grad * output', `1.0 * grad * /* ${Date.now()} */ output`)
    const typed = await app.text('op.cpp')
    await app.close()
    cache.clear()

    // This message leaves by itself: on a busy machine before the window is ready.
    const restored = (page: Page): Promise<void> =>
      page
        .getByTestId('notification')
        .filter({ hasText: 'Unsaved changes were restored' })
        .waitFor()
    app = await App.start(cache, folder, {}, root, restored)
    expect(await textSize()).toBe('15px')
    // From its first picture on: the page comes with it.
    const page = await app.page.evaluate(async () => (await fetch(location.href)).text())
    expect(page).toMatch(/<html data-theme="(dark|light)" style="font-size: 15px"/)
    expect(await app.testId('first-picture').count()).toBe(0)
    expect(await app.text('op.cpp')).toBe(typed)
    // The build of before and this one.
    await app.openFile('op.cpp')
    await app.save()
    const history = app.page.locator('[data-testid=gradcheck-history][data-builds="2"]')
    await app.testId('rail-gradcheck').first().click()
    await history.waitFor({ state: 'attached', timeout: buildTime })
    await app.picture('cache-cleared')
  })
})

describe('what an earlier or a newer version wrote', () => {
  it('settings of the cache folder are taken over, and what cannot be read is named and kept', async () => {
    await app.close()
    const { configFolder, stateFolder, cacheFolder } = cache.places
    const settings = path.join(configFolder, 'settings.json')
    const text = fs.readFileSync(settings, 'utf8').replace('"fontSize": 15', '"fontSize": 17')
    fs.rmSync(settings)
    fs.writeFileSync(
      path.join(cacheFolder, 'settings.json'),
      text.replace('"theme": "system"', '"theme": "solarized"'),
    )
    fs.writeFileSync(path.join(stateFolder, 'layout.json'), '{"version":2}')
    // As above: these leave by themselves, too.
    const warned = async (page: Page): Promise<void> => {
      const warning = (words: string): Promise<void> =>
        page.getByTestId('notification').filter({ hasText: words }).waitFor()
      await warning(`Opsmith cannot read the setting theme in ${settings}`)
      await warning(`Opsmith cannot read ${path.join(stateFolder, 'layout.json')}`)
    }
    app = await App.startAsItIs(cache, folder, { onWindow: warned })
    expect(await textSize()).toBe('17px')
    await app.resize(1280, 720)
    await app.pictures('unread-files')
    await app.testId('rail-run').first().click()
    const kept = path.join(stateFolder, 'layout.json.unread')
    await expect.poll(() => fs.existsSync(kept)).toBe(true)
    expect(fs.readFileSync(kept, 'utf8')).toBe('{"version":2}')
    expect(JSON.parse(fs.readFileSync(settings, 'utf8'))).toMatchObject({ theme: 'solarized' })
  })
})
