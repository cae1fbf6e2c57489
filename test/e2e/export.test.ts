import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { App } from '../support/app'
import { copied } from '../support/clipboard'
import { ConnectionWatch } from '../support/connections'
import { makeTestCache } from '../support/installation'
import type { TestCache } from '../support/installation'

const buildTime = 170_000
/** Python imports torch for each step, on a machine that does other things, too. */
const proofTime = 240_000

const source = `#include <ATen/ATen.h>
#include <torch/library.h>
#include <unistd.h>

namespace {
at::Tensor twice(const at::Tensor& x) {
  return 2 * x;
}
}  // namespace

TORCH_LIBRARY(small, m) {
  m.def("twice(Tensor x) -> Tensor", &twice);
}
`
const manifest = {
  name: 'small',
  sources: ['op.cpp'],
  inputs: { x: { shape: [2, 3] } },
  calls: [{ op: 'small::twice', args: ['x'], reference: '2 * x' }],
}

let cache: TestCache
let app: App
let connections: ConnectionWatch
let folder: string
let out: string
const pathBefore = process.env['PATH'] ?? ''

/** A PATH on which everything is but CMake: what needs it is not tried, and the rest takes seconds. */
function hideCmake(into: string): void {
  fs.mkdirSync(into)
  for (const from of pathBefore.split(':')) {
    if (!fs.existsSync(from)) continue
    for (const name of fs.readdirSync(from)) {
      if (name === 'cmake' || fs.existsSync(path.join(into, name))) continue
      fs.rmSync(path.join(into, name), { force: true })
      fs.symlinkSync(path.join(from, name), path.join(into, name))
    }
  }
  process.env['PATH'] = into
}

beforeAll(async () => {
  cache = makeTestCache()
  connections = new ConnectionWatch(cache.home)
  folder = path.join(cache.home, 'small')
  out = path.join(cache.home, 'elsewhere', 'out')
  fs.mkdirSync(folder)
  fs.writeFileSync(path.join(folder, 'op.cpp'), source)
  fs.writeFileSync(path.join(folder, 'opsmith.json'), JSON.stringify(manifest, null, 2))
  hideCmake(path.join(cache.home, 'bin'))
  app = await App.start(cache, folder)
  await app.built(buildTime)
  await app.page.keyboard.press('Control+Shift+E')
  await app.testId('export-panel').waitFor()
  // The keyboard is where one chooses.
  await app.testId('export-choose-cmake').waitFor()
  await app.page.keyboard.press('Control+Shift+E')
  await app.testId('export-forms').locator('input:focus').waitFor()
})
afterAll(async () => {
  process.env['PATH'] = pathBefore
  await app.close()
  cache.remove()
})

type Step = { form: string; step: string; status: string; reason: string }

function steps(): Promise<Step[]> {
  return app.page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('[data-testid=export-step]')].map((step) => ({
      form: step.dataset['form'] ?? '',
      step: step.dataset['step'] ?? '',
      status: step.dataset['status'] ?? '',
      reason: step.querySelector('[data-testid=export-step-reason]')?.textContent ?? '',
    })),
  )
}

async function resultIs(form: string, state: string): Promise<void> {
  await app.page
    .locator(`[data-testid=export-result-${form}][data-state=${state}]`)
    .waitFor({ timeout: proofTime })
}

async function running(): Promise<void> {
  await app.page
    .locator('[data-testid=export-step][data-status=running]')
    .first()
    .waitFor({ timeout: buildTime })
}

const exported = (file: string): string => fs.readFileSync(path.join(out, file), 'utf8')

