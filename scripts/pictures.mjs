// `npm run pictures [-- workbench|graphs|gradchecks|timings|profile|export|editor|film|panels]`: photographs and films
// the real window in both themes. The README's pictures go into docs/pictures. Those of each panel at two sizes, to be
// looked at after a change, go into test-results/panels, and only where `panels` is named.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { startVirtualDisplay } from './lib/display.mjs'
import { Film } from './lib/film.mjs'
import { cacheFolder, root } from './lib/paths.mjs'
import { setUpOrExit } from './setup.mjs'
import { resolveElectron } from './setup/electron-runtime.mjs'
import { environmentVariables } from './setup/environment.mjs'
import { hasDisplay } from './setup/system-needs.mjs'

const pictures = path.join(root, 'docs', 'pictures')
const minute = 60_000

/** Folders of Opsmith's with nobody's settings, layout or recent projects in it, but with the compilers' work. */
function makeCache(folder) {
  const own = path.join(folder, 'opsmith')
  fs.mkdirSync(own, { recursive: true })
  // The copies that are photographed are in the same folder.
  const decisions = { trusted: [fs.realpathSync(folder)], restricted: [] }
  const data = path.join(folder, 'data', 'opsmith')
  fs.mkdirSync(data, { recursive: true })
  fs.writeFileSync(path.join(data, 'trust.json'), JSON.stringify(decisions))
  const made = 'precompiled include objects builds generated addons compile-server'
  for (const name of made.split(' ')) {
    const shared = path.join(cacheFolder(), name)
    if (fs.existsSync(shared)) fs.symlinkSync(shared, path.join(own, name))
  }
}

async function openApp(folder, project) {
  const { _electron } = await import('playwright-core')
  const electron = resolveElectron()
  if (!electron) throw new Error('Electron was not found: run npm run setup')
  const app = await _electron.launch({
    executablePath: electron.executable,
    args: ['--no-sandbox', '--force-device-scale-factor=1', root, project],
    env: {
      ...process.env,
      ...environmentVariables(),
      XDG_CACHE_HOME: folder,
      XDG_CONFIG_HOME: path.join(folder, 'config'),
      XDG_DATA_HOME: path.join(folder, 'data'),
      XDG_STATE_HOME: path.join(folder, 'state'),
      OPSMITH_TESTS: '1',
    },
    timeout: minute,
  })
  const page = await app.firstWindow({ timeout: minute })
  await app.evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.setBounds({ x: 0, y: 0, width: 1600, height: 1000 })
  })
  await page.getByTestId('statusbar').waitFor({ timeout: minute })
  return { app, page }
}

const isBuilt = (page) =>
  page.locator('[data-testid="status-build"][data-state="good"]').waitFor({ timeout: 3 * minute })

/** Waits until a build runs. A very short one may be missed: then it goes on after 2 s. */
const isBuilding = (page) =>
  page
    .locator('[data-testid="status-build"][data-state="building"]')
    .waitFor({ timeout: 2_000 })
    .catch(() => undefined)

/** Edits, builds and runs the project, so that the panels show what work with it looks like. */
async function showWork(page, source) {
  await page.getByTestId('explorer-file-op.cpp').click()
  await page.getByTestId('toolbar-build').click()
  await isBuilding(page)
  await isBuilt(page)
  // The first build may have waited for precompiled headers; the next one is what users see all day.
  await page
    .getByTestId('statusbar')
    .filter({ hasNotText: /precompiling|compile server/ })
    .waitFor({ timeout: 5 * minute })
  await page.evaluate((text) => globalThis['opsmithTest'].setEditorText('op.cpp', text), source)
  const building = isBuilding(page)
  await page.keyboard.press('Control+S')
  await building
  await isBuilt(page)
  await page.getByTestId('rail-run').first().click()
  await page.getByTestId('run-go').click()
  await page.getByTestId('run-comparison').first().waitFor({ timeout: minute })
}

async function photograph(page, name) {
  for (const theme of /** @type {const} */ (['dark', 'light'])) {
    await page.emulateMedia({ colorScheme: theme })
    // Monaco and the charts repaint after the style does.
    await page.waitForTimeout(800)
    await page.screenshot({ path: path.join(pictures, `${name}-${theme}.png`) })
    console.log(`docs/pictures/${name}-${theme}.png`)
  }
}

