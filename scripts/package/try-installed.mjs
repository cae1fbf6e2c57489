// An installed .deb: an ordinary user sets up Opsmith, builds a sample, opens the window; then the package is removed.
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { startVirtualDisplay } from '../lib/display.mjs'
import { setupFolder } from '../lib/paths.mjs'
import { sandboxHindrance } from './installed-package.mjs'
import { lookAtWindow } from './packaged-window.mjs'
import { expectText } from './steps.mjs'

/** Of a set-up's output the steps and remarks. */
export const linesOf = (text) =>
  text
    .split('\n')
    .filter((line) => / s {2}|: \d|^(note|opsmith):/.test(line))
    .join('\n')

/** Installs torch; where it cannot be downloaded, the clone's is taken. */
async function firstSetUp(installed) {
  try {
    return linesOf(await installed.opsmith('setup', '--yes'))
  } catch (error) {
    const why = error.message.trim().split('\n').slice(-3).join('\n')
    const folder = await installed.libtorch()
    if (folder === '') throw error
    const output = await installed.opsmith('setup', '--libtorch', folder)
    return `the download failed, so set-up used the libtorch of this clone instead:\n${why}\n${linesOf(output)}`
  }
}

/**
 * @param {import('./steps.mjs').Steps} steps
 * @param {import('./installed-package.mjs').InstalledPackage} installed
 * @param {string} deb
 */
export async function tryInstalled(steps, installed, deb) {
  const step = steps.step.bind(steps)
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
  await step('before set-up, doctor says to run opsmith setup', async () => {
    const text = await installed.opsmith('doctor').catch((error) => error.message)
    expectText(text, /opsmith setup/)
    if (text.includes('npm run')) throw new Error(`npm is named in\n${text}`)
  })
  await step('opsmith setup', () => firstSetUp(installed), { needed: true })
  await step('a second set-up makes nothing', async () => {
    const words = ['--yes', '--json', '--libtorch', await installed.libtorch()]
    const output = await installed.opsmith('setup', ...words)
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
    const others = () => installed.processes().filter(({ pid }) => pid !== process.pid)
    // Chromium's crash handler ends a moment after the window.
    for (let tries = 0; tries < 20 && others().length > 0; tries += 1) await delay(250)
    const left = others()
    if (left.length > 0) throw new Error(left.map(({ command }) => command).join('\n'))
  })
}

/** @param {import('./steps.mjs').Steps} steps @param {import('./installed-package.mjs').InstalledPackage} installed */
export async function tryRemoval(steps, installed) {
  await steps.step('dpkg --purge leaves only files of the user', async () => {
    await installed.dpkg('--purge', 'opsmith')
    const left = installed.files()
    if (left.length > 0) throw new Error(left.join('\n'))
    return installed.userFiles().join('\n')
  })
}