describe('the export panel', () => {
  it('the panel shows which forms are possible and which steps of their proof cannot run here', async () => {
    await app.testId('export-form-library').waitFor()
    const possible = (form: string): Promise<string | null> =>
      app.testId(`export-form-${form}`).getAttribute('data-possible')
    expect(await possible('library')).toBe('true')
    expect(await possible('stable')).toBe('false')
    expect(await app.testId('export-choose-stable').isDisabled()).toBe(true)
    await app.testId('export-about-stable').click()
    expect(await app.testId('export-about-text-stable').textContent()).toMatch(/op\.cpp:\d/)
    await app.testId('export-about-cmake').click()
    expect(await app.testId('export-about-text-cmake').textContent()).toContain(
      'cmake is not installed',
    )
    // The library is what is chosen where nothing was.
    expect(await app.testId('export-choose-library').isChecked()).toBe(true)
    await app.picture('export-forms')
  })

  it('a typed folder outside the project needs a confirmation and is remembered', async () => {
    await app.electron.evaluate(({ dialog }) => {
      dialog.showMessageBox = (...args: unknown[]) => {
        Object.assign(globalThis, { asked: JSON.stringify(args.at(-1)) })
        return Promise.resolve({ response: 0, checkboxChecked: false })
      }
    })
    await app.testId('export-folder').fill(out)
    await app.testId('export-folder').press('Enter')
    const remembered = (): string => {
      const text = fs.readFileSync(path.join(cache.places.configFolder, 'settings.json'), 'utf8')
      const { exportFolders } = JSON.parse(text) as { exportFolders?: Record<string, string> }
      return exportFolders?.[folder] ?? ''
    }
    await expect.poll(remembered).toBe(out)
    const asked = await app.electron.evaluate(() => String(Reflect.get(globalThis, 'asked')))
    expect(asked).toContain(`Export to ${out}?`)
    await expect.poll(() => app.testId('export-folder').inputValue()).toBe(out)
  })

  it('Stop ends an export, and the panel shows that nothing is proven', async () => {
    await app.page.keyboard.press('F7')
    // A step that takes seconds: there is time to stop it.
    await app.page
      .locator('[data-testid=export-step][data-status=running][data-step="calls in Python"]')
      .waitFor({ timeout: buildTime })
    await app.testId('export-stop').click()
    await resultIs('library', 'stopped')
    expect(await app.testId('export-verdict').getAttribute('data-verdict')).toBe('stopped')
    expect(await app.testId('export-error').count()).toBe(0)
  })

  it('two forms are written and proven step by step', async () => {
    await app.testId('export-choose-cmake').click()
    await app.page.keyboard.press('F7')
    await running()
    await app.picture('export-running')
    await resultIs('library', 'partly')
    // Nothing of it could be tried: it does not count as done.
    await resultIs('cmake', 'written')
    const made = await steps()
    const library = made.filter((step) => step.form === 'library')
    expect(library[0]).toMatchObject({ step: 'write', status: 'ok' })
    expect(library.filter((step) => step.status === 'ok').map((step) => step.step)).toContain(
      'calls in Python',
    )
    expect(library.find((step) => step.status === 'skipped')?.reason).toContain(
      'cmake is not installed',
    )
    expect(made.filter((step) => step.status === 'failed')).toEqual([])
    expect(await app.testId('export-abi').textContent()).toMatch(/GLIBCXX_3\.4(\.\d+)? or newer/)
    expect(fs.existsSync(path.join(out, 'library/libsmall.so'))).toBe(true)
    expect(exported('cmake/CMakeLists.txt')).toContain('find_package(Torch')
    expect(await app.testId('export-verdict').getAttribute('data-verdict')).toBe('partly')
    await app.picture('export-done')

    await app.page
      .locator('[data-testid=export-step][data-step="calls in Python"] button')
      .first()
      .click()
    const log = app.page.getByRole('log', { name: 'Log of calls in Python' })
    await log.filter({ hasText: /\$ .*python/ }).waitFor()
    await app.electron.evaluate(({ shell }) => {
      shell.openPath = (opened) => {
        Object.assign(globalThis, { opened })
        return Promise.resolve('')
      }
    })
    await app.testId('export-open-library').click()
    const opened = (): Promise<string> =>
      app.electron.evaluate(() => String(Reflect.get(globalThis, 'opened')))
    await expect.poll(opened).toBe(path.join(out, 'library'))
    await app.testId('export-copy-command').click()
    expect(await copied(app, /^opsmith export/)).toBe(
      `opsmith export ${folder} --as library,cmake --out ${out}`,
    )
  })

  it('a file that was changed by hand is kept when the user chooses to keep it', async () => {
    const readme = path.join(out, 'library/README.md')
    const mine = `${fs.readFileSync(readme, 'utf8')}\nWritten by hand.\n`
    fs.writeFileSync(readme, mine)
    await app.testId('export-choose-cmake').click()
    await app.testId('export-proof').click()
    await app.testId('export-run').click()
    await app.testId('export-review').waitFor({ timeout: buildTime })
    expect(await app.testId('export-review-text').textContent()).toContain('1 file changed by hand')
    expect(await app.testId('export-run').isDisabled()).toBe(true)
    const change = app.page.locator('[data-testid=export-change][data-path="README.md"]')
    expect(await change.textContent()).toContain('-Written by hand.')
    await app.picture('export-review')
    await app.testId('export-keep').click()
    await app.testId('export-run').click()
    await resultIs('library', 'written')
    expect(fs.readFileSync(readme, 'utf8')).toBe(mine)
  })

  it('a proof that fails shows the failed step with its log, and the files stay', async () => {
    await app.openFile('op.cpp')
    // What it gives is another in every process: in Python, not what the op host recorded.
    await app.replace('op.cpp', 'return 2 * x;', 'return 2 * x + static_cast<int64_t>(getpid());')
    await app.testId('export-proof').click()
    await app.testId('export-run').click()
    await app.testId('export-review').waitFor({ timeout: buildTime })
    await app.testId('export-overwrite').click()
    await app.page.keyboard.press('F7')
    await resultIs('library', 'failed')
    const made = await steps()
    const failed = made.filter((step) => step.status === 'failed')
    expect(failed.map((step) => step.step)).toEqual(['calls in Python'])
    expect(failed[0]?.reason).toMatch(/python\S* exited with code 1/)
    // Of a long log, lines are drawn once they are in view.
    await app.page.getByRole('log').filter({ hasText: 'not close' }).waitFor()
    // What comes after it is not made.
    expect(made.at(-1)?.step).toBe('calls in Python')
    expect(await app.testId('export-verdict').getAttribute('data-verdict')).toBe('failed')
    expect(fs.existsSync(path.join(out, 'library/libsmall.so'))).toBe(true)
    expect(exported('library/README.md')).not.toContain('Written by hand.')
    await app.picture('export-failed')
    await app.resize(1024, 700)
    await app.picture('export-narrow')
    for (const part of ['export-bar', 'export-forms', 'export-main']) {
      const excess = (): Promise<number> =>
        app.testId(part).evaluate((element) => element.scrollWidth - element.clientWidth)
      await expect.poll(excess, { message: part }).toBeLessThanOrEqual(0)
    }

    // An edit makes it old, and a build would make no other.
    await app.replace('op.cpp', 'return 2 * x', 'return 3 * x')
    const old = app.testId('export-panel').getByTestId('stale-bar')
    await old.waitFor()
    expect(await old.textContent()).toMatch(/without the unsaved changes.*export again/)
  })

  it('no process of the session has connected to another machine', () => {
    expect(connections.count).toBeGreaterThan(3)
    expect(connections.end()).toEqual([])
  })
})