/** A copy of a sample, since builds write into it. */
function copySample(folder, name) {
  const project = path.join(folder, name)
  fs.cpSync(path.join(root, 'samples', name), project, {
    recursive: true,
    filter: (file) => !['build', '.opsmith'].includes(path.basename(file)),
  })
  return project
}

async function photographWorkbench(folder) {
  const project = copySample(folder, 'my_op')
  const file = path.join(project, 'op.cpp')
  const source = fs.readFileSync(file, 'utf8')
  fs.writeFileSync(file, source.replace('3 * grad', '2 * grad'))
  const { app, page } = await openApp(folder, project)
  await showWork(page, source)
  await photograph(page, 'workbench')
  await page.getByTestId('rail-schemas').first().click()
  await page.getByTestId('schema-row-my_op::my_op').waitFor({ timeout: minute })
  await photograph(page, 'schemas')
  await app.close()
}

/** Until the graph of this title (and what it is compared with) is painted. */
async function graphShown(page, title, compare = '') {
  await page.waitForFunction(
    ([wanted, other]) => {
      const now = globalThis['opsmithTest'].graph.state()
      const isThere = !now.working && now.complete && now.title === wanted
      return isThere && (other === '' || now.compare === other)
    },
    [title, compare],
    { timeout: 3 * minute },
  )
}

/** The script with a node selected, beside the program; the trace beside the script it lost a branch of. */
async function photographGraphs(folder) {
  const project = copySample(folder, 'warp_perspective')
  const { app, page } = await openApp(folder, project)
  await page.getByTestId('explorer-file-program.py').click()
  await page.getByTestId('rail-graph').click()
  await graphShown(page, 'compute · script')
  await page.evaluate(() => globalThis['opsmithTest'].graph.exportAs('json', 'graph.json'))
  const exported = JSON.parse(fs.readFileSync(path.join(project, 'graph.json'), 'utf8'))
  fs.rmSync(path.join(project, 'graph.json'))
  const custom = exported.nodes.find((node) => node.custom)
  await page.evaluate(async (id) => {
    const { graph } = globalThis['opsmithTest']
    await graph.select(id)
    graph.fit()
  }, custom.id)
  await closeNotifications(page)
  await graphShown(page, 'compute · script')
  await photograph(page, 'graph')
  await page.getByTestId('graph-form').selectOption('trace')
  await graphShown(page, 'compute · trace')
  await page.getByTestId('graph-script-beside').click()
  await graphShown(page, 'compute · trace', 'compute · script')
  await page.getByTestId('graph-enlarge').click()
  await page.waitForTimeout(300)
  for (const fit of await page.getByTestId('graph-fit').all()) await fit.click()
  await graphShown(page, 'compute · trace', 'compute · script')
  await photograph(page, 'graph-trace-diff')
  await app.close()
}

/** A wrong backward with its cause, and the error over eps of the right one. */
async function photographGradchecks(folder) {
  const project = copySample(folder, 'sigmoid')
  const { app, page } = await openApp(folder, project)
  await page.getByTestId('explorer-file-op.cpp').click()
  await page.getByTestId('rail-gradcheck').click()
  await isBuilt(page)
  const verdict = (word) =>
    page
      .locator(`[data-testid=gradcheck-verdict][data-verdict=${word}]`)
      .waitFor({ timeout: minute })
  await verdict('passed')
  await page.getByTestId('gradcheck-entry-3').click()
  await verdict('passed')
  await page.getByTestId('gradcheck-sweep').click()
  await page.getByTestId('gradcheck-sweep-chart').waitFor({ timeout: minute })
  await page
    .getByTestId('gradcheck-history')
    .or(page.getByTestId('gradcheck-search'))
    .last()
    .scrollIntoViewIfNeeded()
  await photograph(page, 'gradcheck-sweep')
  const source = fs.readFileSync(path.join(project, 'op.cpp'), 'utf8')
  const wrong = source.replace('grad * output * (1', '2 * grad * output * (1')
  await page.evaluate((text) => globalThis['opsmithTest'].setEditorText('op.cpp', text), wrong)
  await page.keyboard.press('Control+S')
  await verdict('failed')
  await page.getByTestId('gradcheck-enlarge').click()
  await page.getByTestId('gradcheck-worst').click()
  await page
    .getByTestId('gradcheck-readout')
    .filter({ hasText: 'numerical 0' })
    .waitFor({ timeout: minute })
  await page.getByTestId('gradcheck-verdict').evaluate((element) => element.scrollIntoView())
  await photograph(page, 'gradcheck')
  await app.close()
}

