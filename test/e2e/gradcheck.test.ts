import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { App } from '../support/app'
import { ConnectionWatch } from '../support/connections'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

const buildTime = 170_000
/** A check and what it draws, once the project is built. */
const checkTime = 150_000
let cache: TestCache
let app: App
let connections: ConnectionWatch
let folder: string

// One window for both tests: the first leaves the sources as they were.
beforeAll(async () => {
  cache = makeTestCache()
  connections = new ConnectionWatch(cache.home)
  folder = copyProject(path.join(root, 'samples/sigmoid'), cache)
  app = await App.start(cache, folder)
  await app.testId('tool-tab-gradcheck').click()
})
afterAll(async () => {
  await app.close()
  cache.remove()
})

/** As opsmith.json says: float32 with too small an eps has to fail, for the own operator and for libtorch's. */
const expected = [
  'passed',
  'failed',
  'passed',
  'passed',
  'passed',
  'failed',
  'passed',
  'passed',
  'passed',
  'passed',
]

/** Waits until the checks of opsmith.json, made from the sources as they are, say this; else tells what they say. */
async function verdicts(wanted: string[], timeout = buildTime): Promise<void> {
  const seen = (): Promise<string[]> =>
    app.page.evaluate(() =>
      [...document.querySelectorAll('[data-testid^="gradcheck-entry-"]')].map(
        (row) => row.getAttribute('data-verdict') ?? '',
      ),
    )
  await expect.poll(seen, { timeout, interval: 100 }).toEqual(wanted)
}

async function verdict(wanted: 'passed' | 'failed'): Promise<void> {
  await expect
    .poll(() => app.testId('gradcheck-verdict').getAttribute('data-verdict'), {
      timeout: checkTime,
    })
    .toBe(wanted)
}

const keptChecks = (): string =>
  fs.readFileSync(path.join(folder, 'opsmith.json'), 'utf8').split('"gradchecks"')[1] ?? ''

describe('the gradcheck panel', () => {
  it('every build runs the checks: a wrong backward fails with its cause and element, and passes once corrected', async () => {
    await verdicts(expected)
    await verdict('passed')
    await app.openFile('op.cpp')
    const right = 'return grad * output * (1 - output);'
    const wrong = 'return 2 * grad * output * (1 - output);'
    await app.replace('op.cpp', right, wrong)
    await app.save()
    // A check that somebody asks for before the build has ended is of the old library: the new one has the last word.
    await app.page.keyboard.press('F9')
    // libtorch's own stay as they are; everything that goes through ours fails.
    const own = Array.from({ length: 4 }, () => 'failed')
    await verdicts([...own, ...expected.slice(4, 8), 'failed', 'failed'])
    await verdict('failed')
    expect(await app.testId('gradcheck-cause').textContent()).toMatch(/factor.*\b2 times/)
    const backward = app.page.locator('[data-testid=gradcheck-finding][data-check=backward]')
    expect(await backward.getAttribute('data-status')).toBe('failed')
    expect(await backward.textContent()).toMatch(/64 of 4096/)
    const worst = (await app.testId('gradcheck-worst-element').textContent()) ?? ''
    const at = /d output\[(\d), (\d+)\] \/ d x\[(\d), (\d+)\]/.exec(worst)
    // The Jacobian of an elementwise function is diagonal: so is what is wrong with it.
    expect(at?.slice(1, 3)).toEqual(at?.slice(3, 5))
    const line = (await app.text('op.cpp')).split('\n').findIndex((text) => /_backward/.test(text))
    await expect
      .poll(() => app.markers('op.cpp'))
      .toEqual([expect.objectContaining({ line: line + 1, severity: 'error' })])
    // The picture's pages come from the op host: the readout names the worst element until a pointer moves.
    await app.testId('gradcheck-worst').click()
    await expect
      .poll(() => app.testId('gradcheck-readout').textContent(), { timeout: checkTime })
      .toMatch(/analytical 0\.\d+.*numerical 0\.\d+.*error 0\.\d+/)
    await expect.poll(() => app.testId('gradcheck-history').getAttribute('data-builds')).toBe('2')
    await app.picture('gradcheck-failed')

    await app.replace('op.cpp', wrong, right)
    await app.save()
    await verdicts(expected)
    await verdict('passed')
    await expect.poll(() => app.testId('gradcheck-change').textContent()).toMatch(/times smaller/)
    await app.page.waitForFunction(() => window.opsmithTest?.markers('op.cpp').length === 0)
  })

  it('an edited case can be swept over eps and kept, and the operators can be checked', async () => {
    await verdicts(expected)
    await app.testId('gradcheck-entry-0').click()
    await app.testId('gradcheck-sweep').click()
    await app.testId('gradcheck-sweep-chart').waitFor({ timeout: checkTime })
    // Both lie near the cube root of their precision, an order of magnitude for scatter.
    const best = async (dtype: string): Promise<number> =>
      Number(
        /eps (\S+)/.exec((await app.testId(`gradcheck-best-${dtype}`).textContent()) ?? '')?.[1],
      )
    expect(await best('float32')).toBeGreaterThan(3e-4)
    expect(await best('float64')).toBeLessThan(1e-4)
    expect(await best('float64')).toBeGreaterThan(3e-7)
    await app.picture('gradcheck-sweep')

    // float32 at that step is nothing but rounding: the check that a click starts fails.
    await app.testId('gradcheck-best-float64').click()
    await verdict('failed')
    expect(Number(await app.testId('gradcheck-eps').inputValue())).toBe(await best('float64'))
    await app.testId('gradcheck-dtype').selectOption('float64')
    await verdict('passed')
    await app.testId('gradcheck-rtol').fill('1e-4')
    await app.testId('gradcheck-rtol').press('Enter')
    await app.testId('gradcheck-keep').click()
    await expect.poll(keptChecks, { timeout: checkTime }).toMatch(/"rtol": (1e-4|0\.0001)/)
    await verdicts([...expected, 'passed'], checkTime)

    await app.testId('rail-operator-checks').click()
    await app.testId('operator-check-run').click()
    await expect
      .poll(() => app.testId('operator-check-verdict').textContent(), { timeout: checkTime })
      .toMatch(/as expected/)
    await app.page.getByLabel('show all checks').check()
    const mutation = app.page.locator('[data-testid=operator-check-finding][data-check=mutation]')
    expect(await mutation.first().getAttribute('data-status')).toBe('passed')
    await app.picture('gradcheck-operators')
  })

  it('no process of the session has connected to another machine', () => {
    expect(connections.count).toBeGreaterThan(3)
    expect(connections.end()).toEqual([])
  })
})
