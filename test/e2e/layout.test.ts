import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { App } from '../support/app'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

let cache: TestCache
let app: App

type Place = { x: number; y: number; width: number; height: number }

async function placeOf(testId: string): Promise<Place> {
  const place = await app.testId(testId).boundingBox()
  if (!place) throw new Error(`${testId} is not shown`)
  return place
}

/** The panel's share of the window's width. */
async function shareOf(testId: string): Promise<number> {
  const width = await app.page.evaluate(() => window.innerWidth)
  return (await placeOf(testId)).width / width
}

beforeAll(async () => {
  cache = makeTestCache()
  const folder = copyProject(path.join(root, 'samples/my_op'), cache)
  app = await App.start(cache, folder, {
    hotCompile: false,
    codeHelp: false,
    buildOnSave: false,
  })
  await app.resize(1280, 720)
  await app.testId('tool-tab-schemas').waitFor()
})
afterAll(async () => {
  await app.close()
  cache.remove()
})

describe('the layout of the window', () => {
  it('a project that opens has the keyboard in its source', async () => {
    await app.focused('op.cpp')
  })

  it('a panel without controls takes the keyboard, and a layout keeps the file in front', async () => {
    await app.openFile('program.py')
    await app.focused('program.py')
    const isIn = (panel: string): Promise<boolean> =>
      app.page.evaluate((id) => {
        const tool = document.querySelector(`[data-testid="tool-${id}"]`)
        const focused = document.activeElement
        return focused !== document.body && focused?.contains(tool) === true
      }, panel)
    // To the group after the editors', which shows that there are no problems.
    await app.page.keyboard.press('Control+Shift+P')
    await app.testId('palette-input').fill('Show Problems')
    const chosen = app.testId('palette').locator('[data-selected=true]')
    await chosen.filter({ hasText: 'Show Problems' }).waitFor()
    await app.page.keyboard.press('Enter')
    await expect.poll(() => isIn('problems')).toBe(true)
    await app.page.keyboard.press('Control+Alt+S')
    await app.focused('program.py')
    expect(await app.testId('editor-op.cpp').count()).toBe(0)
    await app.page.keyboard.press('Control+Alt+W')
    await app.focused('program.py')
  })

  it('the palette gives the keyboard back, and finds a title before the name of a group', async () => {
    await app.openFile('op.cpp')
    await app.focused('op.cpp')
    for (const open of ['Control+Shift+P', 'Control+P', 'F1']) {
      await app.page.keyboard.press(open)
      await app.testId('palette-input').and(app.page.locator(':focus')).waitFor()
      await app.page.keyboard.press('Escape')
      await app.focused('op.cpp')
    }
    await app.page.keyboard.press('Control+Shift+P')
    await app.testId('palette-input').pressSequentially('run')
    const chosen = app.testId('palette').locator('[data-selected=true]')
    await expect.poll(() => chosen.innerText()).toMatch(/\nRun\b/)
    // The list scrolls after its rows have changed.
    const isInView = async (): Promise<boolean> => {
      const [list, row] = await Promise.all([
        app.testId('palette').locator('[cmdk-list]').boundingBox(),
        chosen.boundingBox(),
      ])
      return list !== null && row !== null && row.y >= list.y
    }
    await expect.poll(isInView).toBe(true)
    await app.page.keyboard.press('Escape')
    await app.focused('op.cpp')
  })

  it('a tab that closes gives the keyboard to the place before, and keys lead back and forward', async () => {
    await app.caretAt('op.cpp', 20)
    await app.page.keyboard.press('Control+F1')
    await app.testId('help-panel').locator(':focus').waitFor()
    await app.page.keyboard.press('Control+F4')
    await app.focused('op.cpp')
    await app.page.keyboard.press('Control+4')
    await app.testId('editor-op.cpp').locator(':focus').waitFor({ state: 'detached' })
    await app.page.keyboard.press('Control+Alt+E')
    await app.focused('op.cpp')
    await app.caretAt('program.py', 3)
    await app.page.keyboard.press('Alt+ArrowLeft')
    await app.focused('op.cpp')
    await app.testId('status-cursor').filter({ hasText: /^20:/ }).waitFor()
    await app.page.keyboard.press('Alt+ArrowRight')
    await app.focused('program.py')
    await app.openFile('op.cpp')
    await app.focused('op.cpp')
  })

  it('the rail opens each tool by its name, and shows which are in front', async () => {
    expect(await app.testId('tool-tab-timings').count()).toBe(0)
    const button = app.page.getByRole('navigation', { name: 'Panels' }).getByText('Timings')
    await button.click()
    await app.testId('tool-timings').waitFor()
    const isInFront = (id: string): Promise<string | null> =>
      app.testId(`rail-${id}`).getAttribute('aria-pressed')
    await expect.poll(() => isInFront('timings')).toBe('true')
    await expect.poll(() => isInFront('schemas')).toBe('false')
  })

  it('the rail has every panel without a scrollbar, also with text of 19 pixels', async () => {
    const rail = app.testId('rail')
    for (const textSize of [13, 19]) {
      await app.page.evaluate((pixels) => {
        document.documentElement.style.fontSize = `${pixels}px`
      }, textSize)
      const hidden = await rail.evaluate((element) => element.scrollHeight - element.clientHeight)
      expect(hidden, `with text of ${textSize} px`).toBe(0)
      await app.picture(`rail-${textSize}`)
    }
    await app.page.evaluate(() => {
      document.documentElement.style.fontSize = ''
    })
  })

  it('a key sizes the active panel to half or a third of the window', async () => {
    await app.page.keyboard.press('Control+Alt+2')
    await expect.poll(() => shareOf('tool-timings')).toBeCloseTo(1 / 2, 1)
    await app.page.keyboard.press('Control+Alt+3')
    await expect.poll(() => shareOf('tool-timings')).toBeCloseTo(1 / 3, 1)
  })

  it('the tab of the panel in front is in sight, however many there are and however narrow', async () => {
    const isWhole = async (id: string): Promise<boolean> => {
      const tab = await placeOf(`tool-tab-${id}`)
      const panel = await placeOf(`tool-${id}`)
      return tab.x >= panel.x && tab.x + tab.width <= panel.x + panel.width
    }
    for (const id of ['schemas', 'operator-checks', 'profile', 'assembly', 'export']) {
      await app.testId(`rail-${id}`).click()
      await app.testId(`tool-${id}`).waitFor()
      await expect.poll(() => isWhole(id), { message: id }).toBe(true)
    }
    // The last one: what a narrower window cuts.
    const { width: before } = await placeOf('tool-export')
    await app.resize(1440, 900)
    await expect.poll(async () => (await placeOf('tool-export')).width).toBeGreaterThan(before)
    const rightmost = await app.page.evaluate(() => {
      const tabs = [...document.querySelectorAll('[data-testid^="tool-tab-"]')]
      const right = (tab: Element): number => tab.getBoundingClientRect().right
      const [last] = tabs.sort((a, b) => right(b) - right(a))
      return last?.getAttribute('data-testid')?.slice('tool-tab-'.length) ?? ''
    })
    await app.testId(`rail-${rightmost}`).click()
    await expect.poll(() => isWhole(rightmost)).toBe(true)
    const { width } = await placeOf(`tool-${rightmost}`)
    await app.resize(1280, 720)
    await expect
      .poll(async () => (await placeOf(`tool-${rightmost}`)).width)
      .toBeLessThan(width - 10)
    await expect.poll(() => isWhole(rightmost), { message: 'in a narrow window' }).toBe(true)
  })

  it('each task has a layout, and open files stay open in it', async () => {
    await app.page.keyboard.press('Control+Alt+M')
    const timings = await placeOf('tool-timings')
    const profile = await placeOf('tool-profile')
    expect(profile.y).toBeGreaterThanOrEqual(timings.y + timings.height)
    expect(await shareOf('tool-timings')).toBeCloseTo(1 / 2, 1)
    await app.testId('tab-op.cpp').waitFor()
  })

  it('a tool can be moved to the centre or below its neighbours', async () => {
    await app.page.keyboard.press('Control+Alt+W')
    await app.focused('op.cpp')
    await app.testId('rail-graph').click()
    await app.testId('toolbar-layout').click()
    await app.testId('menu-layout.below').click()
    const topOf = async (tab: string): Promise<number> => (await placeOf(tab)).y
    const isBelow = async (): Promise<boolean> =>
      (await topOf('tool-tab-graph')) > (await topOf('tool-tab-schemas'))
    await expect.poll(isBelow).toBe(true)
    await app.testId('toolbar-layout').click()
    await app.testId('menu-layout.centre').click()
    const isInLine = async (): Promise<boolean> =>
      (await topOf('tool-tab-graph')) === (await topOf('tab-op.cpp'))
    await expect.poll(isInLine).toBe(true)
  })

  it('a layout that was named is recalled', async () => {
    await app.testId('toolbar-layout').click()
    await app.testId('menu-layout.name').click()
    await app.testId('ask-text').fill('graph in the centre')
    await app.testId('ask-accept').click()
    const kept = await placeOf('tool-tab-graph')
    await app.page.keyboard.press('Control+Alt+S')
    expect(await app.testId('tool-tab-graph').count()).toBe(0)
    await app.testId('toolbar-layout').click()
    await app.testId('menu-layout.named.graph in the centre').click()
    await expect.poll(() => placeOf('tool-tab-graph')).toEqual(kept)
  })
})