/** The operator beside libtorch's own and its last build, then over sizes. */
async function photographTimings(folder) {
  const project = copySample(folder, 'sigmoid')
  const { app, page } = await openApp(folder, project)
  await isBuilt(page)
  await page.getByTestId('explorer-file-op.cpp').click()
  await page.getByTestId('rail-timings').click()
  const measured = () => page.getByTestId('timings-run').waitFor({ timeout: 3 * minute })
  const measure = async () => {
    await page.getByTestId('timings-run').click()
    await page.getByTestId('timings-stop').waitFor({ timeout: minute })
    await measured()
  }
  await page.getByTestId('timings-entry-0').click()
  await measure()
  const source = fs.readFileSync(path.join(project, 'op.cpp'), 'utf8')
  const other = source.replace('return 1 / (1 + at::exp(-x));', 'return at::sigmoid(x);')
  await page.evaluate((text) => globalThis['opsmithTest'].setEditorText('op.cpp', text), other)
  await page.keyboard.press('Control+S')
  await page
    .locator('[data-testid=timings-history][data-builds="2"]')
    .waitFor({ timeout: 3 * minute })
  await page.getByTestId('timings-builds').click()
  await page.getByTestId('timings-build-last').click()
  await measure()
  await photograph(page, 'timings')
  await page.getByTestId('timings-entry-1').click()
  await measure()
  await page.getByTestId('timings-enlarge').click()
  await page.getByTestId('timings-sweep-chart').evaluate((element) => element.scrollIntoView())
  await photograph(page, 'timings-sweep')
  await app.close()
}

