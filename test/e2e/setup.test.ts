import fs from 'node:fs'
import path from 'node:path'

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { readSetupEnvironment } from '../../electron/engine/installation'
import { changeSettings } from '../../electron/engine/project/settings-file'
import { App } from '../support/app'
import { makeTestCache, root, subfolders, testInstallation } from '../support/installation'
import type { TestCache } from '../support/installation'
import { makePackageFolder } from '../support/package-folder'

const libtorch = process.env['OPSMITH_LIBTORCH'] ?? readSetupEnvironment(root).libtorch ?? ''
/** Milliseconds. */
const buildTime = 300_000

let cache: TestCache
let folder: string
let app: App

/** Variables with which a start knows nothing of the clone's set-up. */
function stranger(more: Readonly<Record<string, string>>): Record<string, string> {
  const ours = Object.keys(process.env).filter((name) => /^OPSMITH_(?!TESTS)/.test(name))
  return {
    ...Object.fromEntries(ours.map((name) => [name, ''])),
    HOME: path.join(cache.home, 'home'),
    VIRTUAL_ENV: '',
    CONDA_PREFIX: '',
    ...more,
  }
}

async function startPackage(environment: Readonly<Record<string, string>>): Promise<void> {
  app = await App.startAsItIs(cache, undefined, {
    checkout: folder,
    environment: stranger(environment),
  })
  await app.resize(1280, 720)
  await app.testId('setup-verdict').waitFor({ timeout: buildTime })
}

async function makePackage(own: readonly string[]): Promise<void> {
  cache = makeTestCache(own)
  // A compile server and clangd each take a core for as long as most tests.
  await changeSettings(cache.places.configFolder, { hotCompile: false, codeHelp: false })
  folder = path.join(cache.home, 'app')
  makePackageFolder(folder)
  fs.mkdirSync(path.join(cache.home, 'home'))
}

function link(tools: string, ...names: string[]): void {
  fs.mkdirSync(tools, { recursive: true })
  for (const name of names) {
    const found = ['/usr/bin', '/bin'].map((place) => path.join(place, name)).find(fs.existsSync)
    if (found !== undefined) fs.symlinkSync(found, path.join(tools, name))
  }
}

const option = (value: string): ReturnType<App['testId']> =>
  app.page.locator(`[data-testid=setup-libtorch][data-value="${value}"]`)

const steps = (state: string): Promise<number> =>
  app.page.locator(`[data-testid=setup-step][data-state=${state}]`).count()

async function builtSample(): Promise<void> {
  await app.built(buildTime)
}

describe('a package that was not set up', () => {
  beforeEach(async () => {
    await makePackage([])
  })
  afterEach(async () => {
    await app.close()
    cache.remove()
  })

  it('the window names what is missing, with the command that installs it', async () => {
    const tools = path.join(cache.home, 'tools')
    link(tools, 'apt-get', 'apt-cache')
    await startPackage({ PATH: tools, LIBTORCH: '' })
    await app.testId('setup-none').waitFor()
    const needs = await app.testId('setup-needs').innerText()
    expect(needs).toMatch(/C\+\+20 compiler.*CMake.*ninja/)
    if (fs.existsSync('/usr/bin/apt-get')) expect(needs).toMatch(/apt-get install -y .*cmake/)
    expect(await app.testId('setup-run').isDisabled()).toBe(true)
    await option('cpu').waitFor()
    expect(await app.testId('setup-space').innerText()).toMatch(/[\d.]+ GB are free/)
    await app.pictures('setup-nothing')
    // No op host was started without an addon, and none crashed.
    expect(await app.page.getByText(/crashed/).count()).toBe(0)
    // The samples are a click away.
    await app.testId('page-to-start').click()
    await app.testId('gallery-open-my_op').waitFor()
  })

  it('after an update the release notes are shown once', async () => {
    const sections =
      '## [0.1.0] - 2026-11-30\n### Added\n- Set-up in the window.\n\n## [0.0.9]\n- old\n'
    fs.writeFileSync(path.join(folder, 'CHANGELOG.md'), `# Changelog\n\n${sections}`)
    fs.writeFileSync(path.join(cache.places.stateFolder, 'seen-version'), '0.0.9')
    await startPackage({ LIBTORCH: libtorch })
    const notes = app.testId('release-notes')
    expect(await notes.innerText()).toMatch(/0\.1\.0[^]*Set-up in the window\./)
    expect(await notes.innerText()).not.toContain('old')
    await app.pictures('release-notes')
    await app.testId('release-notes-close').click()
    await notes.waitFor({ state: 'detached' })
    await app.close()
    await startPackage({ LIBTORCH: libtorch })
    expect(await app.testId('release-notes').count()).toBe(0)
  })
})

