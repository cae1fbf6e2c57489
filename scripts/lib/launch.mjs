import { spawn } from 'node:child_process'
import path from 'node:path'

import { root } from './paths.mjs'

/** The folder the user typed the command in; npm itself changes to the clone's. */
export function userFolder(script) {
  const initial = process.env['INIT_CWD']
  return initial && process.env['npm_lifecycle_event'] === script && process.cwd() === root
    ? initial
    : process.cwd()
}

/** A path as the user meant it. */
export function userPath(script, given) {
  return path.resolve(userFolder(script), given)
}

/**
 * Runs a program on the user's terminal.
 * @param {string[]} command
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<number>} its exit code; 1 when a signal ended it, 2 when it could not be started
 */
export async function runOnTerminal(command, options) {
  const child = spawn(command[0] ?? '', command.slice(1), { ...options, stdio: 'inherit' })
  // Ctrl+C reaches the child from the terminal; we only wait for its end.
  const wait = () => {}
  const pass = (signal) => child.kill(signal)
  process.on('SIGINT', wait).on('SIGTERM', pass).on('SIGHUP', pass)
  const code = await new Promise((resolve) => {
    child.once('error', (error) => {
      process.stderr.write(`${command[0]}: ${error.message}\n`)
      resolve(2)
    })
    child.once('exit', (exitCode, signal) => resolve(exitCode ?? (signal ? 1 : 0)))
  })
  process.off('SIGINT', wait).off('SIGTERM', pass).off('SIGHUP', pass)
  return code
}

/** The same, ending as it ended. */
export async function becomeCommand(command, options) {
  process.exit(await runOnTerminal(command, options))
}
