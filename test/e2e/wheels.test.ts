import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, expect, it } from 'vitest'

import { exportFolderOf } from '../../electron/contract/settings'
import { App } from '../support/app'
import { makeTestCache } from '../support/installation'
import type { TestCache } from '../support/installation'
import { python } from '../support/python'
import { makeSmallProject } from '../support/small-project'

/** Workers start op hosts of their own, on a machine that does other things, too. */
const workTime = 180_000
let cache: TestCache
let app: App
let folder: string

beforeAll(async () => {
  cache = makeTestCache()
  folder = makeSmallProject(cache)
  app = await App.start(cache, folder)
  await app.built(170_000)
  await app.resize(1280, 720)
})
afterAll(async () => {
  await app.close()
  cache.remove()
})

it('a wheel is built by a worker for the Python that is named, and kept in the export', async () => {
  await app.testId('rail-export').click()
  await app.testId('export-about-library').waitFor({ timeout: workTime })
  for (const form of ['library', 'setuptools'])
    await app.testId(`export-choose-${form}`).setChecked(form === 'setuptools')
  await app.testId('export-pythons').fill(python)
  await app.testId('export-pythons').press('Enter')
  await app.testId('export-wheels-where').selectOption('local')
  await app.pictures('export-wheels-where')
  await app.testId('export-run').click()
  const wheel = app.testId('export-wheel')
  // A compiler without precompiled headers, then Python that imports torch for each of the tests' files.
  await wheel.waitFor({ timeout: 600_000 })
  expect(await wheel.textContent()).toContain(os.hostname())
  expect(await wheel.getAttribute('data-state')).toBe('done')
  const product = wheel.getByTestId('export-product')
  expect(await product.textContent()).toMatch(/dist\/torch-\d+\.\d+\.\d+.*\.whl/)
  await app.pictures('export-wheels-run')
  await app
    .testId('export-wheels-run-phase')
    .filter({ hasText: 'The run is done.' })
    .waitFor({ timeout: workTime })
  const place = (await product.locator('span').first().textContent()) ?? ''
  expect(
    fs.existsSync(path.join(exportFolderOf({ exportFolders: {} }, folder), 'setuptools', place)),
  ).toBe(true)
  await app.testId('export-wheels-run-remove').click()
  await app.testId('export-wheels-run-entry').waitFor({ state: 'detached' })
  expect(fs.readdirSync(path.join(cache.places.dataFolder, 'runs'))).toEqual([])
}, 1_200_000)
