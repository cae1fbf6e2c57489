import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { App } from '../support/app'
import { ConnectionWatch } from '../support/connections'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

let cache: TestCache
let app: App
let connections: ConnectionWatch
/** What the window asked for since it opened that is not part of the app. */
const fromOutside: string[] = []

beforeAll(async () => {
  cache = makeTestCache()
  connections = new ConnectionWatch(cache.home)
  const folder = copyProject(path.join(root, 'samples/my_op'), cache)
  const settings = { hotCompile: false, codeHelp: false, buildOnSave: false }
  app = await App.start(cache, folder, settings, root, (page) => {
    page.on('request', (request) => {
      if (!/^(app|data|blob|devtools):/.test(request.url())) fromOutside.push(request.url())
    })
    return Promise.resolve()
  })
  await app.resize(1280, 720)
  await app.testId('tool-tab-schemas').waitFor()
})
afterAll(async () => {
  await app.close()
  cache.remove()
})

const shownPage = async (): Promise<string | null> =>
  await app.testId('help-guide').getAttribute('data-page')

describe('help', () => {
  it('the ? of each panel opens its page', async () => {
    for (const id of ['schemas', 'run', 'gradcheck', 'timings', 'export']) {
      await app.testId(`rail-${id}`).click()
      await app.testId(`help-button-${id}`).first().click()
      await expect.poll(shownPage, { message: id }).toBe(`how-to/${id}`)
      const guide = app.testId('help-guide')
      expect(await guide.locator('h2').first().isVisible(), id).toBe(true)
      // Lines are not cut: only code and tables may be wider than the page, and scroll.
      const width = await guide.evaluate((page) => page.scrollWidth - page.clientWidth)
      expect(width, id).toBeLessThanOrEqual(0)
    }
  })

  it('a key opens the page of the panel that is active', async () => {
    const keys = { profile: 'Shift+F1', assembly: '?' }
    for (const [id, key] of Object.entries(keys)) {
      await app.testId(`rail-${id}`).click()
      await app.testId(`tool-${id}`).waitFor()
      await app.page.keyboard.press(key)
      await expect.poll(shownPage, { message: id }).toBe(`how-to/${id}`)
    }
  })

  it('a link leads to a heading of another page, which is in view, and Back returns', async () => {
    await app.testId('help-page-how-to/schemas').click()
    await app.testId('help-guide').getByRole('button', { name: 'registration' }).click()
    await expect.poll(shownPage).toBe('reference/operator-checks')
    const heading = app.page.locator('[data-anchor="registration"]')
    await expect.poll(() => heading.evaluate((one) => one === document.activeElement)).toBe(true)
    // Positions are rounded to parts of a pixel.
    const isInView = async (): Promise<boolean> => {
      const page = await app.testId('help-guide').boundingBox()
      const place = await heading.boundingBox()
      return (
        page !== null && place !== null && place.y >= page.y - 1 && place.y < page.y + page.height
      )
    }
    await expect.poll(isInView).toBe(true)
    await app.testId('help-back').click()
    await expect.poll(shownPage).toBe('how-to/schemas')
  })

  it('needs no network', () => {
    expect(fromOutside).toEqual([])
  })

  it('no process of the session has connected to another machine', () => {
    expect(connections.count).toBeGreaterThan(3)
    expect(connections.end()).toEqual([])
  })
})
