import fs from 'node:fs'
import path from 'node:path'

import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { setToolchain } from '../../electron/engine/project/edit-manifest'
import { App, startOnceMore } from '../support/app'
import { Axe } from '../support/axe'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

/** Milliseconds for a build, or for tests in Python. */
const buildTime = 170_000
/** A project that leaves a mark wherever something of it is run. */
let folder: string
let marker: string
let cache: TestCache
let app: App
let axe: Axe

type Answer = { ok: boolean; error?: { code: string; message: string }; value?: unknown }

const call = (name: string, input: unknown): Promise<Answer> =>
  app.page.evaluate(
    ([callName, payload]) =>
      (
        window as unknown as {
          opsmith: { call(name: unknown, input: unknown): Promise<Answer> }
        }
      ).opsmith.call(callName, payload),
    [name, input] as const,
  )

beforeAll(async () => {
  cache = makeTestCache()
  folder = copyProject(path.join(root, 'samples/my_op'), cache)
  marker = path.join(cache.home, 'ran')
  const tool = path.join(folder, 'tool')
  fs.writeFileSync(tool, `#!/bin/sh\necho "$0 $*" >> ${marker}\nexit 1\n`, { mode: 0o755 })
  await setToolchain(folder, { compiler: tool, libtorch: '', gpu: '' })
  fs.writeFileSync(path.join(folder, '.clangd'), `CompileFlags:\n  Compiler: ${tool}\n`)
  // The tests' folders are trusted; this one was never opened.
  fs.rmSync(path.join(cache.places.dataFolder, 'trust.json'))
  // What cannot be written must cost neither the window nor its end.
  fs.mkdirSync(path.join(cache.places.stateFolder, 'window.json'))
  app = await App.start(cache, folder, { hotCompile: false })
  await app.resize(1280, 720)
  axe = await Axe.in(app)
})
afterAll(async () => {
  await app.close()
  cache.remove()
})

it('a folder that is opened for the first time is asked about, and nothing of it is run before', async () => {
  await app.testId('trust-dialog').waitFor()
  await app.testId('explorer-file-op.cpp').waitFor()
  expect(await app.testId('trust-folder').textContent()).toBe(folder)
  await app.pictures('trust')
  expect(await axe.findingsInAllThemes('dialog[open]')).toEqual([])
  await app.testId('trust-no').click()
  await app.testId('trust-dialog').waitFor({ state: 'detached' })
  expect(await app.testId('trust-banner').textContent()).toMatch(/Restricted mode/)
  await app.testId('status-trust').waitFor()
  expect(fs.existsSync(marker)).toBe(false)
  // The banner takes room from the rail, which still has no scrollbar.
  for (const pixels of [19, 13]) {
    await app.page.evaluate((size) => {
      document.documentElement.style.fontSize = `${size}px`
    }, pixels)
    const hidden = app.testId('rail').evaluate((rail) => rail.scrollHeight - rail.clientHeight)
    expect(await hidden, `with text of ${pixels} px`).toBe(0)
  }
})

it('in restricted mode files are read, edited, saved and linted, and no call that runs something is answered', async () => {
  await app.openFile('op.cpp')
  await app.focused('op.cpp')
  await app.setText('op.cpp', '// typed in restricted mode\n')
  await app.save()
  await expect
    .poll(() => fs.readFileSync(path.join(folder, 'op.cpp'), 'utf8'))
    .toBe('// typed in restricted mode\n')
  expect((await call('lint.project', { folder, unsaved: [] })).ok).toBe(true)
  expect((await call('doctor.report', { folder })).ok).toBe(true)
  expect((await call('symbol.list', { folder, unsaved: [] })).ok).toBe(true)
  const job = 'job-1'
  const refused: [string, unknown][] = [
    ['operator.build', { folder, job }],
    ['operator.sanitize', { folder, job }],
    ['program.functions', { folder }],
    ['program.check', { folder, text: 'def f(): return 1' }],
    ['export.forms', { folder }],
    ['language.show', { folder, path: 'op.cpp', text: '', version: 1, judge: true }],
    ['git.status', { folder }],
    ['git.head', { folder, path: 'op.cpp' }],
    ['git.blame', { folder, path: 'op.cpp', text: '' }],
    ['registry.list', {}],
    ['host.restart', {}],
    ['terminal.open', { folder, columns: 80, rows: 24 }],
    ['results.read', { folder }],
    ['pytest.run', { folder, job, request: { ids: [], onlyList: false, recordsCalls: false } }],
  ]
  for (const [name, input] of refused)
    expect(await call(name, input), name).toMatchObject({ error: { code: 'project.restricted' } })
  // Whoever asks for a build is asked back.
  await app.testId('toolbar-build').click()
  await app.testId('trust-dialog').waitFor()
  await app.page.keyboard.press('Escape')
  await app.testId('trust-dialog').waitFor({ state: 'detached' })
  expect(fs.existsSync(marker)).toBe(false)
})

