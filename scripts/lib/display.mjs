import { spawn } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'

/** Whether something listens on a socket ("\0…" is an abstract one). */
function answers(socketPath) {
  return new Promise((resolve) => {
    const socket = net.connect(socketPath)
    const end = (answer) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
    socket.setTimeout(1000, () => end(false))
  })
}

const whatToDo = `
Without a window:   npm start -- --headless PROJECT     builds, loads and runs PROJECT, and prints a report
With a window:      start from a desktop session, forward a display (ssh -X), or use a virtual display:
                    xvfb-run -a npm start`

/** Why no window can be opened here, and what to do; undefined when one can. */
export async function displayProblem() {
  if (process.platform !== 'linux') return undefined
  const display = process.env['DISPLAY']
  const wayland = process.env['WAYLAND_DISPLAY']
  if (!display && !wayland) {
    return `There is no display to open a window on (DISPLAY and WAYLAND_DISPLAY are not set).\n${whatToDo}`
  }
  const local = /^(?:unix)?:(\d+)/.exec(display ?? '')
  if (local && !wayland) {
    const socket = `/tmp/.X11-unix/X${local[1]}`
    if (!(await answers(socket)) && !(await answers(`\0${socket}`))) {
      return `DISPLAY is ${display}, but no X server answers at this display.\n${whatToDo}`
    }
  }
  return undefined
}

function readFlag(file) {
  try {
    return fs.readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}

/** Why Chromium's sandbox cannot be set up, and the command that lets it; undefined when it can. */
export function sandboxProblem(executable) {
  if (process.platform !== 'linux') return undefined
  const restricted =
    readFlag('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') === '1' ||
    readFlag('/proc/sys/kernel/unprivileged_userns_clone') === '0'
  const helper = path.join(path.dirname(executable), 'chrome-sandbox')
  if (!restricted || !fs.existsSync(helper)) return undefined
  const stat = fs.statSync(helper)
  if (stat.uid === 0 && (stat.mode & 0o4111) === 0o4111) return undefined
  return (
    "This system does not allow ordinary programs to create sandboxes. To allow it for Chromium's sandbox helper, run this command once:\n\n" +
    `    sudo chown root:root "${helper}" && sudo chmod 4755 "${helper}"\n\nThen start Opsmith again.`
  )
}

/**
 * Starts a virtual display of 1920 by 1200 on a free number: room for the largest window that is tested.
 * @returns {Promise<{ display: string, stop: () => void }>}
 */
export async function startVirtualDisplay() {
  const child = spawn(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', '1920x1200x24', '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    },
  )
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk) => (errors += chunk))
  const stop = () => child.kill()
  process.once('exit', stop)
  const number = await new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(`Xvfb did not start: ${why}\n${errors}`))
    child.once('error', (error) => fail(error.message))
    child.once('exit', (code) => fail(`exit code ${code}`))
    const timer = setTimeout(() => fail('no answer within 20 s'), 20_000)
    // Xvfb picks the display number itself and writes it here when it is ready.
    const report = /** @type {import('node:stream').Readable} */ (child.stdio[3])
    report.setEncoding('utf8').once('data', (text) => {
      clearTimeout(timer)
      resolve(String(text).trim())
    })
  })
  child.removeAllListeners('exit')
  child.unref()
  return { display: `:${number}`, stop }
}
