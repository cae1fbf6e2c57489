// `npm run test:package [-- --made]`: makes the packages, installs the .deb in a root of its own, and works with it as
// an ordinary user: set-up, a sample, the window, removal. --made takes the .deb of the last `npm run package`.
import fs from 'node:fs'
import path from 'node:path'

import { runCommand } from './lib/command.mjs'
import { startVirtualDisplay } from './lib/display.mjs'
import { readJson } from './lib/files.mjs'
import { root, setupFolder } from './lib/paths.mjs'
import { refuse } from './lib/refuse.mjs'
import {
  InstalledPackage,
  installationProblem,
  sandboxHindrance,
} from './package/installed-package.mjs'
import { CleanDebian, cleanDebianProblem } from './package/clean-debian.mjs'
import { lookAtWindow } from './package/packaged-window.mjs'
import { environmentVariables } from './setup/environment.mjs'

const counts = { good: 0, failed: 0, skipped: 0 }

/** Why the steps after it cannot be made; "" while all is well. */
let hindrance = ''

/**
 * Runs one step and prints how it went.
 * @param {() => Promise<string | void>} work what it returns is printed
 * @param {{ why?: string, needed?: boolean }} [options] `why` it is impossible here; `needed`: without it no more is tried
 */
async function step(title, work, options = {}) {
  const { why = '', needed = false } = options
  const reason = hindrance || why
  if (reason) {
    counts.skipped += 1
    console.log(`skipped  ${title}: ${reason}`)
    return
  }
  const started = performance.now()
  try {
    const seen = await work()
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    counts.good += 1
    console.log(`good     ${title} … ${seconds} s${seen ? `\n${indented(seen)}` : ''}`)
  } catch (error) {
    counts.failed += 1
    console.log(`FAILED   ${title}\n${indented(error.message)}`)
    if (needed) hindrance = `"${title}" failed`
  }
}

const indented = (text) => text.trimEnd().replace(/^/gm, '         ')

function expectText(text, wanted) {
  if (!wanted.test(text)) throw new Error(`${wanted} is not in\n${text}`)
  return text
}

/** The clone's libtorch where an ordinary user can read it: nothing has to be downloaded then. */
async function torchFor(installed) {
  const folder = environmentVariables()['OPSMITH_LIBTORCH']
  if (!folder) return []
  const copy = path.join(installed.folder, 'libtorch')
  fs.mkdirSync(copy)
  const parts = ['lib', 'include', 'share', 'version.py'].filter((name) =>
    fs.existsSync(path.join(folder, name)),
  )
  for (const name of parts)
    await runCommand(['cp', '-r', '--reflink=auto', path.join(folder, name), copy])
  await runCommand(['chmod', '-R', 'a+rX', copy])
  return ['--libtorch', copy]
}

const linesOf = (text) =>
  text.split('\n').filter((line) => / s {2}|: \d|^(note|opsmith):/.test(line))

async function firstSetUp(installed) {
  try {
    return linesOf(await installed.opsmith('setup', '--yes')).join('\n')
  } catch (error) {
    const why = error.message.trim().split('\n').slice(-3).join('\n')
    const words = await torchFor(installed)
    if (words.length === 0) throw error
    const output = await installed.opsmith('setup', ...words)
    return `set up without a download, because the download failed:\n${why}\n${linesOf(output).join('\n')}`
  }
}

