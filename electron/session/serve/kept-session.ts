import { spawn } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import type { Readable, Writable } from 'node:stream'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { framesFollow } from '../../contract/serve'
import type { Installation } from '../../engine/installation'
import { sessionEnded } from '../../engine/remote/message-stream'
import { lineOf, ServedEngine } from './served-engine'

/** Milliseconds until an engine that was started listens, and between two looks. */
const startTime = 20_000
const look = 20
/** Milliseconds until somebody has connected for the first time, which whoever started the engine does at once. */
const firstTime = 5_000

/** Characters: the path of a socket has at most 107 (unix(7)), and the name of a session 64. */
const longestFolder = 107 - '/.sock'.length - 64

/** What only its user may read; undefined where there is no such folder on this machine. */
function runFolder(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const given = environment['XDG_RUNTIME_DIR'] ?? ''
  const user = process.getuid?.()
  const bases = [
    ...(path.isAbsolute(given) ? [path.join(given, 'opsmith')] : []),
    path.join(os.tmpdir(), `opsmith-${user ?? ''}`),
  ]
  return bases.find((folder) => {
    if (folder.length > longestFolder) return false
    try {
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
      const { uid, mode } = fs.lstatSync(folder)
      // In a folder that everybody may write to, somebody else may have made it, or a link.
      return fs.lstatSync(folder).isDirectory() && uid === user && (mode & 0o077) === 0
    } catch {
      return false
    }
  })
}

interface Place {
  socket: string
  log: string
}

/** Where the engine of a session listens; undefined where nobody else can be kept out. */
export function placeOfSession(session: string): Place | undefined {
  const folder = runFolder()
  return folder === undefined
    ? undefined
    : { socket: path.join(folder, `${session}.sock`), log: path.join(folder, `${session}.log`) }
}

interface Kept {
  installation: Installation
  version: string
  /** Seconds that it waits for the next connection. */
  keep: number
}

/** Is the engine of a session until the session is ended, or nobody has connected for a while. */
export async function keepSession(place: Place, kept: Kept): Promise<void> {
  const engine = new ServedEngine(kept.installation, kept.version, true)
  const server = net.createServer()
  let end: () => void = () => undefined
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  let connections = 0
  // Who started it may have been stopped before it could connect.
  let timer = setTimeout(end, firstTime)
  server.on('connection', (socket) => {
    clearTimeout(timer)
    connections += 1
    void engine
      .serve(lineOf(socket))
      .catch(() => ok('lost' as const))
      .then((result) => {
        connections -= 1
        if ((result.ok && result.value === 'ended') || !engine.isClaimed) end()
        else if (connections === 0) timer = setTimeout(end, kept.keep * 1000)
      })
  })
  const umask = process.umask(0o177)
  server.listen(place.socket)
  process.umask(umask)
  removeDead(path.dirname(place.socket))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end)
  // The terminal of whoever started it has gone; it goes on.
  process.on('SIGHUP', () => undefined)
  await ended
  clearTimeout(timer)
  server.close()
  for (const file of [place.socket, place.log]) fs.rmSync(file, { force: true })
  await engine.close()
}

async function connected(place: Place): Promise<net.Socket | undefined> {
  const socket = net.connect(place.socket)
  return await new Promise((resolve) => {
    socket.once('connect', () => {
      resolve(socket)
    })
    socket.once('error', () => {
      socket.destroy()
      resolve(undefined)
    })
  })
}

/** Removes what engines that were killed have left. The system lists the sockets that somebody listens on. */
function removeDead(folder: string): void {
  // First: an engine that begins to listen in this moment is in the list that is read after.
  const names = fs.readdirSync(folder).filter((one) => one.endsWith('.sock'))
  let listed: string
  try {
    listed = fs.readFileSync('/proc/net/unix', 'utf8')
  } catch {
    return
  }
  for (const name of names) {
    const socket = path.join(folder, name)
    if (listed.includes(socket)) continue
    for (const file of [socket, socket.replace(/sock$/, 'log')]) fs.rmSync(file, { force: true })
  }
}

/** Starts the engine of a session, which does not end with this process. */
async function started(place: Place, words: readonly string[]): Promise<Result<net.Socket>> {
  fs.rmSync(place.socket, { force: true })
  const log = fs.openSync(place.log, 'w', 0o600)
  const { OPSMITH_STARTED_BY: _ends, ...environment } = process.env
  const [, entry = ''] = process.argv
  const child = spawn(process.execPath, [entry, ...words], {
    detached: true,
    stdio: ['ignore', log, log],
    // In a package, the command line's Node is that of the window; another Node does not look at this.
    env: { ...environment, ELECTRON_RUN_AS_NODE: '1' },
  })
  fs.closeSync(log)
  let hasEnded = false
  child.once('exit', () => {
    hasEnded = true
  })
  child.once('error', () => {
    hasEnded = true
  })
  child.unref()
  for (let waited = 0; waited < startTime && !hasEnded; waited += look) {
    const socket = await connected(place)
    if (socket) return ok(socket)
    await new Promise((resolve) => setTimeout(resolve, look))
  }
  return err('target.unavailable', 'The engine did not start.', {
    detail: fs.readFileSync(place.log, 'utf8').slice(-4_000),
  })
}

interface Relay {
  input: Readable
  output: Writable
  /** The command line of the engine. */
  words: readonly string[]
  /** Only an engine that runs is of use. */
  mustResume: boolean
}

/** Connects a pipe with the engine of a session, which is started if it does not run. */
export async function relaySession(place: Place, relay: Relay): Promise<Result<null>> {
  const { input, output, words, mustResume } = relay
  const running = await connected(place)
  if (!running && mustResume) return err('target.unavailable', sessionEnded)
  const socket = running ? ok(running) : await started(place, words)
  if (!socket.ok) return socket
  const line = socket.value
  output.write(framesFollow)
  input.pipe(line)
  line.pipe(output, { end: false })
  line.on('error', () => undefined)
  input.on('error', () => line.destroy())
  output.on('error', () => line.destroy())
  await new Promise<void>((resolve) => {
    line.once('close', resolve)
    // What was sent last has to arrive there.
    input.once('close', () => line.end())
  })
  input.destroy()
  return ok(null)
}
