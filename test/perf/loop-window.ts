import { App } from '../support/app'
import type { TestCache } from '../support/installation'
import type { LoopCase } from './loop-cases'
import { processTimes, timesBetween } from './process-times'
import type { ProcessTimes } from './process-times'
import { watchError, watchSave } from './watch-window'
import type { SeenAfterSave } from './watch-window'

/** As people save: what follows a save by itself is over by then. Milliseconds. */
export const betweenSaves = 6_000
/** Milliseconds that one save is watched at most. */
const longest = 30_000

export interface Saved {
  seen: SeenAfterSave
  /** CPU time from Ctrl+S until all is fresh and nothing runs. */
  cpu: ProcessTimes
  /** Seconds of the engine for the same build. */
  engine: number
  /** It was built by the compile server. */
  hot: boolean
}

/** Panels that a save is watched in, each in a group of its own; the Run panel stays with all the others. */
const stacked = ['schemas', 'graph', 'gradcheck'] as const

async function runCommand(app: App, title: string): Promise<void> {
  await app.page.keyboard.press('Control+Shift+P')
  await app.testId('palette-input').fill(title)
  await app.page.keyboard.press('Enter')
}

/** Every panel is open and was looked at once; those that are watched are in sight. */
async function openEveryPanel(app: App): Promise<void> {
  await app.resize(1600, 1000)
  await runCommand(app, 'Layout: Write')
  for (const button of await app.page.locator('[data-testid^="rail-"]').all()) await button.click()
  for (const panel of stacked) {
    await app.testId(`rail-${panel}`).click()
    await runCommand(app, 'below its neighbours')
  }
  await app.testId('rail-run').click()
  for (const panel of [...stacked, 'run']) await app.testId(`tool-${panel}`).waitFor()
}

/** Waits until nothing runs that the window knows of. Throws with what the status bar says where that takes too long. */
async function atRest(app: App): Promise<void> {
  const isAtRest = (): boolean => {
    const part = (id: string): Element | null => document.querySelector(`[data-testid="${id}"]`)
    const language = part('status-language')
    return (
      part('status-build')?.getAttribute('data-state') === 'good' &&
      part('toolbar-stop')?.getAttribute('data-busy') === 'false' &&
      part('status-background') === null &&
      language?.getAttribute('data-state') === 'ready' &&
      !/reading/.test(language.textContent)
    )
  }
  await app.page.waitForFunction(isAtRest, undefined, { timeout: 240_000 }).catch(async () => {
    throw new Error(`the window is not at rest: ${await app.testId('statusbar').innerText()}`)
  })
}

export async function pause(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/** Presses Ctrl+S while the page watches for it, and returns what the watch says. */
async function watchedSave<Options, Result>(
  app: App,
  watch: (options: Options) => Promise<Result>,
  options: Options,
): Promise<Result> {
  // The page must listen before the key comes: of two messages, the key may be served first.
  await app.page.evaluate(`void (window.opsmithWatch = (${watch})(${JSON.stringify(options)}))`)
  await app.save()
  return app.page.evaluate<Result>('window.opsmithWatch')
}

/** Edits and saves, and waits for all that the window shows of it. */
export async function save(app: App, one: LoopCase, round: number): Promise<Saved> {
  await app.focused(one.file)
  await one.edit(app, round)
  const main = app.electron.process().pid ?? 0
  const before = processTimes(main)
  const seen = await watchedSave(app, watchSave, { longest, calm: 700, names: one.shows })
  const cpu = timesBetween(before, processTimes(main))
  const report = await app.page.evaluate(() => window.opsmithTest?.build.report() ?? null)
  if (report === null) throw new Error(`${one.name} was not built`)
  return { seen, cpu, engine: report.seconds, hot: report.hot }
}

/** One character that breaks the file, and the build that mends it again. */
export async function breakAndMend(app: App, one: LoopCase): Promise<number> {
  await app.focused(one.file)
  await app.page.keyboard.press('Control+End')
  await app.page.keyboard.press('Enter')
  await app.page.keyboard.type('x')
  const milliseconds = await watchedSave(app, watchError, { file: one.file, longest })
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
  const app = await App.start(cache, one.folder, { hotCompile: true })
  await atRest(app)
  await openEveryPanel(app)
  if (one.shows.includes('run')) {
    await app.testId('run-go').click()
    await app.testId('run-go').waitFor()
  }
  await app.openFile(one.file)
  await atRest(app)
  return app
}