async function photographProfile(folder) {
  const project = copySample(folder, 'warp_perspective')
  const { app, page } = await openApp(folder, project)
  await isBuilt(page)
  await page.getByTestId('explorer-file-program.py').click()
  await page.getByTestId('rail-profile').click()
  await page.getByTestId('profile-op').fill('warp_reference')
  await page.getByTestId('profile-op').press('Enter')
  await page.getByTestId('profile-run').click()
  const timeline = page.getByTestId('profile-timeline')
  await timeline.waitFor({ timeout: minute })
  await timeline.focus()
  // The run, the function, what it calls first, and from there to the right.
  for (const key of ['ArrowRight', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight', 'Enter'])
    await page.keyboard.press(key)
  await photograph(page, 'profile')
  await page.getByTestId('profile-view-flame').click()
  await page.getByTestId('profile-enlarge').click()
  await page.getByTestId('profile-flame').focus()
  for (const key of ['ArrowRight', 'ArrowDown', 'ArrowDown', 'ArrowRight'])
    await page.keyboard.press(key)
  await photograph(page, 'profile-flame')
  await app.close()
}

/** A library and a package, proven; then what another export would change. */
async function photographExport(folder) {
  const project = copySample(folder, 'sigmoid')
  const { app, page } = await openApp(folder, project)
  await isBuilt(page)
  await page.getByTestId('explorer-file-op.cpp').click()
  await page.getByTestId('rail-export').click()
  await page.getByTestId('export-choose-setuptools').click()
  await page.getByTestId('export-run').click()
  await page.getByTestId('export-verdict').waitFor({ timeout: 10 * minute })
  await page.getByTestId('export-enlarge').click()
  await photograph(page, 'export')
  const readme = path.join(`${project}-exports`, 'library', 'README.md')
  fs.appendFileSync(readme, '\nAsk the vision team before you change the ABI.\n')
  const source = fs.readFileSync(path.join(project, 'op.cpp'), 'utf8')
  const other = source.replace('return 1 / (1 + at::exp(-x));', 'return at::sigmoid(x);')
  await page.evaluate((text) => globalThis['opsmithTest'].setEditorText('op.cpp', text), other)
  await page.getByTestId('export-run').click()
  await page.getByTestId('export-review').waitFor({ timeout: 3 * minute })
  await photograph(page, 'export-review')
  await app.close()
}

/** As the palette does. */
async function runTitled(page, title) {
  await page.keyboard.press('Control+Shift+P')
  await page.keyboard.type(title)
  await page.keyboard.press('Enter')
}

/** What clangd and the lints say while one types; then a function's instructions and where a build's time went. */
async function photographEditor(folder) {
  const project = copySample(folder, 'gc_layer')
  const { app, page } = await openApp(folder, project)
  const openAt = (line, column) =>
    page.evaluate(
      ([at, of]) => globalThis['opsmithTest'].openFile('gc_layer.cpp', at, of),
      [line, column],
    )
  await isBuilt(page)
  await openAt(27, 1)
  await runTitled(page, 'Show Assembly')
  await page.getByTestId('assembly-name').filter({ hasText: 'gc_backward' }).waitFor()
  await runTitled(page, 'Show Build')
  await page.getByTestId('build-time').click()
  await page.getByTestId('build-trace').click()
  await page.getByTestId('build-flame').waitFor({ timeout: 3 * minute })
  await page
    .locator('[data-testid=status-language][data-state=ready]')
    .filter({ hasNotText: /reading/ })
    .waitFor({ timeout: 3 * minute })
  await closeNotifications(page)
  await photograph(page, 'assembly')
  const source = fs.readFileSync(path.join(project, 'gc_layer.cpp'), 'utf8')
  const typed = source.replace(
    '  return a.mm(x).mm(w) + b;',
    '  const double* scale = b.data_ptr<double>();\n  const auto rows = a.new_em\n  return scale[0] * a.mm(x).mm(w) + b;',
  )
  await page.evaluate(
    (text) => globalThis['opsmithTest'].setEditorText('gc_layer.cpp', text),
    typed,
  )
  await runTitled(page, 'Show Schemas')
  await runTitled(page, 'Show Problems')
  const lint = page.locator('[data-code="opsmith-not-contiguous"]')
  await lint.getByTestId('problem-more').click({ timeout: minute })
  await page.getByTestId('problem-row').filter({ hasText: 'new_em' }).first().waitFor()
  const line = typed.split('\n').findIndex((text) => text.includes('new_em')) + 1
  await openAt(line, 28)
  await page.keyboard.press('Control+Space')
  await page
    .locator('.suggest-widget .monaco-list-row', { hasText: 'new_empty' })
    .first()
    .waitFor({ timeout: minute })
  await photograph(page, 'editor')
  await app.close()
}

/** From an edit to a proven library in 40 seconds: a wrong gradient, its cause, times, an export. */
async function filmLoop(folder) {
  for (const theme of /** @type {const} */ (['dark', 'light'])) {
    const project = copySample(fs.mkdtempSync(path.join(folder, 'film-')), 'sigmoid')
    const { app, page } = await openApp(folder, project)
    await app.evaluate(({ BrowserWindow }) => {
      BrowserWindow.getAllWindows()[0]?.setBounds({ x: 0, y: 0, width: 1280, height: 800 })
    })
    await page.emulateMedia({ colorScheme: theme })
    await isBuilt(page)
    const source = fs.readFileSync(path.join(project, 'op.cpp'), 'utf8')
    const lines = source.split('\n')
    const line = lines.findIndex((one) => one.includes('grad * output * (1')) + 1
    const column = (lines[line - 1] ?? '').indexOf('grad * output') + 1
    const goThere = () =>
      page.evaluate(
        ([at, of]) => globalThis['opsmithTest'].openFile('op.cpp', at, of),
        [line, column],
      )
    const verdict = (word) =>
      page
        .locator(`[data-testid=gradcheck-verdict][data-verdict=${word}]`)
        .waitFor({ timeout: minute })
    await goThere()
    await page.getByTestId('rail-run').first().click()
    await page.getByTestId('run-go').click()
    await page.getByTestId('run-comparison').first().waitFor({ timeout: minute })
    await closeNotifications(page)
    const film = new Film(page)
    await page.waitForTimeout(2500)
    await page.getByTestId('rail-gradcheck').first().click()
    await verdict('passed')
    await page.waitForTimeout(2500)
    await goThere()
    await page.keyboard.type('2 * ', { delay: 250 })
    await page.waitForTimeout(500)
    await page.keyboard.press('Control+S')
    await verdict('failed')
    await page.waitForTimeout(4500)
    await page.getByTestId('gradcheck-worst').click()
    await page.waitForTimeout(4000)
    await goThere()
    for (const _ of '2 * ') {
      await page.keyboard.press('Delete')
      await page.waitForTimeout(200)
    }
    await page.keyboard.press('Control+S')
    await verdict('passed')
    await page.waitForTimeout(3500)
    await page.getByTestId('rail-timings').first().click()
    await page.getByTestId('timings-entry-0').click()
    await page.getByTestId('timings-run').click()
    await film.faster(2, async () => {
      await page.getByTestId('timings-stop').waitFor({ timeout: minute })
      await page.getByTestId('timings-run').waitFor({ timeout: 3 * minute })
    })
    await page.waitForTimeout(5000)
    await page.getByTestId('rail-export').first().click()
    await page.waitForTimeout(1500)
    await page.getByTestId('export-run').click()
    await film.faster(8, () => page.getByTestId('export-verdict').waitFor({ timeout: 10 * minute }))
    await page.waitForTimeout(4500)
    const name = `loop-${theme}.webp`
    const seconds = await film.write(path.join(pictures, name))
    console.log(`docs/pictures/${name}, ${seconds.toFixed(0)} s`)
    await app.close()
  }
}

const panelSizes = [
  { width: 1280, height: 720 },
  { width: 1440, height: 900 },
]

/** Each panel with what a built sample shows in it, at two sizes of the window. */
async function photographPanels(folder) {
  const target = path.join(root, 'test-results', 'panels')
  fs.rmSync(target, { recursive: true, force: true })
  fs.mkdirSync(target, { recursive: true })
  const { app, page } = await openApp(folder, copySample(folder, 'gc_layer'))
  await isBuilt(page)
  const fill = { run: 'run-go', 'operator-checks': 'operator-check-run', profile: 'profile-run' }
  const ids = await page
    .locator('[data-testid^="rail-"]')
    .evaluateAll((found) => found.map((one) => one.getAttribute('data-testid') ?? ''))
  for (const id of new Set(ids.map((one) => one.slice('rail-'.length)))) {
    await page.getByTestId(`rail-${id}`).first().click()
    if (fill[id]) await page.getByTestId(fill[id]).click()
    if (id === 'timings') await page.getByTestId('timings-entry-0').click()
    await page.waitForTimeout(fill[id] ? 6000 : 1500)
    await closeNotifications(page)
    for (const { width, height } of panelSizes) {
      await app.evaluate(
        ({ BrowserWindow }, bounds) => BrowserWindow.getAllWindows()[0]?.setBounds(bounds),
        { x: 0, y: 0, width, height },
      )
      for (const colorScheme of /** @type {const} */ (['dark', 'light'])) {
        await page.emulateMedia({ colorScheme })
        await page.waitForTimeout(800)
        const name = `${id}-${width}x${height}-${colorScheme}.png`
        await page.screenshot({ path: path.join(target, name) })
        console.log(`test-results/panels/${name}`)
      }
    }
  }
  await app.close()
}

async function closeNotifications(page) {
  for (const close of await page.getByRole('button', { name: 'Dismiss' }).all()) await close.click()
}

const shoots = {
  workbench: photographWorkbench,
  graphs: photographGraphs,
  gradchecks: photographGradchecks,
  timings: photographTimings,
  profile: photographProfile,
  export: photographExport,
  editor: photographEditor,
  film: filmLoop,
  panels: photographPanels,
}
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !(name in shoots))
if (unknown.length > 0) {
  console.error(
    `unknown pictures ${unknown.join(', ')}: the pictures are ${Object.keys(shoots).join(', ')}`,
  )
  process.exit(2)
}

await setUpOrExit({ window: true, tests: true, headers: true })
const display = hasDisplay() ? undefined : await startVirtualDisplay()
if (display) process.env['DISPLAY'] = display.display
try {
  fs.mkdirSync(pictures, { recursive: true })
  for (const [name, shoot] of Object.entries(shoots)) {
    if (wanted.length > 0 ? !wanted.includes(name) : name === 'panels') continue
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-pictures-'))
    try {
      makeCache(folder)
      await shoot(folder)
    } finally {
      fs.rmSync(folder, { recursive: true, force: true })
    }
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  display?.stop()
}
