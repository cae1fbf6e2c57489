import path from 'node:path'

import { CommandFailure, runCommand } from '../lib/command.mjs'
import { readJson } from '../lib/files.mjs'
import { root } from '../lib/paths.mjs'
import { SetupFailure } from '../lib/steps.mjs'

/** @type {[number, number]} */
const oldestNode = [20, 19]

/** Packages of the lock file that are not installed in that version. */
function differences() {
  const wanted = readJson(path.join(root, 'package-lock.json'))?.packages
  // npm writes this file last, so an interrupted install has none.
  const present = readJson(path.join(root, 'node_modules', '.package-lock.json'))?.packages
  if (!wanted)
    throw new SetupFailure(
      'package-lock.json is missing or broken: run git checkout package-lock.json',
    )
  if (!present) return ['everything']
  return Object.entries(wanted)
    .filter(([name, entry]) => {
      if (name === '' || entry.link) return false
      // Packages for other systems are in the lock file but never installed here.
      if (present[name] === undefined) return !entry.optional
      return present[name].version !== entry.version
    })
    .map(([name]) => name)
}

/** npm as it was started, else the one on PATH. */
export function npmCommand() {
  const script = process.env['npm_execpath']
  return script?.endsWith('npm-cli.js') ? [process.execPath, script] : ['npm']
}

/** @type {import('../lib/steps.mjs').Step} */
export const npmDependencies = {
  title: 'npm dependencies',
  check() {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
    if (major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])) {
      throw new SetupFailure(
        `Node ${process.versions.node} is too old: Opsmith needs ${oldestNode.join('.')} or newer (https://nodejs.org).`,
      )
    }
    return differences().length === 0 ? '' : undefined
  },
  async make() {
    const command = [...npmCommand(), 'ci', '--no-audit', '--no-fund', '--loglevel', 'error']
    try {
      await runCommand(command, { cwd: root, timeoutSeconds: 1800 })
    } catch (error) {
      const output = error instanceof CommandFailure ? error.output || error.reason : String(error)
      throw new SetupFailure(
        `npm ci failed. Check that the npm registry is reachable (npm config get registry).\n${output}`,
      )
    }
    const left = differences()
    return left.length > 0 ? `not installed: ${left.slice(0, 5).join(', ')}` : ''
  },
}
