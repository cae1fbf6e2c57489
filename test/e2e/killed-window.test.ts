import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { App } from '../support/app'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'
import { makeOtherMachine } from '../support/other-machine'
import type { OtherMachine } from '../support/other-machine'

const buildTime = 170_000
const points = 3_000
/** All points, and a build next to them. */
const searchTime = 400_000

let cache: TestCache
let other: OtherMachine
/** There. */
let folder: string
let app: App
/** The last window was closed by its test. */
let isClosed = false

const isBuilt = async (): Promise<void> => {
  await app.built(buildTime)
}

const startWindow = async (): Promise<App> =>
  await App.startAsItIs(cache, undefined, { environment: { HOME: cache.home } })

beforeAll(async () => {
  cache = makeTestCache()
  other = await makeOtherMachine()
  folder = copyProject(path.join(root, 'samples/sigmoid'), other.cache)
  const trust = { trusted: [fs.realpathSync(folder)], restricted: [] }
  fs.writeFileSync(path.join(other.cache.places.dataFolder, 'trust.json'), JSON.stringify(trust))
  fs.writeFileSync(
    path.join(cache.places.configFolder, 'settings.json'),
    JSON.stringify({ targets: { gpu: other.target }, hotCompile: false, codeHelp: false }),
  )
  app = await startWindow()
})
afterAll(async () => {
  if (!isClosed) await app.close()
  cache.remove()
  other.cache.remove()
})

describe(
  'a window that is killed while a search runs on another machine',
  {
    timeout: 2 * searchTime,
  },
  () => {
    it('leaves the search there, and the next window shows its result', async () => {
      await app.page.getByRole('button', { name: 'Connect to …' }).first().click()
      await app.testId('connect-target').fill('gpu')
      await app.testId('connect-folder').fill(folder)
      await app.testId('connect-open').click()
      await isBuilt()
      await app.testId('tool-tab-gradcheck').click()
      await app.testId('gradcheck-entry-0').click()
      await app.testId('gradcheck-verdict').waitFor({ timeout: buildTime })
      await app.page.locator('#gradcheck-points').fill(String(points))
      await app.testId('gradcheck-search').click()
      await app.page.getByText(/^[1-9]\d* of 3000$/).waitFor({ timeout: buildTime })
      const engine = other.enginePid()
      expect(engine).toBeDefined()
      process.kill(app.electron.process().pid ?? 0, 'SIGKILL')
      await app.ended()

      app = await startWindow()
      await app.page.getByRole('button', { name: 'sigmoid', exact: true }).first().click()
      await app.testId('status-machine').filter({ hasText: 'gpu' }).waitFor()
      await app.testId('tool-tab-gradcheck').click()
      await app.testId('gradcheck-found').waitFor({ timeout: searchTime })
      expect(await app.testId('gradcheck-found').textContent()).toMatch(/\d+ of 3000 points fail/)
      expect(other.enginePid()).toBe(engine)
      await isBuilt()
    })

    it('the engine ends with the next window, which was closed', async () => {
      await app.close()
      isClosed = true
      await expect.poll(() => other.enginePid()).toBeUndefined()
      expect(fs.readdirSync(path.join(cache.places.dataFolder, 'sessions'))).toEqual([])
    })
  },
)
