import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { App } from '../support/app'
import { Axe } from '../support/axe'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

const buildTime = 170_000
let cache: TestCache
let app: App
let axe: Axe

function commitAll(folder: string): void {
  const git = (...args: string[]): void => {
    const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
    execFileSync('git', [...author, '-C', folder, ...args], { stdio: 'pipe' })
  }
  git('init', '-q')
  git('add', '.')
  git('commit', '-q', '-m', 'First of all')
}

/** Measures for a moment: no test here reads the times. */
function measureShortly(manifest: string): void {
  const text = fs.readFileSync(manifest, 'utf8')
  const benchmark = /("benchmarks": \[\s*\{)/
  expect(text).toMatch(benchmark)
  fs.writeFileSync(manifest, text.replace(benchmark, '$1 "seconds": 0.05,'))
}

beforeAll(async () => {
  cache = makeTestCache()
  const folder = copyProject(path.join(root, 'samples/gc_layer'), cache)
  measureShortly(path.join(folder, 'opsmith.json'))
  commitAll(folder)
  fs.appendFileSync(path.join(folder, 'program.py'), '# not committed\n')
  app = await App.start(cache, folder)
  await app.resize(1280, 720)
  axe = await Axe.in(app)
})
afterAll(async () => {
  await app.close()
  cache.remove()
})

async function choose(command: string): Promise<void> {
  await app.page.keyboard.press('Control+Shift+P')
  await app.testId('palette-input').fill(command)
  await app.page.keyboard.press('Enter')
}

type Panels = Record<string, { fill?: () => Promise<void>; filled: string }>

/** Each panel, with something in it, by its place in the window: how it is filled, and what is there then. */
const panels: Record<'left' | 'middle' | 'bottom' | 'right', Panels> = {
  left: {
    Explorer: { filled: 'explorer-file-opsmith.json' },
    Tests: { filled: 'tests-row' },
  },
  middle: {
    Doctor: { filled: 'doctor-verdict' },
    Settings: { filled: 'settings-panel' },
    Samples: { filled: 'gallery' },
    Help: { filled: 'help-panel' },
  },
  bottom: {
    Problems: { filled: 'tool-tab-problems' },
    Build: { filled: 'build-panel' },
    'Host output': { filled: 'host-output-panel' },
    Terminal: { filled: 'terminal-view' },
  },
  right: {
    Search: { filled: 'search-panel' },
    Schemas: { filled: 'schema-row-gc_layer::forward' },
    Run: { fill: () => app.testId('run-go').click(), filled: 'run-comparison' },
    Graph: { filled: 'graph-search-bar' },
    Gradcheck: { filled: 'gradcheck-verdict' },
    'Operator checks': {
      fill: () => app.testId('operator-check-one').click(),
      filled: 'operator-check-one-verdict',
    },
    Pytest: { filled: 'pytest-panel' },
    Timings: { filled: 'timings-panel' },
    Profile: { fill: () => app.page.keyboard.press('Control+Alt+P'), filled: 'profile-summary' },
    Assembly: { filled: 'assembly-name' },
    Export: { filled: 'export-panel' },
  },
}

/** All of them, one of each place at a time: these are seen together. */
function panelsTogether(): [title: string, Panels[string]][][] {
  const places = Object.values(panels).map((place) => Object.entries(place))
  const most = Math.max(...places.map(({ length }) => length))
  return Array.from({ length: most }, (_, at) => places.flatMap((place) => place.slice(at, at + 1)))
}

function selectorOf(title: string): string {
  const id = title === 'Samples' ? 'gallery' : title.toLowerCase().replace(' ', '-')
  return `[data-testid=tool-${id}]`
}

/** An action of the menu of a file in the Explorer. */
async function chooseFor(file: string, action: string): Promise<void> {
  await choose('Show Explorer')
  await app.testId(`explorer-file-${file}`).click({ button: 'right' })
  if (action !== '') await app.testId(`explorer-menu-${action}`).click()
}

const menu = '[role=menu]'
const dialog = 'dialog[open]'

/** What opens over the window, and closes with Escape unless it stays: how it is opened, and a selector. */
const overlays: Record<string, { open: () => Promise<void>; shown: string; stays?: true }> = {
  'menu of the project': { open: () => app.testId('toolbar-project').click(), shown: menu },
  'menu of the layout': { open: () => app.testId('toolbar-layout').click(), shown: menu },
  'menu of a file': { open: () => chooseFor('gc_layer.cpp', ''), shown: menu },
  'new project': { open: () => choose('New project'), shown: dialog },
  'new operator': {
    open: async () => {
      await choose('New operator')
      await app.testId('new-operator-name').fill('class')
      await app.page.keyboard.press('Enter')
      await app.testId('new-operator-error').waitFor()
    },
    shown: dialog,
  },
  'name of a layout': { open: () => choose('save under a name'), shown: dialog },
  'delete a file': { open: () => chooseFor('README.md', 'delete'), shown: dialog },
  'name of a new file': {
    open: () => chooseFor('README.md', 'newFile'),
    shown: '[data-testid=explorer-tree]',
    stays: true,
  },
  'last commit': {
    open: () => chooseFor('program.py', 'git-compare'),
    shown: '[data-testid="head-program.py"]',
    stays: true,
  },
}

/** What each panel exists for: the panel, the element that shows it, and how it is made where it is not there by then. */
const figures: Record<string, { panel: string; figure: string; make?: () => Promise<void> }> = {
  Tests: { panel: 'tests', figure: 'tests-count-Calls' },
  Run: { panel: 'run', figure: 'run-summary', make: () => app.testId('run-go').click() },
  Graph: { panel: 'graph', figure: 'graph-canvas-main' },
  Gradcheck: { panel: 'gradcheck', figure: 'gradcheck-headline' },
  'Operator checks': { panel: 'operator-checks', figure: 'operator-check-headline' },
  Profile: {
    panel: 'profile',
    figure: 'profile-summary',
    make: () => app.testId('profile-run').click(),
  },
  Timings: {
    panel: 'timings',
    figure: 'timings-headline',
    make: async () => {
      await app.testId('timings-entry-0').click()
      await app.testId('timings-run').click()
    },
  },
  Assembly: { panel: 'assembly', figure: 'assembly-mix' },
  Export: {
    panel: 'export',
    figure: 'export-verdict',
    make: async () => {
      await app.testId('export-choose-library').check()
      await app.testId('export-proof').uncheck()
      await app.testId('export-run').click()
    },
  },
  Build: { panel: 'build', figure: 'build-verdict' },
  Doctor: { panel: 'doctor', figure: 'doctor-verdict' },
}

/** Lists with names: the test ids of their rows, what fills them ("" where it is there), and what the first row says then. */
const lists: Record<string, { rows: string; fill: string; filled: RegExp }> = {
  'Operator checks': { rows: 'operator-check-entry-', fill: '', filled: /passed/ },
  Gradcheck: { rows: 'gradcheck-entry-', fill: 'gradcheck-all', filled: /passed/ },
  Timings: { rows: 'timings-entry-', fill: 'timings-all', filled: /\d (ns|µs|ms)/ },
}

function setTextSize(pixels: number): void {
  document.documentElement.style.fontSize = `${pixels}px`
}

/** Why an element is not seen as a whole in its panel; "" where it is. */
function whyCut({ panel, figure }: { panel: string; figure: string }): string {
  const find = (id: string): Element | null => document.querySelector(`[data-testid="${id}"]`)
  const element = find(figure)
  const around = find(`tool-${panel}`)?.getBoundingClientRect()
  const place = element?.getBoundingClientRect()
  if (!element || !around || !place) return 'it is not there'
  if (place.width < 8 || place.height < 8) return 'it has no room'
  if (place.top < around.top || place.bottom > around.bottom + 1)
    return 'it is scrolled out of sight'
  if (place.right > around.right + 1) return 'it is wider than its panel'
  const cut = [element, ...element.querySelectorAll('*')].find(
    (part) =>
      part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).overflowX !== 'visible',
  )
  return cut ? `“${cut.textContent}” is cut` : ''
}

describe('axe finds nothing wrong', () => {
  it('with any panel and its menu, dark, light and in high contrast', async () => {
    await app.built(buildTime)
    const found = await axe.findingsInAllThemes()
    let count = 0
    for (const together of panelsTogether()) {
      for (const [title, { fill, filled }] of together) {
        await choose(`Show ${title}`)
        await fill?.()
        await app.testId(filled).first().waitFor()
      }
      const titles = together.map(([title]) => title)
      const selectors = titles.map(selectorOf)
      // Panels of other places stay in sight.
      for (const selector of selectors) await app.page.locator(selector).waitFor()
      const inPanels = await axe.findingsInAllThemes(...selectors)
      found.push(...inPanels.map((line) => `${titles.join(' and ')}, ${line}`))
      for (const title of titles) {
        count += 1
        const menu = app.page.locator(`${selectorOf(title)} button[aria-haspopup=menu]`)
        if ((await menu.count()) === 0) continue
        await menu.first().click()
        await app.page.locator('[role=menu]').waitFor()
        const inMenu = await axe.findings({ within: [selectorOf(title)] })
        found.push(...inMenu.map((line) => `menu of ${title}, ${line}`))
        await app.page.keyboard.press('Escape')
      }
    }
    expect(count).toBe(21)
    expect(found).toEqual([])
  })

  it('with any menu, dialog or message of the window, and a file next to its last commit', async () => {
    const found: string[] = []
    for (const [name, { open, shown, stays }] of Object.entries(overlays)) {
      await open()
      await app.page.locator(shown).waitFor()
      found.push(...(await axe.findingsInAllThemes(shown)).map((line) => `${name}, ${line}`))
      if (stays) continue
      await app.page.keyboard.press('Escape')
      await app.page.locator(shown).waitFor({ state: 'detached' })
    }
    expect(found).toEqual([])
  })

  it('nothing is painted over a name or over the picture of the graph', async () => {
    for (const [title, { rows, fill, filled }] of Object.entries(lists)) {
      await choose(`Show ${title}`)
      if (fill !== '') await app.testId(fill).click()
      await app.testId(`${rows}0`).filter({ hasText: filled }).waitFor()
      for (const textSize of [13, 19]) {
        const gaps = await app.page.evaluate(gapsAroundNames, { rows, textSize })
        expect(gaps.length, title).toBeGreaterThan(0)
        expect(Math.min(...gaps), `${title}, text of ${textSize} px`).toBeGreaterThanOrEqual(4)
      }
    }
    await choose('Show Graph')
    await app.testId('graph-canvas-main').waitFor()
    const messages = await app.page.getByRole('region', { name: 'Notifications' }).boundingBox()
    const graph = await app.testId('graph-canvas-main').boundingBox()
    if (!messages || !graph) throw new Error('not laid out')
    expect(messages.x + messages.width).toBeLessThan(graph.x)
  })

  it('the figure of a panel is in sight and whole in every layout, also with text of 19 pixels', async () => {
    await app.page.evaluate(setTextSize, 13)
    for (const [title, { figure, make }] of Object.entries(figures)) {
      await choose(`Show ${title}`)
      await make?.()
      await app.testId(figure).first().waitFor()
    }
    const cut: string[] = []
    for (const layout of ['Write', 'Check', 'Measure', 'Ship']) {
      await choose(`Layout: ${layout}`)
      for (const [title, { panel, figure }] of Object.entries(figures)) {
        await choose(`Show ${title}`)
        await app.testId(figure).first().waitFor()
        for (const textSize of [13, 19]) {
          await app.page.evaluate(setTextSize, textSize)
          const why = (): Promise<string> => app.page.evaluate(whyCut, { panel, figure })
          // Panels are laid out some frames after the size of the text changed.
          const isWhole = await expect
            .poll(why, { timeout: 60_000 })
            .toBe('')
            .then(
              () => true,
              () => false,
            )
          if (isWhole) continue
          cut.push(`${layout}: ${title}, ${textSize} px: ${await why()}`)
          await app.pictureOfFault(`cut-${layout}-${panel}-${textSize}`)
        }
        await app.page.evaluate(setTextSize, 13)
      }
    }
    expect(cut).toEqual([])
  })

  it('with the palette open, and in a window without a project', async () => {
    await app.page.keyboard.press('Control+Shift+P')
    await app.testId('palette-input').waitFor()
    const found = await axe.findingsInAllThemes()
    await app.page.keyboard.press('Escape')
    await choose('Close project')
    await app.testId('gallery-open-my_op').waitFor()
    found.push(...(await axe.findingsInAllThemes()))
    expect(found).toEqual([])
  })
})

/** Runs in the window: pixels between the names of a list and the verdicts or figures next to them. */
function gapsAroundNames({ rows, textSize }: { rows: string; textSize: number }): number[] {
  const { style } = document.documentElement
  const before = style.fontSize
  style.fontSize = `${textSize}px`
  const placeOfWords = (part: Element): DOMRect => {
    const words = document.createRange()
    words.selectNodeContents(part)
    return words.getBoundingClientRect()
  }
  const gaps = [...document.querySelectorAll(`[data-testid^="${rows}"]`)].flatMap((row) => {
    const parts = [...row.children].filter(({ textContent }) => textContent !== '')
    return parts.slice(1).map((part, index) => {
      const left = parts[index] ?? part
      const end = placeOfWords(left).right
      // A name that is too long is cut at its own end; the words of a verdict are not.
      const isCut = getComputedStyle(left).overflowX === 'hidden'
      const painted = isCut ? Math.min(end, left.getBoundingClientRect().right) : end
      return placeOfWords(part).left - painted
    })
  })
  style.fontSize = before
  return gaps
}
