import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { App } from '../support/app'
import { copied } from '../support/clipboard'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

const buildTime = 170_000
let cache: TestCache
let app: App
let folder: string

beforeAll(async () => {
  cache = makeTestCache()
  folder = copyProject(path.join(root, 'samples/gc_layer'), cache)
  app = await App.start(cache, folder)
  await app.built(buildTime)
})
afterAll(async () => {
  await app.close()
  cache.remove()
})

/** Runs a command as the palette does. */
async function command(title: string): Promise<void> {
  await app.page.keyboard.press('Control+Shift+P')
  await app.testId('palette-input').fill(title)
  await app.page.keyboard.press('Enter')
}

const details = async (): Promise<string> =>
  (await app.testId('profile-details').textContent()) ?? ''

/** ns from and to that the canvas shows. */
async function range(canvas: string): Promise<number> {
  const [from = 0, to = 0] = ((await app.testId(canvas).getAttribute('data-range')) ?? '')
    .split(' ')
    .map(Number)
  return to - from
}

describe('the profile panel', () => {
  it('a function of the program is profiled forward and backward, and every view shows its time', async () => {
    await command('Show Profile')
    await app.testId('profile-panel').waitFor()
    // A function of the program that opsmith.json calls, with its arguments.
    await expect.poll(() => app.testId('profile-op').inputValue()).toBe('two_layers')
    expect(await app.testId('profile-args').inputValue()).toBe('a, x, w, b, w2, b2')
    await app.testId('profile-backward').check()
    await app.testId('profile-run').click()
    const timeline = app.testId('profile-timeline')
    await timeline.waitFor()
    expect(Number(await timeline.getAttribute('data-spans'))).toBeGreaterThan(40)

    // By keyboard: forward, the function in it, the first operator in that, and its line.
    await timeline.focus()
    await app.page.keyboard.press('ArrowRight')
    expect(await details()).toContain('forward')
    await app.page.keyboard.press('ArrowDown')
    expect(await details()).toMatch(/two_layers.*function of the program/)
    await app.page.keyboard.press('ArrowDown')
    expect(await details()).toMatch(/gc_layer::gc_layer.*float64\[6, 6\], float64\[6, 4\]/)
    expect(await details()).toMatch(/program\.py:6/)
    const whole = await range('profile-timeline')
    await app.page.keyboard.press('f')
    expect(await range('profile-timeline')).toBeLessThan(whole / 2)
    await app.picture('profile-timeline')
    await app.page.keyboard.press('0')
    expect(await range('profile-timeline')).toBe(whole)
    // By the wheel, and a drag that moves it.
    const box = await timeline.boundingBox()
    if (!box) throw new Error('the timeline is not shown')
    await app.page.mouse.move(box.x + box.width / 2, box.y + 30)
    await app.page.mouse.wheel(0, -400)
    await expect.poll(() => range('profile-timeline')).toBeLessThan(whole * 0.6)
    const before = await timeline.getAttribute('data-range')
    await app.page.mouse.down()
    await app.page.mouse.move(box.x + box.width / 2 + 60, box.y + 30, { steps: 4 })
    await app.page.mouse.up()
    await expect.poll(() => timeline.getAttribute('data-range')).not.toBe(before)
    await timeline.focus()
    await app.page.keyboard.press('0')
    await app.page.keyboard.press('Enter')
    // The next keys are for the flame graph: the editor takes the keyboard once it has the file.
    await app.focused('program.py')

    await app.testId('profile-view-flame').click()
    await app.testId('profile-search').fill('gc_layer')
    await app.testId('profile-flame').focus()
    await app.page.keyboard.press('ArrowRight')
    expect(await details()).toMatch(/forward.*called 1 time/)
    await app.picture('profile-flame')
    await app.testId('profile-search').fill('')

    await app.testId('profile-view-table').click()
    const names = await app.page.evaluate(() =>
      [...document.querySelectorAll('[data-testid=profile-row-name]')].map((cell) =>
        cell.textContent?.trim(),
      ),
    )
    expect(names).toContain('aten::mm')
    expect(names).toContain('backward of gc_layer::gc_layer')
    await app.testId('profile-by-calls').click()
    await app.testId('profile-copy-csv').click()
    const csv = (await copied(app, /^name,kind,calls,total_ns,self_ns/)).trim().split(/\r?\n/)
    expect(csv.length).toBe(names.length + 1)
    const calls = csv.slice(1).map((line) => Number(line.split(',')[2]))
    expect(calls).toEqual([...calls].sort((a, b) => b - a))
    await app.testId('profile-copy-markdown').click()
    await copied(app, /\| `aten::mm` \| \d+ \|/)
    await app.testId('profile-lines').click()
    await app.page.getByTestId('profile-table').getByText('program.py:7').waitFor()
    await app.picture('profile-lines')

    await app.testId('profile-view-memory').click()
    expect(await app.testId('profile-peak').textContent()).toMatch(/^[\d.]+ k?B$/)
    await app.testId('profile-holders').waitFor()
    await app.picture('profile-memory')

    // The trace, as the menu saves it.
    const file = path.join(folder, 'run.trace.json')
    await app.electron.evaluate(({ dialog }, to) => {
      dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath: to })
    }, file)
    await app.testId('profile-menu').click()
    await app.testId('profile.save').click()
    await expect.poll(() => fs.existsSync(file)).toBe(true)
    const trace = JSON.parse(fs.readFileSync(file, 'utf8')) as { traceEvents: { ph: string }[] }
    expect(trace.traceEvents.filter(({ ph }) => ph === 'X').length).toBeGreaterThan(40)
  })

  it('a function that does not exist is refused, and a build profiles again', async () => {
    await app.testId('profile-op').fill('nothing_of_the_kind')
    await app.testId('profile-op').press('Enter')
    await app.testId('profile-run').click()
    await app.testId('profile-error').waitFor()
    expect(await app.testId('profile-error').textContent()).toMatch(
      /has no function nothing_of_the_kind.*two_layers/,
    )
    await app.testId('profile-op').fill('gc_layer::gc_layer')
    await app.testId('profile-op').press('Enter')
    await app.testId('profile-run').click()
    await app.testId('profile-peak').waitFor()
    await app.testId('profile-view-timeline').click()
    expect(await app.testId('profile-summary').textContent()).toContain('1 thread')
    // Other fields than those that were asked with are said to be others.
    await app.testId('profile-threads').fill('2')
    await app.testId('profile-threads').press('Enter')
    await app.testId('profile-other-fields').waitFor()
    // After a build it is profiled again by itself.
    await app.openFile('gc_layer.cpp')
    await app.replace('gc_layer.cpp', 'a.mm(x).mm(w) + b;', 'a.mm(x).mm(w).relu() + b;')
    await app.save()
    await app
      .testId('profile-summary')
      .filter({ hasText: '2 threads' })
      .waitFor({ timeout: buildTime })
    expect(await app.testId('profile-other-fields').count()).toBe(0)
    await app.testId('profile-search').fill('relu')
    await app.testId('profile-enlarge').click()
    await app.picture('profile-light')
    await command('Theme: dark')
    await app.picture('profile-dark')
  })
})
