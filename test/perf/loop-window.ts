import fs from 'node:fs'
import path from 'node:path'

import { App } from '../support/app'
import type { TestCache } from '../support/installation'
import type { LoopCase } from './loop-cases'
import { watchError, watchSave } from './watch-window'
import type { SeenAfterSave } from './watch-window'

/** As people save: what follows a save by itself is over by then. Milliseconds. */
export const betweenSaves = 6_000
/** Milliseconds that one save is watched at most. */
const longest = 30_000

export interface Saved {
  seen: SeenAfterSave
  /** Seconds of the engine for the same build. */
  engine: number
  /** It was built by the compile server. */
  hot: boolean
}

/** Moves the schemas to the group below the source, so that the window shows them next to the Run panel. */
function showSchemasBelow(cache: TestCache): void {
  interface Leaf {
    data: { views: string[]; activeView?: string }
  }
  const file = path.join(cache.folder, 'layout.json')
  const saved = JSON.parse(fs.readFileSync(file, 'utf8')) as {
    layouts: [string, { grid: { root: unknown } }][]
  }
  const leaves: Leaf[] = []
  const collect = (node: unknown): void => {
    const { type, data } = node as { type: string; data: unknown }
    if (type === 'leaf') leaves.push(node as Leaf)
    else for (const inner of data as unknown[]) collect(inner)
  }
  collect(saved.layouts.at(-1)?.[1].grid.root)
  const holding = (panel: string): Leaf['data'] | undefined =>
    leaves.find(({ data }) => data.views.includes(panel))?.data
  const [from, to] = [holding('schemas'), holding('problems')]
  if (!from || !to) throw new Error('the layout has no schemas, or no problems')
  from.views = from.views.filter((view) => view !== 'schemas')
  to.views.push('schemas')
  to.activeView = 'schemas'
  fs.writeFileSync(file, JSON.stringify(saved))
}

/** Every panel has been looked at once, and Run and Schemas are in front. */
async function lookAtEveryPanel(app: App): Promise<void> {
  const tabs = await app.page.locator('[data-testid^="tool-tab-"]').all()
  for (const tab of tabs) await tab.click()
  await app.testId('tool-tab-schemas').click()
  await app.testId('tool-tab-run').click()
}

/** Waits until nothing runs that the window knows of. Throws with what the status bar says where that takes too long. */
async function atRest(app: App): Promise<void> {
  const isAtRest = (): boolean => {
    const part = (id: string): Element | null => document.querySelector(`[data-testid="${id}"]`)
    const language = part('status-language')
    return (
      part('status-build')?.getAttribute('data-state') === 'good' &&
      part('toolbar-stop')?.hasAttribute('disabled') === true &&
      part('status-background') === null &&
      language?.getAttribute('data-state') === 'ready' &&
      !/reading/.test(language.textContent)
    )
  }
  await app.page.waitForFunction(isAtRest, undefined, { timeout: 40_000 }).catch(async () => {
    throw new Error(`the window is not at rest: ${await app.testId('statusbar').innerText()}`)
  })
}

export async function pause(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/** Edits and saves, and waits for all that the window shows of it. */
export async function save(app: App, one: LoopCase, round: number): Promise<Saved> {
  await app.focused(one.file)
  await one.edit(app, round)
  const watching = app.page.evaluate(watchSave, { longest, calm: 700 })
  await app.save()
  const seen = await watching
  const report = await app.page.evaluate(() => window.opsmithTest?.build.report() ?? null)
  if (report === null) throw new Error(`${one.name} was not built`)
  return { seen, engine: report.seconds, hot: report.hot }
}

/** One character that breaks the file, and the build that mends it again. */
export async function breakAndMend(app: App, one: LoopCase): Promise<number> {
  await app.focused(one.file)
  await app.page.keyboard.press('Control+End')
  await app.page.keyboard.press('Enter')
  await app.page.keyboard.type('x')
  const watching = app.page.evaluate(watchError, { file: one.file, longest })
  await app.save()
  const milliseconds = await watching
  await pause(betweenSaves)
  await app.openFile(one.file)
  await app.focused(one.file)
  await app.page.keyboard.press('Backspace')
  await app.page.keyboard.press('Backspace')
  await app.save()
  await pause(betweenSaves / 2)
  await atRest(app)
  return milliseconds
}

/** Until the compile server serves. */
export async function untilHot(app: App, one: LoopCase): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    const { hot } = await save(app, one, round)
    await pause(betweenSaves / 2)
    if (hot) return
  }
  throw new Error(`${one.name} is not built by the compile server`)
}

export async function openCase(cache: TestCache, one: LoopCase): Promise<App> {
  // The layout is written once it was changed.
  const first = await App.start(cache, one.folder, { hotCompile: true })
  await first.testId('tool-tab-schemas').click()
  await first.testId('schemas-panel').waitFor()
  await pause(1_000)
  await first.close()
  showSchemasBelow(cache)
  const app = await App.start(cache, one.folder, { hotCompile: true })
  await atRest(app)
  await lookAtEveryPanel(app)
  await app.testId('run-go').click()
  await app.testId('run-go').waitFor()
  await app.openFile(one.file)
  await atRest(app)
  return app
}
