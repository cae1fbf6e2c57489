import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, expect, it, vi } from 'vitest'

import { App } from '../support/app'
import { copied } from '../support/clipboard'
import { makeTestCache } from '../support/installation'
import type { TestCache } from '../support/installation'
import { buildStandIns, scriptFolder } from '../support/stand-ins'

const buildTime = 170_000

/** On a machine whose driver stands in for NVIDIA's, and whose nvcc compiles nothing. */
let cache: TestCache
let app: App
/** While it is there, nvcc takes its time. */
let slow: string

beforeAll(async () => {
  cache = makeTestCache()
  slow = path.join(cache.home, 'slow')
  const nvcc = scriptFolder(
    cache,
    'nvcc',
    `case "$1" in
--version) echo 'release 13.0, V13.0.48';;
--list-gpu-arch) echo compute_75;;
*) if [ -e '${slow}' ]; then exec sleep 300; fi
   echo 'plain.cu(1): error: this nvcc compiles nothing' >&2
   exit 1;;
esac`,
  )
  vi.stubEnv('PATH', `${nvcc}:${process.env['PATH'] ?? ''}`)
  const { environment } = buildStandIns(cache, ['driver'])
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  app = await App.start(cache)
  await app.resize(1280, 720)
  await app.page.keyboard.press('Control+Shift+P')
  await app.testId('palette-input').fill('Show Doctor')
  await app.page.keyboard.press('Enter')
  await app.testId('gpu-run').waitFor()
})
afterAll(async () => {
  await app.close()
  vi.unstubAllEnvs()
  cache.remove()
})

const found = async (name: string): Promise<string> =>
  (await app.testId(`gpu-check-${name}`).innerText()).replaceAll(/\s+/g, ' ').trim()

it('the GPU self-test shows a verdict and a reason for each check, and copies them as a table', async () => {
  await app.testId('gpu-run').click()
  await app.testId('gpu-copy').waitFor({ timeout: buildTime })
  expect(await found('driver')).toMatch(
    /^passed Driver and devices cuInit returns CUDA_SUCCESS.* 1 GPU: NVIDIA H100 \(stand-in\)/,
  )
  expect(await found('toolchain')).toMatch(
    /^failed CUDA toolkit .*does not build: this nvcc compiles nothing/,
  )
  expect(await found('faults')).toMatch(/^skipped Faults Not run: this libtorch is a CPU build\./)
  await app.testId('gpu-checks').scrollIntoViewIfNeeded()
  await app.pictures('gpu-check')
  await app.testId('gpu-copy').click()
  await copied(app, /\| Driver and devices \| passed \| cuInit returns CUDA_SUCCESS/)
})

it('Stop ends it in the middle of a check, which says so', async () => {
  fs.writeFileSync(slow, '')
  await app.testId('gpu-run').click()
  await app.testId('gpu-progress').filter({ hasText: 'CUDA toolkit …' }).waitFor()
  await app.picture('gpu-check-running')
  await app.testId('gpu-stop').click()
  await app.testId('gpu-run').waitFor()
  expect(await found('toolchain')).toMatch(/^skipped CUDA toolkit Stopped\./)
  expect(await found('driver')).toMatch(/^passed/)
})
