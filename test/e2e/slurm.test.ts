import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { changeSettings } from '../../electron/engine/project/settings-file'
import { App } from '../support/app'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'
import { missingSlurm, startSlurm } from '../support/slurm'
import type { SlurmCluster } from '../support/slurm'

const missing = missingSlurm()
const buildTime = 170_000
/** Jobs wait for the scheduler, and workers build the project and start op hosts. */
const runTime = 240_000

const sweep = {
  op: 'sigmoid::sigmoid',
  args: ['x'],
  inputs: { x: { shape: ['N'], dtype: 'float32' } },
  sizes: { N: [16, 256, 4096] },
  directions: ['forward'],
}

describe.skipIf(missing !== '')(`the window and a cluster of Slurm ${missing}`, () => {
  let cache: TestCache
  let cluster: SlurmCluster
  let app: App

  beforeAll(async () => {
    cache = makeTestCache()
    cluster = await startSlurm(path.join(cache.home, 'slurm'))
    const settings = { sandbox: false, hotCompile: false, codeHelp: false }
    await changeSettings(cache.places.configFolder, settings)
    const folder = copyProject(path.join(root, 'samples/sigmoid'), cache)
    const file = path.join(folder, 'opsmith.json')
    const text = fs.readFileSync(file, 'utf8')
    const own = text.indexOf('  "benchmarks"')
    fs.writeFileSync(file, `${text.slice(0, own)}"benchmarks": ${JSON.stringify([sweep])}\n}\n`)
    app = await App.startAsItIs(cache, folder, { environment: cluster.environment })
    await app.built(buildTime)
    await app.resize(1280, 720)
  })
  afterAll(async () => {
    await app.close()
    await cluster.stop()
    cache.remove()
  })

  it('a sweep over two nodes shows its points as they come, each with its node', async () => {
    await app.testId('rail-timings').click()
    await app.testId('timings-entry-0').click()
    // One worker is still at work when the other comes from the queue.
    await app.testId('timings-seconds').fill('8')
    await app.testId('timings-seconds').press('Enter')
    await app.testId('timings-where').selectOption('slurm')
    await app.testId('timings-run').click()
    const nodes = (): string[] =>
      cluster.slurm('squeue', '-h', '-o', '%N').trim().split('\n').sort()
    await expect.poll(nodes, { timeout: runTime }).toEqual(['n1', 'n2'])
    const points = app.testId('timings-point')
    await points.first().waitFor({ timeout: runTime })
    await app.pictures('slurm-sweep-fills')
    const phase = app.testId('timings-run-phase')
    await phase.filter({ hasText: 'The run is done.' }).waitFor({ timeout: runTime })
    const found = await points.allTextContents()
    expect(found.map((text) => text.replace(/n[12]$/, 'NODE'))).toEqual([
      'N 16 on NODE',
      'N 256 on NODE',
      'N 4,096 on NODE',
    ])
    expect(await app.testId('timings-run-missing').count()).toBe(0)
    await app.pictures('slurm-sweep')
    const runs = path.join(cache.places.dataFolder, 'runs')
    await app.testId('timings-run-remove').click()
    await app.testId('timings-run-entry').waitFor({ state: 'detached' })
    expect(fs.readdirSync(runs)).toEqual([])
  })
})
