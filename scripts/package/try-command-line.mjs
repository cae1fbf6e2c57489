// The command line alone, unpacked in an empty folder and run as another user: nothing of Electron, no display, and no
// variable but HOME.
import fs from 'node:fs'
import path from 'node:path'

import { runCommand } from '../lib/command.mjs'
import { asUser } from './installed-package.mjs'
import { expectText } from './steps.mjs'
import { linesOf } from './try-installed.mjs'

/** What a folder of somebody else has: setup.py and sources. */
const setupFile = `from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension
setup(name='mine', ext_modules=[CppExtension('mine', ['op.cpp'])], cmdclass={'build_ext': BuildExtension})
`

/** Unpacks an archive of the command line. @returns {Promise<string>} its command */
async function unpack(tar, folder) {
  fs.mkdirSync(folder, { recursive: true })
  await runCommand(['tar', '-xzf', tar, '-C', folder, '--no-same-owner'])
  const [name = ''] = fs.readdirSync(folder)
  return path.join(folder, name, 'bin', 'opsmith')
}

/** Runs a command as the user, with HOME as the only variable. @returns {Promise<string>} what it prints */
async function runBare({ home }, command) {
  const bare = ['env', '-i', `HOME=${home}`, ...asUser, ...command]
  return (await runCommand(bare, { cwd: home, timeoutSeconds: 1800 })).output
}

/**
 * @param {import('./steps.mjs').Steps} steps
 * @param {import('./installed-package.mjs').InstalledPackage} installed if its user is set up, that set-up is used
 * @param {string} tar
 */
export async function tryCommandLine(steps, installed, tar) {
  const { folder } = installed
  let command = ''
  const opsmith = (...words) => runBare(installed, [command, ...words])
  await steps.step(
    'unpack the command line in an empty folder',
    async () => {
      command = await unpack(tar, path.join(folder, 'command-line'))
    },
    { needed: true },
  )
  await steps.step('it runs without any variable', async () => {
    const { output } = await runCommand(['env', '-i', ...asUser, command, '--version'])
    return expectText(output, /^\d+\.\d+\.\d+\n$/)
  })
  await steps.step('its set-up', async () => {
    return linesOf(await opsmith('setup', '--libtorch', await installed.libtorch()))
  })
  const sample = path.join(command, '../../samples/my_op')
  await steps.step('opsmith init in a folder with setup.py, then build', async () => {
    const own = await installed.copyToHome(sample, 'mine')
    fs.rmSync(path.join(own, 'opsmith.json'))
    fs.writeFileSync(path.join(own, 'setup.py'), setupFile)
    await opsmith('init', own, '--yes', '--no-run')
    return expectText(await opsmith('build', own), /link libmine\.so/) && ''
  })
  await steps.step('build and gradcheck of a sample', async () => {
    const own = await installed.copyToHome(sample, 'sample')
    await opsmith('build', own)
    return await opsmith('gradcheck', own)
  })
}

/**
 * Another libtorch, with the command line alone: set-up makes its addon and keeps the earlier one.
 * @param {import('./steps.mjs').Steps} steps
 * @param {import('./installed-package.mjs').InstalledPackage} installed
 * @param {{ tar: string, libtorch: string }} context `libtorch`: its folder, with include/ and lib/
 */
export async function tryOtherLibtorch(steps, installed, { tar, libtorch }) {
  const { folder } = installed
  let command = ''
  const opsmith = (...words) => runBare(installed, [command, ...words])
  await steps.step(
    `set-up for ${libtorch}`,
    async () => {
      command = await unpack(tar, path.join(folder, 'other-libtorch'))
      return linesOf(await opsmith('setup', '--libtorch', libtorch))
    },
    { needed: true },
  )
  const sample = path.join(command, '../../samples/my_op')
  let project = ''
  await steps.step('copy a sample', async () => {
    project = await installed.copyToHome(sample, 'other_libtorch')
  })
  for (const verb of ['build', 'run', 'gradcheck', 'check'])
    await steps.step(`${verb} with it`, async () => {
      const lines = (await opsmith(verb, project)).trim().split('\n')
      return lines.at(-1) ?? ''
    })
  await steps.step('the earlier libtorch needs no new set-up', async () => {
    const words = ['--yes', '--json', '--libtorch', await installed.libtorch()]
    const output = await opsmith('setup', ...words)
    if (/"isMade": true/.test(output)) throw new Error(output)
  })
}