async function tryOut(installed, deb) {
  await step('install in a separate root', () => installed.dpkg('--install', deb).then(() => ''), {
    needed: true,
  })
  await step('the files match their checksums', async () => {
    const differences = await installed.dpkg('--verify', 'opsmith')
    if (differences !== '') throw new Error(differences)
    const link = path.join(installed.prefix, 'usr', 'bin', 'opsmith')
    return (
      expectText(await installed.opsmith('--version'), /^\d+\.\d+\.\d+/) && fs.readlinkSync(link)
    )
  })
  await step('before set-up, doctor names opsmith setup', async () => {
    const text = await installed.opsmith('doctor').catch((error) => error.message)
    expectText(text, /opsmith setup/)
    if (text.includes('npm run')) throw new Error(`npm is named in\n${text}`)
  })
  await step('opsmith setup', () => firstSetUp(installed), { needed: true })
  const words = ['setup', '--yes', '--json']
  await step('a second set-up makes nothing', async () => {
    const kept = readEnvironment(installed)
    const output = await installed.opsmith(...words, '--libtorch', kept.libtorch)
    if (/"isMade": true/.test(output)) throw new Error(output)
  })
  const resources = path.join(installed.prefix, 'opt', 'Opsmith', 'resources')
  const sample = path.join(resources, 'app.asar.unpacked', 'samples', 'my_op')
  let project = ''
  await step('copy a sample', async () => {
    project = await installed.copyToHome(sample)
  })
  await step('build', () => installed.opsmith('build', project).then(() => ''), { needed: true })
  await step('run', () => installed.opsmith('run', project).then(() => ''))
  await step('gradcheck', () => installed.opsmith('gradcheck', project).then(() => ''))
  await step('check', () => installed.opsmith('check', project).then(() => ''))
  await step('export as cmake and app, with their proofs', async () => {
    const out = path.join(installed.home, 'exported')
    await installed.opsmith('export', project, '--as', 'cmake,app', '--out', out)
  })
  const display = await startVirtualDisplay().catch((error) => error.message)
  const problem = typeof display === 'string' ? display : sandboxHindrance()
  const picture = path.join(setupFolder, 'package-window.png')
  await step(
    "the window, with Chromium's sandbox",
    () => lookAtWindow(installed, project, { display: display.display, picture }),
    { why: problem },
  )
  if (typeof display !== 'string') display.stop()
  await step('no process is left', async () => {
    const left = installed.processes().filter(({ pid }) => pid !== process.pid)
    if (left.length > 0) throw new Error(left.map(({ command }) => command).join('\n'))
  })
  await step('remove: only files of the user are left', async () => {
    await installed.dpkg('--purge', 'opsmith')
    const left = installed.files()
    if (left.length > 0) throw new Error(left.join('\n'))
    return installed.userFiles().join('\n')
  })
}

/** Where nothing is but what the package names: its dependencies, the words where tools are missing, removal. */
async function tryInCleanDebian(debian, deb) {
  let why = cleanDebianProblem()
  if (why === '')
    await debian.make().catch((error) => {
      why = `no clean system could be made: ${error.message.trim().split('\n').at(-1)}`
    })
  const clean = { why }
  await step('apt-get install in a clean system', () => debian.install(deb), clean)
  await step(
    'the command line in the clean system, as a user',
    async () => expectText(await debian.run(['opsmith', '--version'], { asUser: true }), /^\d/),
    clean,
  )
  await step(
    'every library of the window is installed',
    async () => {
      const linked = await debian.run(['ldd', '/opt/Opsmith/opsmith'])
      if (linked.includes('not found')) throw new Error(linked)
    },
    clean,
  )
  await step(
    'set-up names the command that installs what is missing',
    async () => {
      const words = ['opsmith', 'setup', '--yes']
      const text = await debian.run(words, { asUser: true, accept: [2] })
      return expectText(text, /apt-get install -y .*cmake/)
    },
    clean,
  )
  await step(
    'apt-get purge leaves nothing',
    async () => {
      await debian.run(['apt-get', 'purge', '-y', '-q', 'opsmith'])
      const left = await debian.leftovers()
      if (left !== '') throw new Error(left)
    },
    clean,
  )
}

/** What set-up has noted for the package. */
function readEnvironment(installed) {
  const folder = path.join(installed.home, '.cache', 'opsmith', 'setup')
  const [version = ''] = fs.readdirSync(folder)
  return readJson(path.join(folder, version, 'environment.json')) ?? {}
}

const impossible = installationProblem()
if (impossible) refuse(`The package cannot be tried out here: ${impossible}.`)
const { version } = readJson(path.join(root, 'package.json'))
const architecture = { x64: 'amd64', arm64: 'arm64' }[process.arch]
const deb = path.join(root, 'release', `opsmith_${version}_${architecture}.deb`)
if (!process.argv.includes('--made')) {
  await step(
    'npm run package',
    async () => {
      await runCommand([process.execPath, path.join(root, 'scripts', 'package.mjs')], { cwd: root })
    },
    { needed: true },
  )
}
const debian = new CleanDebian()
try {
  await tryInCleanDebian(debian, deb)
} finally {
  debian.remove()
}
const installed = new InstalledPackage()
try {
  await tryOut(installed, deb)
} finally {
  installed.remove()
}
console.log(`\n${counts.good} good, ${counts.failed} failed, ${counts.skipped} skipped`)
process.exitCode = counts.failed > 0 ? 1 : 0
