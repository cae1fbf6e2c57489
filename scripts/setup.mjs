// Makes a fresh clone ready; what is there already is left alone. Interrupt it anywhere and start it again.
import { pathToFileURL } from 'node:url'

import { userPath } from './lib/launch.mjs'
import { runSteps, SetupFailure } from './lib/steps.mjs'
import { appBundles } from './setup/app-bundles.mjs'
import { editorDatabase } from './setup/editor-database.mjs'
import { electronRuntime } from './setup/electron-runtime.mjs'
import { keepEnvironment, rememberedTools } from './setup/environment.mjs'
import { libtorch, namedLibtorch } from './setup/libtorch.mjs'
import { nativeAddon } from './setup/native-addon.mjs'
import { npmDependencies } from './setup/npm-dependencies.mjs'
import { precompiledHeaders } from './setup/precompiled-headers.mjs'
import { systemPackages } from './setup/system-packages.mjs'

/**
 * @param {object} purpose
 * @param {boolean} purpose.window the app will be opened: Electron and the renderer are needed
 * @param {boolean} purpose.tests what tests need beyond that: a display, formatters, Python's packages
 * @param {boolean} purpose.headers wait for precompiled headers; the window makes them in the background
 * @param {boolean} [purpose.editor] compile commands of native/ for editors
 * @param {boolean} [purpose.cuda] install torch for CUDA, where none but set-up's own for the CPU is here
 * @param {string[]} [purpose.bundles] the bundles to build, where others are wanted than the purpose suggests
 * @param {() => void} [purpose.onPackages] called when npm's and the system's packages are installed: what needs no
 *   more can run while the rest of set-up goes on
 * @param {() => void} [purpose.onAddon] called when the native addon is built, for the same reason
 * @param {boolean} [purpose.quiet] say nothing, on stderr, when nothing has to be done
 */
export async function setUp(purpose) {
  const { window, tests, headers, editor = false, cuda = false, bundles, quiet = false } = purpose
  const tools = quiet && !tests ? rememberedTools() : undefined
  const context = { window, tests, cuda, bundles, ...tools }
  const steps = [
    npmDependencies,
    ...(tools ? [] : [systemPackages]),
    ...(tools ? [] : [libtorch]),
    nativeAddon,
    ...(window ? [electronRuntime] : []),
    appBundles,
    ...(headers ? [precompiledHeaders] : []),
    ...(editor ? [editorDatabase] : []),
  ]
  const after = new Map([
    [systemPackages, purpose.onPackages],
    [nativeAddon, purpose.onAddon],
  ])
  const isWatched = steps.some((step) => after.get(step) !== undefined)
  const out = quiet ? process.stderr : process.stdout
  await runSteps(steps, context, {
    out,
    quiet,
    ...(isWatched ? { onDone: (step) => after.get(step)?.() } : {}),
  })
  keepEnvironment(context)
}

async function orExit(work) {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof SetupFailure)) throw error
    process.stderr.write(`\n${error.message}\n`)
    process.exit(2)
  }
}

/** Set-up for a launcher: a failure is told in words and ends the process with code 2. */
export async function setUpOrExit(purpose) {
  await orExit(() => setUp(purpose))
}

/** Only npm's packages: what tests of plain functions need. */
export async function setUpPackagesOrExit() {
  await orExit(() => runSteps([npmDependencies], {}, { out: process.stdout, quiet: true }))
}

/** Only the addon for one more libtorch, for a project that chose it; everything else stays as it is. */
async function setUpLibtorch(folder) {
  const context = { window: false, tests: false, libtorch: namedLibtorch(folder) }
  await runSteps([npmDependencies, nativeAddon], context, { out: process.stdout, quiet: false })
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const at = process.argv.indexOf('--libtorch')
  if (at < 0) {
    const tests = process.argv.includes('--tests')
    const cuda = process.argv.includes('--cuda')
    await setUpOrExit({ window: true, tests, headers: true, editor: true, cuda })
  } else {
    await orExit(() => setUpLibtorch(userPath('setup', process.argv[at + 1] ?? '')))
  }
}
