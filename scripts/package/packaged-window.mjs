// Looks at the window of a package by Chromium's own protocol: the fuses of a package switch off Node's debugger, which
// Playwright needs.
import fs from 'node:fs'

import { WebSocket } from 'ws'

const patience = 60_000

/** The port at which Chromium says that it listens. */
function debuggerPort(child) {
  return new Promise((resolve, reject) => {
    let text = ''
    const fail = (why) => {
      clearTimeout(timer)
      reject(new Error(`${why}\n${text}`))
    }
    const timer = setTimeout(() => fail('the app did not start within 60 s'), patience)
    const take = (chunk) => {
      text += chunk
      const port = /DevTools listening on ws:\/\/[^:]+:(\d+)/.exec(text)?.[1]
      if (port === undefined) return
      clearTimeout(timer)
      resolve(port)
    }
    child.stderr.setEncoding('utf8').on('data', take)
    child.stdout.setEncoding('utf8').on('data', take)
    child.once('exit', (code) => fail(`the app exited with code ${code}`))
  })
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 250))

/** The first answer that is not undefined. */
async function waitFor(what, ask) {
  const end = Date.now() + patience
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (Date.now() > end) throw new Error(`no ${what} within 60 s`)
    await pause()
  }
}

async function pageAddress(port) {
  return await waitFor('window', async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/json/list`)
    const targets = /** @type {any[]} */ (await answer.json())
    return targets.find(({ type }) => type === 'page')?.webSocketDebuggerUrl
  })
}

/** Asks a page by Chromium's protocol. */
class Page {
  constructor(socket) {
    this.socket = socket
    this.next = 0
    this.waiting = new Map()
    socket.on('message', (data) => {
      const { id, result, error } = JSON.parse(data.toString())
      const waiting = this.waiting.get(id)
      this.waiting.delete(id)
      if (error) waiting?.reject(new Error(error.message))
      else waiting?.resolve(result)
    })
    socket.on('close', () => {
      for (const { reject } of this.waiting.values()) reject(new Error('the window was closed'))
    })
  }

  static async open(address) {
    const socket = new WebSocket(address)
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    return new Page(socket)
  }

  ask(method, params = {}) {
    const id = (this.next += 1)
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject })
      this.socket.send(JSON.stringify({ id, method, params }))
    })
  }

  async evaluate(expression) {
    const { result } = await this.ask('Runtime.evaluate', { expression, returnByValue: true })
    return result.value
  }
}

const statusOf = (pid, name) =>
  new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]

/** What keeps the renderer in: a filter of system calls. */
function sandboxOf(processes) {
  const renderer = processes.find(({ command }) => command.includes('--type=renderer'))
  if (!renderer) throw new Error('there is no renderer process')
  const isOff = processes.some(({ command }) => command.includes('--no-sandbox'))
  const filter = statusOf(renderer.pid, 'Seccomp')
  if (isOff || filter !== '2')
    throw new Error(`the renderer has no sandbox: Seccomp ${filter}, ${renderer.command}`)
  const [user] = statusOf(renderer.pid, 'Uid')?.split('\t') ?? []
  return `the renderer runs in Chromium's sandbox, as user ${user}`
}

/** How much of the picture is more than one colour: PNG packs an empty window into a few kilobytes. */
const leastBytes = 15_000

/**
 * Opens the window with a project, waits until it shows the project's source, and closes it.
 * @param {import('./installed-package.mjs').InstalledPackage} installed
 * @param {{ display: string, picture: string }} to `picture`: where the screenshot goes
 * @returns {Promise<string>} what was seen
 */
export async function lookAtWindow(installed, project, to) {
  const { display, picture } = to
  const child = installed.startWindow(['--remote-debugging-port=0', project], display)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  try {
    const page = await Page.open(await pageAddress(await debuggerPort(child)))
    let text = ''
    await waitFor('source in the window', async () => {
      text = (await page.evaluate('document.body.innerText')) ?? ''
      return text.includes('op.cpp') ? true : undefined
    }).catch((error) => {
      throw new Error(`${error.message}; it shows\n${text}`)
    })
    const sandbox = sandboxOf(installed.processes())
    const { data } = await page.ask('Page.captureScreenshot', { format: 'png' })
    const bytes = Buffer.from(data, 'base64')
    fs.writeFileSync(picture, bytes)
    if (bytes.length < leastBytes)
      throw new Error(`the window is empty: its screenshot has only ${bytes.length} bytes of PNG`)
    return `${sandbox}; the window shows op.cpp (${picture})`
  } finally {
    try {
      process.kill(-Number(child.pid), 'SIGTERM')
    } catch {
      // It has ended.
    }
    await ended
  }
}