it('a torch.export archive is shown in restricted mode, without an op host', async () => {
  fs.copyFileSync(path.join(root, 'test/cases/graphs/older.pt2'), path.join(folder, 'model.pt2'))
  const opened = await call('graph.openFile', { folder, path: 'model.pt2' })
  expect(opened).toMatchObject({ ok: true, value: { kind: 'export', missing: [] } })
  const file = path.join(folder, 'model.pt2')
  const read = await call('graph.readExport', { path: file, entry: '' })
  expect(read.ok, read.error?.message).toBe(true)
  expect(await call('host.state', {})).toMatchObject({ value: { state: 'ended', pid: 0 } })
})

it('a folder that is trusted is built with its own tools at once, until that is revoked in Settings', async () => {
  await app.testId('trust-manage').click()
  await app.testId('trust-yes').click()
  await app.testId('trust-banner').waitFor({ state: 'detached' })
  await expect
    .poll(() => (fs.existsSync(marker) ? fs.readFileSync(marker, 'utf8') : ''))
    .toContain('--version')

  await app.page.keyboard.press('Control+Shift+P')
  await app.testId('palette-input').fill('Show Settings')
  await app.page.keyboard.press('Enter')
  await app.testId('settings-trust').waitFor()
  await app.picture('trust-settings')
  await app.testId(`settings-forget-${fs.realpathSync(folder)}`).click()
  await app.testId('trust-dialog').waitFor()
  await app.testId('trust-no').click()
  expect(await call('operator.build', { folder, job: 'job-2' })).toMatchObject({
    error: { code: 'project.restricted' },
  })
})

let repository: string
/** The folder of its opsmith.json. */
let apart: string

it('a repository without opsmith.json is proposed one; its setup.py runs once it is trusted, and it builds', async () => {
  const other = copyProject(path.join(root, 'test/cases/import/several'), cache)
  repository = other
  const ran = path.join(cache.home, 'setup-ran')
  fs.appendFileSync(
    path.join(other, 'setup.py'),
    `\nimport os\nopen(${JSON.stringify(ran)}, "w").write(os.getenv("NORM_LEVEL", "none"))\n`,
  )
  expect(await startOnceMore(cache, other)).toBe(0)
  await app.testId('import-lines').filter({ hasText: 'norm/norm.cpp' }).waitFor()
  expect(fs.existsSync(ran)).toBe(false)
  expect(fs.existsSync(path.join(other, 'opsmith.json'))).toBe(false)
  expect(await axe.findingsInAllThemes('dialog[open]')).toEqual([])
  await app.testId('import-trust').click()
  await app.testId('import-trust').waitFor({ state: 'detached' })
  expect(fs.existsSync(ran)).toBe(true)
  await app.testId('import-extension').selectOption('pool_cpp')
  await app.testId('import-lines').filter({ hasText: '-DPOOL_SCALE=3' }).waitFor()
  await app.picture('import')
  await app.testId('import-extension').selectOption('norm_cpp')
  await app.testId('import-lines').filter({ hasText: 'norm/norm.cpp' }).waitFor()
  // What setup.py looks for in the environment is asked for.
  expect(fs.readFileSync(ran, 'utf8')).toBe('none')
  await app.testId('import-switch-NORM_LEVEL').fill('2')
  await app.testId('import-switch-NORM_LEVEL').press('Enter')
  await expect.poll(() => fs.readFileSync(ran, 'utf8')).toBe('2')
  await app.testId('import-lines').filter({ hasText: 'norm/norm.cpp' }).waitFor()
  await app.testId('import-apart').check()
  await app
    .testId('import-lines')
    .filter({ hasText: `"root": "${other}"` })
    .waitFor()
  // setup.py runs no longer.
  const before = fs.readdirSync(other)
  await app.pictures('import-apart')
  expect(await axe.findingsInAllThemes('dialog[open]')).toEqual([])
  await app.testId('import-create').click()
  await app.testId('import-dialog').waitFor({ state: 'detached' })
  apart = path.join(cache.home, 'projects', path.basename(other))
  // The project before has an opsmith.json, too.
  await app.testId('toolbar-project').filter({ hasText: 'norm_cpp' }).waitFor()
  await app.testId('explorer-file-opsmith.json').click()
  await app.testId('tab-opsmith.json').waitFor()
  await app.testId('toolbar-build').click()
  const library = path.join(apart, 'build/libnorm_cpp.so')
  await expect.poll(() => fs.existsSync(library), { timeout: buildTime }).toBe(true)
  expect(fs.readdirSync(other)).toEqual(before)
})

