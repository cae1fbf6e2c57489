import fs from 'node:fs'
import path from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { App } from '../support/app'
import { decorations } from '../support/editor-parts'
import { copyUnoptimized, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

const buildTime = 170_000
let cache: TestCache
let app: App
let folder: string

/** The line of the sources with this text, 1-based. */
function lineWith(text: string): number {
  const lines = fs.readFileSync(path.join(folder, 'op.cu'), 'utf8').split('\n')
  return lines.findIndex((line) => line.includes(text)) + 1
}

beforeEach(async () => {
  cache = makeTestCache()
  folder = copyUnoptimized(path.join(root, 'test/cases/virtual_gpu_project'), cache)
  const file = path.join(folder, 'opsmith.json')
  const manifest = JSON.parse(fs.readFileSync(file, 'utf8')) as object
  const calls = [
    { op: 'gpu_project::scale', args: ['x', 2.5], reference: 'x * 2.5' },
    { op: 'gpu_project::mirror', args: ['row', false] },
    { op: 'gpu_project::past_end', args: ['row'] },
  ]
  fs.writeFileSync(file, JSON.stringify({ ...manifest, calls, gradchecks: [] }))
  app = await App.start(cache, folder)
})
afterEach(async () => {
  await app.close()
  cache.remove()
})

describe('checked kernels', () => {
  it('mistakes of kernels are listed with their lines, until the checks are turned off', async () => {
    await app.resize(1280, 720)
    await app.testId('rail-kernels').click()
    const panel = app.testId('kernels-panel')
    await panel.getByText('With checks or counts, calls take longer.').waitFor()
    await app.testId('kernels-check').check()
    await panel.getByText('No kernel ran, so nothing was checked.').waitFor({ timeout: buildTime })
    await app.testId('kernels-run-all').first().click()
    await app.testId('rail-kernels').click()

    const finding = (check: string): ReturnType<App['testId']> =>
      app.page.locator(`[data-testid=kernels-finding][data-check=${check}]`)
    const past = finding('out-of-bounds')
    await past.waitFor({ timeout: buildTime })
    expect(await app.testId('kernels-verdict').textContent()).toMatch(
      /^\d+ launches and [\d,]+ accesses checked: \d+ findings$/,
    )
    expect(await past.textContent()).toContain('past_end_kernel, block (0, 0, 0), thread (0, 0, 0)')
    expect(await finding('shared-race').first().textContent()).toContain('__syncthreads()')
    await app.pictures('kernels')

    const line = lineWith('x[count] = 1;')
    await past.getByRole('button', { name: `op.cu:${line}` }).click()
    await app.focused('op.cu')
    await app
      .testId('status-cursor')
      .filter({ hasText: `${line}:` })
      .waitFor()
    await expect
      .poll(() => app.markers('op.cu'))
      .toContainEqual(
        expect.objectContaining({
          line,
          severity: 'error',
          message: expect.stringContaining('at byte 256 of an allocation of 256 bytes') as string,
        }),
      )
    await app.testId('tool-tab-problems').click()
    await app.testId('problems-panel').getByText('kernel checks').first().waitFor()
    await app.picture('kernels-problems')

    // What users would run is timed: the panel offers the way back.
    await app.testId('rail-timings').click()
    await app.testId('timings-measure-all').click()
    await app.page.getByText('Timings, profiles and exports need a build without checks').waitFor()
    await app.picture('kernels-timings')
    await app.page.getByRole('button', { name: 'Turn off kernel checks' }).click()
    await app.testId('rail-kernels').click()
    await panel.getByText('With checks or counts, calls take longer.').waitFor()
    const isFound = ({ message }: { message: string }): boolean => message.includes('at byte 256')
    await expect
      .poll(async () => (await app.markers('op.cu')).filter(isFound), { timeout: buildTime })
      .toEqual([])
  })

  it('lines of kernels show what they cost, in the panel and in the editor', async () => {
    await app.resize(1280, 720)
    await app.page.evaluate((path) => window.opsmithTest?.openFile(path), 'op.cu')
    await app.testId('rail-kernels').click()
    const panel = app.testId('kernels-panel')
    await app.testId('kernels-count').check()
    await panel.getByText('No kernel ran, so there are no counts.').waitFor({ timeout: buildTime })
    await app.testId('rail-run').click()
    await app.testId('run-go').click()
    await app.testId('run-output-0').waitFor({ timeout: buildTime })
    await app.testId('rail-kernels').click()

    const line = lineWith('static_cast<scalar_t>(x[i] * factor)')
    const row = app.testId('kernels-counts-lines').locator('tr', { hasText: `op.cu:${line}` })
    await row.first().waitFor({ timeout: buildTime })
    expect(await row.first().textContent()).toMatch(
      /global load473\d\.\d4\.0 sectors a request, 100 % of their bytes used/,
    )
    expect(await app.testId('kernels-estimate').first().textContent()).toContain(
      'estimated, not measured',
    )
    await app.testId('kernels-metric').scrollIntoViewIfNeeded()
    await app.picture('kernels-counts-top')
    await row.first().getByRole('button').click()
    const cells = decorations(app.page, 'kernels-heat')
    await cells.filter({ hasText: '4.0' }).first().waitFor()
    await app.pictures('kernels-counts')
    await cells.filter({ hasText: '4.0' }).first().hover()
    await app.page.getByText('4.0 sectors a request, 100 % of their bytes used').last().waitFor()
    await app.page.getByText('These counts are for the code that clang generates.').last().waitFor()
    await app.picture('kernels-counts-hover')

    await app.testId('kernels-occupancy-chart').scrollIntoViewIfNeeded()
    await app.testId('kernels-occupancy').getByText('Limited by').waitFor()
    await app.pictures('kernels-occupancy')

    const text = fs.readFileSync(path.join(folder, 'op.cu'), 'utf8')
    await app.page.evaluate(
      (edited) => window.opsmithTest?.setEditorText('op.cu', edited),
      `${text}\n// edited\n`,
    )
    await decorations(app.page, 'kernels-heat-old').first().waitFor()
    await app.picture('kernels-counts-old')
  })

  it('results name the virtual GPU, and Doctor and Settings choose it', async () => {
    await app.resize(1280, 720)
    await app.testId('rail-run').click()
    await app.built(buildTime)
    await app.testId('run-go').click()
    const output = app.testId('run-output-0').filter({ hasText: 'cuda:0 (virtual GPU)' })
    await output.waitFor({ timeout: buildTime })
    await app.picture('kernels-run')
    // Once Doctor has looked.
    const choices = app.testId('toolbar-device').locator('option')
    await expect
      .poll(() => choices.allTextContents(), { timeout: buildTime })
      .toEqual(['as in opsmith.json', 'cpu', 'cuda (virtual GPU)'])

    await app.testId('rail-settings').click()
    await app.testId('settings-gpu').selectOption('hardware')
    await app.picture('kernels-settings')
    await app.testId('rail-doctor').click()
    const usable = app.testId('doctor-finding').and(app.page.locator('[data-judgement="usable"]'))
    const row = usable.filter({ hasText: 'virtual GPU' })
    await row.filter({ hasText: '“Only the GPU of this machine” is chosen' }).waitFor()
    await row.scrollIntoViewIfNeeded()
    await app.picture('kernels-doctor')
    await app.testId('doctor-gpu').selectOption('virtual')
    await row.filter({ hasText: 'used' }).waitFor()
    await app.testId('doctor-gpu').scrollIntoViewIfNeeded()
    await app.picture('kernels-tools')
  })
})
