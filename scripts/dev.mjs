// `npm run dev [-- PROJECT]`: the window with hot reload. An edit of the renderer shows in the open window; an edit of
// main, preload or the op host rebuilds them and restarts the app. Ctrl+C stops everything.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'

import { userFolder, userPath } from './lib/launch.mjs'
import { root, setupFolder } from './lib/paths.mjs'
import { watchSources } from './lib/watch-sources.mjs'
import { refuse } from './lib/refuse.mjs'
import { electronCommand, refuseWithoutDisplay } from './lib/window.mjs'
import { setUpOrExit } from './setup.mjs'
import { environmentVariables } from './setup/environment.mjs'

const usage = `usage: npm run dev [-- PROJECT] [--inspect=PORT] [--remote-debugging-port=PORT]
  --inspect                 a debugger for main (Node) attaches to this port
  --remote-debugging-port   a debugger for the renderer (Chrome) attaches to this port`
const bundles = ['development', 'preload', 'host']
/** Milliseconds that the app has to keep what was typed and to end its op hosts. */
const patience = 20_000

const say = (line) => process.stderr.write(`dev: ${line}\n`)

/** A port of this machine that nobody listens on. @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0))
    })
  })
}

/** Vite's server of the renderer; electron/main/development.ts serves what it answers under app://opsmith/. */
async function startVite(nonce) {
  const { createServer } = await import('vite')
  const port = await freePort()
  const server = await createServer({
    root: path.join(root, 'renderer'),
    configFile: path.join(root, 'vite.config.ts'),
    configLoader: 'runner',
    logLevel: 'warn',
    clearScreen: false,
    cacheDir: path.join(setupFolder, 'vite'),
    html: { cspNonce: nonce },
    server: {
      host: '127.0.0.1',
      port,
      strictPort: true,
      hmr: { protocol: 'ws', host: '127.0.0.1', clientPort: port },
      // Sources that the renderer shares with the engine, and packages wherever they are linked from.
      fs: { allow: [root, fs.realpathSync(path.join(root, 'node_modules'))] },
    },
  })
  await server.listen()
  return { server, address: `127.0.0.1:${port}` }
}

/** The app, started again whenever it is asked to; `onGone` is called when it ended. */
function makeApp(command, options, onGone) {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child
  const kill = () => {
    if (!child?.pid) return
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It ended in this moment.
    }
  }
  process.once('exit', kill)
  return {
    start() {
      // A group of its own: Ctrl+C on the terminal is ours to handle, and what the app started ends with it.
      const started = spawn(command[0] ?? '', command.slice(1), {
        ...options,
        stdio: ['pipe', 'inherit', 'inherit'],
        detached: true,
      })
      child = started
      started.once('error', (error) => say(`${command[0]}: ${error.message}`))
      started.once('close', (code) => {
        if (child !== started) return
        child = undefined
        onGone(code ?? 1)
      })
    },
    /** Closes the window as a user would, and waits for the end of its processes. */
    async stop() {
      const stopped = child
      if (!stopped) return
      const gone = new Promise((resolve) => stopped.once('close', resolve))
      const timer = setTimeout(() => {
        say(`the app did not end within ${patience / 1000} s, so it was killed`)
        kill()
      }, patience)
      stopped.stdin?.end()
      await gone
      clearTimeout(timer)
    },
  }
}

async function dev(project, flags) {
  const folder = project === undefined ? undefined : userPath('dev', project)
  if (folder && !fs.existsSync(folder)) refuse(`${folder} does not exist.\n${usage}`)
  await refuseWithoutDisplay()
  await setUpOrExit({ window: true, tests: false, headers: false, bundles })

  const nonce = randomBytes(16).toString('hex')
  const { server, address } = await startVite(nonce)
  let stopping = false
  let restarting = false
  let stoppedAt = 0
  const stop = async (code) => {
    if (stopping) {
      // npm passes on the signal that the terminal sent to all: only a second Ctrl+C does not wait.
      if (Date.now() - stoppedAt > 1000) process.exit(code)
      return
    }
    stopping = true
    stoppedAt = Date.now()
    await app.stop()
    await stopWatching()
    await server.close()
    process.exit(code)
  }
  const bundle = path.join(root, 'dist', 'main.development.cjs')
  const app = makeApp(
    [...electronCommand(), ...flags, bundle, ...(folder ? [folder] : [])],
    {
      cwd: userFolder('dev'),
      env: {
        ...process.env,
        ...environmentVariables(),
        OPSMITH_DEVELOPMENT_SERVER: `${address} ${nonce}`,
      },
    },
    (code) => {
      if (stopping || restarting) return
      if (code === 0) void stop(0)
      else say(`the app exited with code ${code}: edit a file in electron/ to start it again`)
    },
  )

  const stopWatching = await watchSources(['electron', 'graph'], bundles, async (made) => {
    say(`${made.join(', ')} rebuilt: restarting`)
    restarting = true
    await app.stop()
    restarting = false
    if (!stopping) app.start()
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop(0))
  app.start()
  say(`the renderer is at http://${address}; Ctrl+C stops the app`)
}

const given = process.argv.slice(2)
const flags = given.filter((word) => /^--(inspect|remote-debugging-port)(=\d+)?$/.test(word))
const [project, ...rest] = given.filter((word) => !flags.includes(word))
if (given.includes('--help') || given.includes('-h')) console.log(usage)
else if (rest.length > 0 || project?.startsWith('-')) refuse(usage)
else await dev(project, flags)