it('its own tests run on what was built, and again after each build', async () => {
  await app.testId('rail-pytest').click()
  await app.testId('pytest-run-all').click()
  const row = (outcome: string): Locator =>
    app.page.locator(`[data-testid="pytest-row"][data-outcome="${outcome}"]`)
  await row('crashed').filter({ hasText: 'test_ends_the_process' }).waitFor({ timeout: buildTime })
  await row('passed').filter({ hasText: 'test_norm' }).locator('[data-pytest-id]').click()
  await app.testId('pytest-record').check()
  await app.testId('pytest-run-all').click({ timeout: buildTime })
  const call = app.testId('pytest-call').filter({ hasText: 'norm_cpp::norm(x float32[' })
  await call.waitFor({ timeout: buildTime })
  await app.testId('pytest-list-benchmarks').check()
  await app.testId('pytest-keep').click()
  await app.testId('pytest-kept').filter({ hasText: '1 call and 1 benchmark were added' }).waitFor()
  // What clangd said of the project before is not said of this one.
  expect(await app.testId('notification').filter({ hasText: 'not a C++ compiler' }).count()).toBe(0)
  const manifest = fs.readFileSync(path.join(apart, 'opsmith.json'), 'utf8')
  expect(manifest).toContain('"op": "norm_cpp::norm"')
  await app.pictures('pytest-calls')
  await app.testId('pytest-view-tests').click()
  await app.testId('pytest-record').uncheck()
  await app.testId('pytest-after-build').check()
  const source = path.join(repository, 'norm/norm.cpp')
  fs.writeFileSync(source, fs.readFileSync(source, 'utf8').replace('x / x.norm()', 'x * x.norm()'))
  await row('failed').filter({ hasText: 'test_norm' }).waitFor({ timeout: buildTime })
  await app.testId('pytest-message').filter({ hasText: 'not close' }).waitFor()
  await app.picture('pytest')
  await app.page.getByRole('button', { name: 'tests/test_norm.py:6' }).click()
  await app.testId('tab-tests/test_norm.py').waitFor()
})

it('an empty folder offers a new project from a template, which builds and passes its gradcheck', async () => {
  // Nothing from here on looks at code help, which would read libtorch's headers for each project.
  await app.page.keyboard.press('Control+Shift+P')
  await app.testId('palette-input').fill('Show Settings')
  await app.page.keyboard.press('Enter')
  await app.testId('settings-code-help').uncheck()
  await app.testId('status-language').waitFor({ state: 'detached' })
  const empty = path.join(cache.home, 'fused_silu')
  fs.mkdirSync(empty)
  expect(await startOnceMore(cache, empty)).toBe(0)
  await app.testId('new-project').waitFor()
  expect(await app.testId('new-project-name').inputValue()).toBe('fused_silu')
  expect(await app.testId('new-project-parent').inputValue()).toBe(cache.home)
  // A name that cannot be one is refused, and the dialog keeps what was chosen.
  await app.page.keyboard.type('fused-silu')
  await app.page.keyboard.press('Enter')
  await app
    .testId('new-project-error')
    .filter({ hasText: 'cannot be the name of a project' })
    .waitFor()
  await app.testId('new-project-template-autograd').check()
  await app.pictures('new-project')
  await app.testId('new-project-name').fill('fused_silu')
  await app.testId('new-project-create').click()
  await app.testId('new-project').waitFor({ state: 'detached' })
  await app.testId('explorer-file-op.cpp').waitFor()
  await app.testId('toolbar-build').click()
  const library = path.join(empty, 'build/libfused_silu.so')
  await expect.poll(() => fs.existsSync(library), { timeout: buildTime }).toBe(true)
  await app.testId('tool-tab-gradcheck').click()
  await app.testId('gradcheck-all').click()
  await app
    .testId('gradcheck-list-verdict')
    .filter({ hasText: '2 as expected' })
    .waitFor({ timeout: buildTime })
})