describe('a package on a machine that has a libtorch', () => {
  beforeAll(async () => {
    await makePackage(['addons'])
  })
  afterAll(async () => {
    await app.close()
    cache.remove()
  })

  const file = (name: string): string => path.join(cache.home, name)

  /**
   * A cmake that gives the addon of this clone, in place of the six minutes that a compiler takes for it. It fails
   * while there is a file `fail`, and waits while there is one `hold`.
   */
  function makeCmake(): string {
    const tools = file('cmake-tools')
    fs.mkdirSync(tools)
    const script = `#!/bin/sh
test "$1" = --build || exit 0
echo "[1/9] Building CXX object opsmith_native"
if test -e '${file('fail')}'; then echo "call.cpp:7:1: error: unknown type name"; exit 1; fi
while test -e '${file('hold')}'; do sleep 0.1; done
cp '${testInstallation(cache).addonFolder}'/*o* "$2"
`
    fs.writeFileSync(path.join(tools, 'cmake'), script, { mode: 0o755 })
    return tools
  }

  it('a step that fails is shown with its log, and can be tried again', async () => {
    const other = file('other-libtorch')
    fs.mkdirSync(other)
    for (const name of fs.readdirSync(libtorch))
      fs.symlinkSync(path.join(libtorch, name), path.join(other, name))
    fs.writeFileSync(file('fail'), '')
    const PATH = [makeCmake(), process.env['PATH'] ?? ''].join(path.delimiter)
    await startPackage({ PATH, LIBTORCH: other })
    await option(other).waitFor()
    await app.pictures('setup-found')
    await option(other).getByRole('radio').check()
    await app.testId('setup-run').click()
    const again = app.testId('setup-run').filter({ hasText: 'Try again' })
    await again.waitFor({ timeout: buildTime })
    const panel = await app.testId('setup-panel').innerText()
    expect(panel).toContain(
      'The native addon, the part of Opsmith that calls libtorch, did not compile.',
    )
    // The log is drawn now and then.
    await expect.poll(() => app.testId('setup-log').innerText()).toContain('call.cpp:7:1: error')
    expect(await steps('done')).toBe(1)
    await app.pictures('setup-failed')
  })

  it('samples and the editor can be used while it runs; Stop ends it', async () => {
    fs.rmSync(file('fail'))
    fs.writeFileSync(file('hold'), '')
    await app.testId('setup-run').click()
    await app.testId('setup-log').getByText('Building CXX object').waitFor()
    await app.testId('page-to-start').click()
    await app.testId('gallery-open-my_op').click()
    await app.testId('explorer-file-op.cpp').waitFor({ timeout: buildTime })
    await app.openFile('op.cpp')
    await app.focused('op.cpp')
    expect(await app.text('op.cpp')).toContain('my_op_forward')
    await app.testId('status-background').filter({ hasText: 'Set-up' }).waitFor()
    await app.page.keyboard.press('Control+Shift+P')
    await app.page.keyboard.type('Set up another libtorch')
    await app.page.keyboard.press('Enter')
    await app.testId('setup-stop').waitFor()
    await app.pictures('setup-running')
    fs.rmSync(file('hold'))
    // The addon is there; headers for this libtorch take a minute.
    await expect.poll(() => steps('done'), { timeout: buildTime }).toBe(2)
    await app.testId('setup-stop').click()
    await app.testId('setup-stopped').waitFor({ timeout: buildTime })
  })

  it('another libtorch is set up in the open window: its addon is built, the old one is kept', async () => {
    const before = subfolders(path.join(cache.folder, 'addons'))
    expect(before).toHaveLength(1)
    await app.electron.evaluate(({ dialog }, chosen) => {
      dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [chosen] })
    }, libtorch)
    await app.testId('setup-choose-folder').click()
    // It may have been in the list before it was chosen.
    await option(libtorch).getByRole('radio', { checked: true }).waitFor()
    await app.testId('setup-run').click()
    await app
      .testId('setup-verdict')
      .filter({ hasText: 'can build' })
      .waitFor({ timeout: buildTime })
    await expect.poll(() => steps('done'), { timeout: buildTime }).toBe(3)
    expect(subfolders(path.join(cache.folder, 'addons'))).toEqual(
      expect.arrayContaining(before) as string[],
    )
    expect(subfolders(path.join(cache.folder, 'addons'))).toHaveLength(2)
    const settings = path.join(cache.places.configFolder, 'settings.json')
    const chosen = (): unknown => JSON.parse(fs.readFileSync(settings, 'utf8'))
    await expect.poll(chosen).toMatchObject({ libtorch })
    await builtSample()
    await app.pictures('setup-another')
    await app.testId('rail-run').first().click()
    await app.testId('run-go').click()
    await app.testId('run-comparison').first().waitFor({ timeout: buildTime })
  })
})
