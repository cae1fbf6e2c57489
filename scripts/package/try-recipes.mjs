// Runs the recipes of docs/how-to/ci.md without Docker and without GitHub: the same commands in the same order.
import fs from 'node:fs'
import path from 'node:path'

import { runCommand } from '../lib/command.mjs'
import { asUser } from './installed-package.mjs'
import { commandsOf, instructionsOf, readRecipe } from './recipe.mjs'
import { isOffline } from './steps.mjs'

/** As a Dockerfile's ENV names other variables. */
const expanded = (text, variables) =>
  text.replaceAll(/\$(\w+)/g, (_, name) => variables[name] ?? '')

const isDownload = (command) => /^(apt-get|pip) /.test(command)

/**
 * Copies the packages that one Python lacks from another Python of the same version.
 * @param {string} lib the `lib` folder of the first one
 * @param {string} python the folder of the other one
 * @returns {Promise<string>} what was done
 */
async function borrowPackages(lib, python) {
  const version = fs.readdirSync(lib).find((name) => name.startsWith('python3')) ?? ''
  const from = path.join(python, '..', 'lib', version, 'site-packages')
  if (!fs.existsSync(from))
    throw new Error(`couldn't resolve packages: the folder ${from} does not exist`)
  await runCommand(['cp', '-rn', '--reflink=auto', from, path.join(lib, version)])
  return `the download failed, so the packages were copied from ${from}`
}

/**
 * Runs a command of a recipe. If pip cannot reach an index, the packages are borrowed instead.
 * @param {string} command
 * @param {() => Promise<unknown>} run
 * @param {{ lib: string, python: string }} pythons as borrowPackages takes them
 * @returns {Promise<string>} what was done instead; "" if the command ran
 */
async function runOrBorrow(command, run, { lib, python }) {
  try {
    await run()
    return ''
  } catch (error) {
    if (!command.startsWith('pip ') || !isOffline(error)) throw error
    return await borrowPackages(lib, python)
  }
}

/**
 * @param {import('./steps.mjs').Steps} steps
 * @param {import('./clean-debian.mjs').CleanDebian} debian in the place of the image that the recipe begins with
 * @param {{ tar: string, project: string, python: string }} context what the recipe finds next to its Dockerfile; `python`:
 *   the folder of a Python with torch, for a machine without a network
 */
export async function tryContainer(steps, debian, { tar, project, python }) {
  const variables = {}
  let place = '/'
  const inside = (name) => path.join(debian.folder, name)
  const instructions = {
    FROM: async () => {},
    ENV: async (value) => {
      const [name = '', ...words] = value.split('=')
      variables[name] = expanded(words.join('='), { ...debian.variables, ...variables })
    },
    ADD: async (value) => {
      const to = inside(value.split(' ')[1] ?? '')
      await runCommand(['tar', '-xzf', tar, '-C', to, '--no-same-owner'])
    },
    WORKDIR: async (value) => {
      place = value
      fs.mkdirSync(inside(value), { recursive: true })
    },
    COPY: async () => fs.cpSync(project, inside(place), { recursive: true }),
    RUN: async (value) => {
      const run = () => debian.run(['env', `--chdir=${place}`, 'sh', '-c', value], { variables })
      return await runOrBorrow(value, run, { lib: inside('opt/python/lib'), python })
    },
  }
  for (const { name, value } of instructionsOf(readRecipe('container')))
    await steps.step(`container: ${name} ${value}`, () => instructions[name](value), {
      needed: true,
      downloads: isDownload(value),
    })
  await steps.step('the container has the wheel', async () => {
    const folder = path.join(inside(place), 'dist', 'setuptools', 'dist')
    return fs.readdirSync(folder).join('\n')
  })
}

/**
 * @param {import('./steps.mjs').Steps} steps
 * @param {import('./installed-package.mjs').InstalledPackage} installed whose set-up is in the cache, as that of the last run is
 * @param {{ tar: string, project: string, python: string, other: string }} context `python`: the folder of the Python with torch; `other`: that of
 *   another one, which has what torch needs
 */
export async function tryActions(steps, installed, { tar, project, python, other }) {
  const paths = path.join(installed.temporary, 'paths')
  const archive = path.join(installed.folder, path.basename(tar))
  fs.copyFileSync(tar, archive)
  let checkout = ''
  await steps.step('actions: the project', async () => {
    checkout = await installed.copyToHome(project, 'checkout')
  })
  for (const command of commandsOf(readRecipe('actions')))
    await steps.step(
      `actions: ${command.replaceAll('\n', '; ')}`,
      async () => {
        const added = fs.existsSync(paths) ? fs.readFileSync(paths, 'utf8').trim().split('\n') : []
        const run = () =>
          runCommand([...asUser, 'bash', '-eo', 'pipefail', '-c', command], {
            cwd: checkout,
            timeoutSeconds: 1800,
            env: {
              ...installed.environment,
              PATH: [...added.reverse(), python, '/usr/local/bin:/usr/bin:/bin'].join(':'),
              RUNNER_TEMP: installed.temporary,
              GITHUB_PATH: paths,
              OPSMITH: `file://${archive}`,
            },
          })
        const lib = path.join(python, '..', 'lib')
        return await runOrBorrow(command, run, { lib, python: other })
      },
      // Its Python has torch already.
      { needed: !isDownload(command), downloads: isDownload(command) },
    )
  await steps.step('the workflow uploads the wheel and the reports', async () => {
    const wheels = fs.readdirSync(path.join(checkout, 'dist', 'setuptools', 'dist'))
    const reports = fs.readdirSync(checkout).filter((name) => name.endsWith('.xml'))
    if (reports.length !== 2)
      throw new Error(`there must be two reports (*.xml), got: ${reports.join(', ')}`)
    return [...wheels, ...reports].join('\n')
  })
}