it('Doctor explains what a build printed, and copies the command that helps', async () => {
  await app.page.keyboard.press('Control+Shift+P')
  await app.testId('palette-input').fill('Show Doctor')
  await app.page.keyboard.press('Enter')
  // The project before chose a compiler that does not run; this one does not.
  await app.testId('doctor-verdict').filter({ hasText: 'can build and run' }).waitFor()
  await app.testId('doctor-log').fill('[1/2] c++ op.cpp\nfatal error: Python.h: No such file\n')
  const failure = app.testId('doctor-failure')
  await failure.waitFor()
  expect(await failure.innerText()).toMatch(/2: fatal error[\s\S]*sudo apt-get install python3-dev/)
  await app.pictures('doctor-log')
  await app.testId('doctor-log').fill('all is well')
  await failure.waitFor({ state: 'detached' })
})

it('a script that gives load_inline texts is run once it is trusted; the texts become files', async () => {
  const other = copyProject(path.join(root, 'test/cases/import/load_strings'), cache)
  expect(await startOnceMore(cache, other)).toBe(0)
  await app.testId('import-error').filter({ hasText: 'bench/swish.py' }).waitFor()
  expect(await axe.findingsInAllThemes('dialog[open]')).toEqual([])
  await app.testId('import-trust').click()
  await app.testId('import-lines').filter({ hasText: 'bench/swish.py:10, functions' }).waitFor()
  const file = path.join(other, 'bench/swish_ops_2.cpp')
  await app.testId('import-files').filter({ hasText: 'bench/swish_ops_2.cpp' }).waitFor()
  expect(fs.existsSync(file)).toBe(false)
  await app.picture('import-script')
  await app.testId('import-create').click()
  await app.testId('import-dialog').waitFor({ state: 'detached' })
  // The project before has an opsmith.json, too.
  await app.testId('toolbar-project').filter({ hasNotText: 'fused_silu' }).waitFor()
  await app.testId('explorer-file-opsmith.json').waitFor()
  expect(fs.readFileSync(file, 'utf8')).toContain('torch::sigmoid(beta * x)')
})

it('a second start hands its folder to the window that is open, also where nothing can be kept', async () => {
  const other = copyProject(path.join(root, 'samples/my_op'), cache)
  const { configFolder, dataFolder } = cache.places
  for (const file of [
    path.join(configFolder, 'settings.json'),
    path.join(dataFolder, 'trust.json'),
  ]) {
    // The app may write it again in between.
    await expect
      .poll(() => {
        fs.rmSync(file, { force: true })
        return fs.mkdirSync(path.join(file, 'x'), { recursive: true })
      })
      .toBeTruthy()
  }
  // Earlier texts may have been kept there.
  fs.rmSync(path.join(cache.places.dataFolder, 'drafts'), { recursive: true, force: true })
  fs.writeFileSync(path.join(cache.places.dataFolder, 'drafts'), 'no folder')
  expect(await startOnceMore(cache, other)).toBe(0)
  await app.testId('trust-folder').filter({ hasText: other }).waitFor()
  // Messages leave after a while: each is looked for when it comes.
  const messages = app.testId('notification')
  await messages.filter({ hasText: 'settings.json' }).first().waitFor()
  await app.testId('trust-no').click()
  await messages.filter({ hasText: 'trust.json' }).first().waitFor()
  await app.testId('trust-banner').waitFor()
  expect(app.electron.windows()).toHaveLength(1)
  const draft = { path: 'op.cpp', text: 'typed', baseVersion: '' }
  expect(await call('draft.keep', { folder: other, draft })).toMatchObject({
    error: { code: 'io' },
  })
  // What the pointer is on does not leave.
  await messages.first().hover()
  expect(await axe.findingsInAllThemes('[data-testid=notification]')).toEqual([])
  await app.picture('messages-dark')
})
