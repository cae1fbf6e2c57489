// `npm run pictures`: photographs the real window for the README, in both themes, into docs/pictures.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { startVirtualDisplay } from './lib/display.mjs'
import { cacheFolder, root } from './lib/paths.mjs'
import { setUpOrExit } from './setup.mjs'
import { resolveElectron } from './setup/electron-runtime.mjs'
import { environmentVariables } from './setup/environment.mjs'
import { hasDisplay } from './setup/system-needs.mjs'

const pictures = path.join(root, 'docs', 'pictures')
const minute = 60_000

/** A cache folder with nobody's settings, layout or recent projects in it, but with the compilers' work. */
function makeCache(folder) {
  const own = path.join(folder, 'opsmith')
  fs.mkdirSync(own, { recursive: true })
  for (const name of ['precompiled', 'include', 'objects', 'builds', 'generated', 'addons']) {
    const shared = path.join(cacheFolder(), name)
    if (fs.existsSync(shared)) fs.symlinkSync(shared, path.join(own, name))
  }
}

async function openApp(folder, project) {
  const { _electron } = await import('playwright-core')
  const electron = resolveElectron()
  if (!electron) throw new Error('there is no Electron: npm run setup')
  const app = await _electron.launch({
    executablePath: electron.executable,
    args: ['--no-sandbox', '--force-device-scale-factor=1', root, project],
    env: {
      ...process.env,
      ...environmentVariables(),
      XDG_CACHE_HOME: folder,
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
  page
    .getByTestId('status-build')
    .filter({ hasText: /built in/i })
    .waitFor({ timeout: 3 * minute })

/** Edits, builds and runs the project, so that the panels show what work with it looks like. */
async function showWork(page, source) {
  await page.getByTestId('explorer-file-op.cpp').click()
  await page.getByTestId('toolbar-build').click()
  await isBuilt(page)
  // The first build may have waited for precompiled headers; the next one is what users see all day.
  await page
    .getByTestId('statusbar')
    .filter({ hasNotText: /precompiling/ })
    .waitFor({ timeout: 5 * minute })
  await page.evaluate((text) => globalThis['opsmithTest'].setEditorText('op.cpp', text), source)
  await page.keyboard.press('Control+S')
  await page.waitForTimeout(300)
  await isBuilt(page)
  await page.getByTestId('tool-tab-run').first().click()
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

await setUpOrExit({ window: true, tests: true, headers: true })
const display = hasDisplay() ? undefined : await startVirtualDisplay()
if (display) process.env['DISPLAY'] = display.display
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-pictures-'))
try {
  makeCache(folder)
  const project = path.join(folder, 'my_op')
  fs.cpSync(path.join(root, 'samples', 'my_op'), project, {
    recursive: true,
    filter: (file) => !['build', '.opsmith'].includes(path.basename(file)),
  })
  const file = path.join(project, 'op.cpp')
  const source = fs.readFileSync(file, 'utf8')
  fs.writeFileSync(file, source.replace('3 * grad', '2 * grad'))
  fs.mkdirSync(pictures, { recursive: true })
  const { app, page } = await openApp(folder, project)
  await showWork(page, source)
  await photograph(page, 'workbench')
  await page.getByTestId('tool-tab-schemas').first().click()
  await page.getByTestId('schema-row-my_op::my_op').waitFor({ timeout: minute })
  await photograph(page, 'schemas')
  await app.close()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  display?.stop()
  fs.rmSync(folder, { recursive: true, force: true })
}
