import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { App } from '../support/app'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

const buildTime = 170_000
/** All checks of one operator, over many shapes, and the shrinking of what they find. */
const checkTime = 120_000
let cache: TestCache
let app: App
let folder: string

// One window for both tests: the second begins where the first ended.
beforeAll(async () => {
  cache = makeTestCache()
  folder = copyProject(path.join(root, 'test/cases/operator-checks/generated_inputs'), cache)
  app = await App.start(cache, folder)
  await app.testId('tool-tab-gradcheck').click()
  await app.testId('rail-operator-checks').click({ timeout: buildTime })
})
afterAll(async () => {
  await app.close()
  cache.remove()
})

async function verdict(wanted: 'passed' | 'failed', timeout = checkTime): Promise<void> {
  const seen = async (): Promise<string | null> =>
    (await app.testId('operator-check-one-verdict').count()) === 0
      ? null
      : await app.testId('operator-check-one-verdict').getAttribute('data-verdict')
  await expect.poll(seen, { timeout, interval: 100 }).toBe(wanted)
}

/** Of the list, for the sources as they are. */
async function listed(index: number, wanted: string, timeout = checkTime): Promise<void> {
  const row = app.testId(`operator-check-entry-${index}`)
  await expect
    .poll(async () => ((await row.count()) === 0 ? '' : await row.getAttribute('data-verdict')), {
      timeout,
      interval: 100,
    })
    .toBe(wanted)
}

async function fill(field: string, text: string): Promise<void> {
  await app.testId(field).fill(text)
  await app.testId(field).press('Enter')
}

const manifestText = (): string => fs.readFileSync(path.join(folder, 'opsmith.json'), 'utf8')

/** Runs in the window: fields, buttons and labels of the panel that stand outside of it. */
function whatIsCutOff(): string[] {
  const panel = document.querySelector('[data-testid="operator-check-panel"]')
  if (!panel) return ['no panel']
  const room = panel.getBoundingClientRect()
  const sideways = ['operator-check-list', 'operator-check-main'].flatMap((name) => {
    const part = panel.querySelector(`[data-testid=${name}]`)
    if (!part) return [`no ${name}`]
    return part.scrollWidth > part.clientWidth + 1 ? [`${name} scrolls sideways`] : []
  })
  const outside = [...panel.querySelectorAll('input, select, button, label')].flatMap((control) => {
    const box = control.getBoundingClientRect()
    if (box.width === 0) return []
    const isOutside = box.left < room.left - 1 || box.right > room.right + 1
    return isOutside ? [`${control.tagName} ${control.id} ${control.textContent}`] : []
  })
  return [...sideways, ...outside]
}

/** Nothing is cut off in any width or theme; pictures for people. */
async function looksRight(name: string): Promise<void> {
  for (const [width, height] of [
    [1024, 700],
    [1600, 1000],
  ] as const) {
    await app.resize(width, height)
    for (const theme of ['dark', 'light'] as const) {
      await app.page.emulateMedia({ colorScheme: theme })
      expect(await app.page.evaluate(whatIsCutOff), `${width} ${theme}`).toEqual([])
      await app.picture(`${name}-${width}-${theme}`)
    }
  }
  await app.testId('operator-checks-enlarge').click()
  expect(await app.page.evaluate(whatIsCutOff), 'enlarged').toEqual([])
  await app.picture(`${name}-enlarged`)
  await app.testId('operator-checks-enlarge').click()
}

describe('the operator checks in the panel', () => {
  it('an edited input is checked at once, and a failure can be kept and is checked after every build', async () => {
    // What opsmith.json lists without inputs is called with made from its schema.
    await listed(0, 'passed', buildTime)
    await verdict('passed')
    expect(await app.testId('operator-check-generated').textContent()).toMatch(
      /a float32 \[3, 4\].*b float32 \[4, 5\]/,
    )

    await fill('operator-check-op', 'generated_inputs::wrong_when_long')
    await fill('operator-check-args', 'x, 1')
    await verdict('passed')
    await app.testId('operator-check-input-x').click()
    await fill('input-x-shape', '[N]')
    // A size that a shape names gets a range.
    await expect.poll(() => app.testId('operator-check-sizes').inputValue()).toBe('N 1..8')
    await verdict('passed')
    // The sizes last: no other fields fail, whose verdict would be taken for that of these.
    await fill('operator-check-shapes', '40')
    await fill('operator-check-sizes', 'N 1..64')
    await verdict('failed')
    const mutation = app.page.locator('[data-testid=operator-check-finding][data-check=mutation]')
    expect(await mutation.textContent()).toContain('x float64[41] of zeros, size = 1')
    await looksRight('operator-check-failed')

    await mutation.getByTestId('operator-check-keep').click()
    await expect.poll(manifestText, { timeout: checkTime }).toContain('"shape": [41]')
    expect(manifestText()).toContain('// Kept entries stand below; this comment stays.')
    expect(manifestText()).toMatch(/"checks": \["mutation"\]/)
    await listed(1, 'failed')
    expect(await app.page.getByTestId(/^operator-check-entry-\d+$/).count()).toBe(2)

    // Nobody asks for it: it is checked with the build.
    await app.openFile('op.cpp')
    await app.replace('op.cpp', 'x.size(0) > 40', 'x.size(0) > 4000')
    await app.save()
    await listed(1, 'passed', buildTime)
    await app.testId('operator-check-entry-1').click()
    await verdict('passed')
    await app.picture('operator-check-kept')
  })

  it('a running check can be stopped, and what was known before stays', async () => {
    await fill('operator-check-op', 'aten::sigmoid')
    await fill('operator-check-args', 'x')
    await verdict('passed')
    await fill('operator-check-shapes', '1000')
    await app.testId('operator-check-one-stop').click({ timeout: checkTime })
    await app.testId('operator-check-one').waitFor({ timeout: checkTime })
    await verdict('passed')
  })
})
