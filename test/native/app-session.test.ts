import { afterEach, beforeEach, expect, it } from 'vitest'

import { AppSession } from '../../electron/session/app-session'
import { makeTestCache, testInstallation } from '../support/installation'
import type { TestCache } from '../support/installation'
import { nobody } from '../support/nobody'

let cache: TestCache
let session: AppSession

beforeEach(() => {
  cache = makeTestCache()
  session = new AppSession(testInstallation(cache), nobody, '')
})
afterEach(async () => {
  await session.close()
  cache.remove()
})

/** Work of the machine that ends when it is asked to. */
const work = (): Promise<string> =>
  session.jobs.run(
    'gpu-1',
    (signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          resolve('ended')
        })
      }),
  )

it.each<[string, () => Promise<void>]>([
  ['the project closes', () => session.closeProject()],
  ['the window closes', () => session.close()],
])('a check of the GPU ends when %s', async (_when, close) => {
  const running = work()
  await close()
  expect(await running).toBe('ended')
})
