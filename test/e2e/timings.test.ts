import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { App } from '../support/app'
import { copied } from '../support/clipboard'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

const buildTime = 170_000
/** Some rows of a twentieth of a second of samples each, and a machine that does other things, too. */
const measureTime = 180_000
let cache: TestCache
let app: App
let folder: string

const long = { shape: ['N'], dtype: 'float32' }
// Electron's own allocator gives nobody 2 GiB at once: tensors must not come from it.
const large = 'torch.sigmoid(x) + 0 * torch.empty([600000000]).numel()'
const benchmarks = [
  {
    op: 'sigmoid::sigmoid',
    args: ['x'],
    seconds: 0.05,
    against: ['torch.sigmoid(x)', 'torch.tanh(x)', large],
  },
  {
    name: 'long rows',
    op: 'sigmoid::sigmoid',
    args: ['x'],
    seconds: 0.05,
    inputs: { x: long },
    sizes: { N: [16, 256, 4096] },
    directions: ['forward'],
    against: ['torch.sigmoid(x)'],
    flops: '4 * N',
  },
  {
    name: 'products',
    op: 'aten::mm',
    args: ['x', 'x'],
    seconds: 0.05,
    inputs: { x: { shape: [64, 64] } },
    directions: ['forward'],
    against: ['x @ x'],
  },
]

// One window for all tests: each begins where the one before it ended.
beforeAll(async () => {
  cache = makeTestCache()
  folder = copyProject(path.join(root, 'samples/sigmoid'), cache)
  const file = path.join(folder, 'opsmith.json')
  // The sample's own benchmarks take seconds for each row.
  const text = fs.readFileSync(file, 'utf8')
  const own = text.indexOf('  "benchmarks"')
  expect(own).toBeGreaterThan(0)
  fs.writeFileSync(file, `${text.slice(0, own)}"benchmarks": ${JSON.stringify(benchmarks)}\n}\n`)
  app = await App.start(cache, folder)
  await app.built(buildTime)
  await app.page.keyboard.press('Control+9')
  await app.testId('timings-panel').waitFor()
})
afterAll(async () => {
  await app.close()
  cache.remove()
})

/** Of the table: kind, variant and how many of its cells hold a time. */
function lines(): Promise<{ kind: string; variant: string; times: number; refused: string }[]> {
  return app.page.evaluate(() =>
    [...document.querySelectorAll('[data-testid=timings-line]')].map((line) => ({
      kind: line.getAttribute('data-kind') ?? '',
      variant: line.getAttribute('data-variant') ?? '',
      times: line.querySelectorAll('[data-testid=timings-cell]').length,
      refused: line.querySelector('[data-testid=timings-refused]')?.textContent ?? '',
    })),
  )
}

/** Measures by a press, by default of the button for it, and waits until that button is there again. */
async function measure(
  button: 'timings-run' | 'timings-all',
  press = (): Promise<void> => app.testId(button).click(),
): Promise<void> {
  const stop = button === 'timings-run' ? 'timings-stop' : 'timings-all-stop'
  // A measurement may be over before a look from here: the window looks itself, from before the press on.
  const begun = app.page.waitForFunction(
    (id) => document.querySelector(`[data-testid=${id}]`) !== null,
    stop,
  )
  await Promise.all([begun, press()])
  await app.testId(button).waitFor({ timeout: measureTime })
}

