import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

/** A command that ended badly; `output` is the end of what it printed. */
export class CommandFailure extends Error {
  constructor(command, reason, output) {
    super(`${command.join(' ')}: ${reason}${output ? `\n${output}` : ''}`)
    this.name = 'CommandFailure'
    this.reason = reason
    this.output = output
  }
}

/** Commands that run now: ended with us, as whole trees. */
const running = new Set()

function endAll() {
  for (const child of running) {
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It went by itself.
    }
  }
}

process.once('exit', endAll)

/** Signals are ours to handle only while commands run that are not in the terminal's process group. */
const endings = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }
const onSignal = (signal) => process.exit(endings[signal])

/** @type {((pids: number[]) => void) | undefined} */
let watcher

/** Tells which commands run, whenever one starts or ends. @returns {() => void} ends it */
export function watchCommands(listener) {
  watcher = listener
  return () => {
    watcher = undefined
  }
}

const pids = () => [...running].map((child) => child.pid).filter(Boolean)

function remember(child) {
  if (running.size === 0) for (const signal of Object.keys(endings)) process.on(signal, onSignal)
  running.add(child)
  watcher?.(pids())
}

function forget(child) {
  running.delete(child)
  watcher?.(pids())
  if (running.size === 0) for (const signal of Object.keys(endings)) process.off(signal, onSignal)
}

/**
 * Runs a command to its end.
 * @param {string[]} command
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, timeoutSeconds?: number, onLine?: (line: string) => void,
 *   input?: string, accept?: number[] }} [options] `accept`: exit codes that are good
 * @returns {Promise<{ output: string, code: number, seconds: number }>} output: both streams as they came
 */
export function runCommand(command, options = {}) {
  const { cwd, env, timeoutSeconds = 3600, onLine, input, accept = [0] } = options
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const child = spawn(command[0] ?? '', command.slice(1), {
      cwd,
      env: env ?? process.env,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      // A group of its own, so that compilers started by build tools end with them.
      detached: true,
    })
    remember(child)
    let output = ''
    let partial = ''
    let timedOut = false
    const timer = setTimeout(() => {
      timedOut = true
      try {
        process.kill(-Number(child.pid), 'SIGKILL')
      } catch {
        // Ended in this very moment.
      }
    }, timeoutSeconds * 1000)
    const take = (chunk) => {
      output += chunk
      if (output.length > 8_000_000) output = output.slice(-4_000_000)
      if (!onLine) return
      const lines = (partial + chunk).split(/\r?\n/)
      partial = lines.pop() ?? ''
      for (const line of lines) onLine(line)
    }
    child.stdout?.setEncoding('utf8').on('data', take)
    child.stderr?.setEncoding('utf8').on('data', take)
    if (input !== undefined) child.stdin?.on('error', () => {}).end(input)
    const finish = (code, reason) => {
      clearTimeout(timer)
      forget(child)
      if (reason === '' && accept.includes(code)) {
        resolve({ output, code, seconds: (performance.now() - started) / 1000 })
      } else {
        reject(new CommandFailure(command, reason || `exit code ${code}`, excerpt(output)))
      }
    }
    child.once('error', (error) => finish(-1, error.message))
    child.once('close', (code, signal) => {
      if (timedOut) finish(-1, `took longer than ${timeoutSeconds} s`)
      else finish(code ?? -1, signal ? `ended by ${signal}` : '')
    })
  })
}

/** What a command printed on stdout, trimmed; "" when it could not be run or failed. For probing. */
export function ask(command, options = {}) {
  const result = spawnSync(command[0] ?? '', command.slice(1), {
    encoding: 'utf8',
    timeout: 20_000,
    stdio: ['ignore', 'pipe', 'ignore'],
    ...options,
  })
  return result.status === 0 ? result.stdout.trim() : ''
}

/** Absolute path of a command on PATH, "" when there is none. */
export function findOnPath(name) {
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter)) {
    if (!folder) continue
    const file = path.join(folder, name)
    try {
      fs.accessSync(file, fs.constants.X_OK)
      if (fs.statSync(file).isFile()) return file
    } catch {
      // Not in this folder.
    }
  }
  return ''
}

/** Of a long output the beginning, where npm says what is wrong, and the end, where compilers do. */
function excerpt(text) {
  const lines = text.trimEnd().split('\n')
  if (lines.length <= 80) return lines.join('\n')
  return [...lines.slice(0, 20), `… ${lines.length - 80} lines …`, ...lines.slice(-60)].join('\n')
}

/** The last `count` lines of a text. */
export function tail(text, count) {
  return text.trimEnd().split('\n').slice(-count).join('\n')
}