describe('the timings panel', () => {
  it('all benchmarks are timed in one table, wrong results are refused, and a sweep can be copied and kept', async () => {
    await measure('timings-all')
    const all = await lines()
    expect(all[0]).toMatchObject({ kind: 'operator', variant: 'sigmoid::sigmoid', times: 3 })
    expect(all[1]).toMatchObject({ kind: 'expression', variant: 'torch.sigmoid(x)', times: 3 })
    // No speed is shown for a wrong answer; it says that it is one.
    expect(all[2]).toMatchObject({ variant: 'torch.tanh(x)', times: 0 })
    expect(all[2]?.refused).toMatch(/wrong|differ/)
    expect(all[3]).toMatchObject({ variant: large, times: 3, refused: '' })
    const verdicts = await app.page.evaluate(() =>
      [...document.querySelectorAll('[data-testid=timings-ratio]')].map(
        (ratio) => `${ratio.getAttribute('data-verdict')}: ${ratio.textContent}`,
      ),
    )
    expect(verdicts.length).toBeGreaterThanOrEqual(3)
    for (const verdict of verdicts)
      expect(verdict).toMatch(
        /^(slower|faster|no difference): [\d.]+× \[[\d.]+, [\d.]+\] (slower|faster|no difference)$/,
      )
    await app.picture('timings-all')

    await app.testId('timings-copy-markdown').click()
    const markdown = await copied(
      app,
      /^\| variant \| at \| forward \(\S+\) \| backward \(\S+\) \| both/,
    )
    expect(markdown).toMatch(/\| `torch\.sigmoid\(x\)` \|[^|]*\| (\*\*)?[\d.,]+(\*\*)? \[[\d.,]+, /)
    await app.testId('timings-copy-csv').click()
    const csv = (await copied(app, /^op,kind,variant,direction,/)).trim().split('\n')
    // Three directions of four variants, two variants at three points, and at one.
    expect(csv.length).toBe(1 + 12 + 6 + 2)

    await app.testId('timings-entry-1').click()
    await measure('timings-run')
    await app.testId('timings-sweep-chart').waitFor()
    await app.testId('timings-roofline').waitFor()
    expect((await lines()).map((line) => line.variant)).toEqual(
      Array.from({ length: 3 }, () => ['sigmoid::sigmoid', 'torch.sigmoid(x)']).flat(),
    )
    await app.testId('timings-enlarge').click()
    await app.picture('timings-sweep')
    const again = app.testId('timings-measure-ceilings')
    await again.click()
    await expect.poll(() => again.isEnabled(), { timeout: measureTime }).toBe(true)
    expect(await app.testId('timings-roofline').count()).toBe(1)
    await app.testId('timings-drift').click()
    await app.testId('timings-drift-chart').waitFor()

    await app.testId('timings-entry-2').click()
    await measure('timings-run')
    await app.page.getByText('524 kFLOP, counted').waitFor()
    await app.testId('timings-roofline').waitFor()
    await app.picture('timings-counted')
    await app.testId('timings-entry-1').click()

    await app.testId('timings-sizes').fill('N 32..128')
    await app.testId('timings-sizes').press('Enter')
    await app.testId('timings-fresh').uncheck()
    await app.testId('timings-keep').click()
    const kept = (): string => fs.readFileSync(path.join(folder, 'opsmith.json'), 'utf8')
    await expect.poll(kept).toMatch(/"N":\s*\[\s*32,\s*64,\s*128\s*\]/)
    expect(kept()).toMatch(/"fresh":\s*false/)
    await app.testId('timings-entry-3').waitFor()
    // opsmith.json may come back before the answer that chooses its new entry.
    await expect.poll(() => app.testId('timings-entry-3').getAttribute('aria-pressed')).toBe('true')
  })

  it('an edit is compared with the last build and its diff, and Stop ends a timing', async () => {
    await app.testId('timings-entry-0').click()
    await app.testId('timings-menu').click()
    await measure('timings-run', () => app.testId('timing.run').click())
    await app.testId('timings-builds').click()
    await app.page.getByText('Name this build').click()
    await app.testId('timings-build-name').fill('plain formula')
    await app.testId('timings-build-name').press('Enter')
    const right = 'return 1 / (1 + at::exp(-x));'
    const slow = 'return 1 / (1 + at::exp(-x)) + 0 * at::exp(x) * at::exp(x);'
    await app.openFile('op.cpp')
    await app.replace('op.cpp', right, slow)
    await app.save()
    // The panel is in front and "on build" is on: nobody has to ask.
    await expect
      .poll(
        () =>
          app
            .testId('timings-history')
            .getAttribute('data-builds')
            .catch(() => ''),
        {
          timeout: buildTime,
          interval: 200,
        },
      )
      .toBe('2')
    expect(await app.testId('timings-diff').textContent()).toContain(`+  ${slow}`)

    await app.testId('timings-builds').click()
    await app.testId('timings-build-last').click()
    await measure('timings-run')
    const build = (await lines()).find((line) => line.kind === 'build')
    expect(build).toMatchObject({ times: 3 })
    // By the name that it was given.
    expect(build?.variant).toContain('plain formula')
    await app.picture('timings-builds')

    await app.testId('timings-on-build').click()
    await app.replace('op.cpp', slow, right)
    await app.page
      .getByTestId('timings-panel')
      .getByTestId('stale-bar')
      .waitFor({ timeout: buildTime })
    await app.save()
    await app.page
      .getByTestId('timings-panel')
      .getByText('Built from older sources.')
      .waitFor({ timeout: buildTime })

    await app.testId('timings-seconds').fill('120')
    await app.testId('timings-seconds').press('Enter')
    await app.testId('timings-run').click()
    await app.testId('timings-stop').click()
    await app.testId('timings-run').waitFor()
    expect(await app.testId('timings-error').count()).toBe(0)
  })

  it('a sweep is measured by two workers as a run, which is left and attached to again', async () => {
    const points = app.testId('timings-point')
    await app.testId('timings-entry-1').click()
    // Long enough that the run goes on when the first point is there.
    await app.testId('timings-seconds').fill('1')
    await app.testId('timings-seconds').press('Enter')
    await app.testId('timings-where').selectOption('local')
    await app.testId('timings-run').click()
    await app.testId('timings-run-stop').waitFor()
    // Two workers may end theirs at once.
    await expect
      .poll(() => points.count(), { timeout: measureTime, interval: 100 })
      .toBeGreaterThan(0)
    await app.testId('timings-run-stop').click()
    await app.testId('timings-run-leave').click()
    const phase = app.testId('timings-run-phase')
    await phase.filter({ hasText: 'The run goes on' }).waitFor()

    // The workers know nothing of the window: what it sees again is what they have done by then.
    await app.testId('timings-overview').click()
    await app.testId('timings-run-entry').click()
    await phase.filter({ hasText: 'The run is done.' }).waitFor({ timeout: measureTime })
    const node = os.hostname()
    expect(await points.allTextContents()).toEqual([
      `N 16 on ${node}`,
      `N 256 on ${node}`,
      `N 4,096 on ${node}`,
    ])
    expect((await lines()).map(({ variant, times }) => `${variant} ${times}`)).toEqual(
      Array.from({ length: 3 }, () => ['sigmoid::sigmoid 1', 'torch.sigmoid(x) 1']).flat(),
    )
    expect(await app.testId('timings-run-missing').count()).toBe(0)
    await app.picture('timings-run')

    await app.testId('timings-run-remove').click()
    await app.testId('timings-run-entry').waitFor({ state: 'detached' })
    expect(fs.readdirSync(path.join(cache.places.dataFolder, 'runs'))).toEqual([])
  })
})
