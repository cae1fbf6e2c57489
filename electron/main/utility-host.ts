import { utilityProcess } from 'electron'

import type { HostMessage } from '../contract/host-calls'
import type { StartHost } from '../engine/host/transport'

function streamEnd(stream: NodeJS.ReadableStream | null): Promise<void> {
  return new Promise((resolve) => {
    if (!stream) resolve()
    stream?.once('end', resolve).once('close', resolve)
  })
}

/** The op host as one of Electron's utility processes. */
export const startUtilityHost: StartHost = (launch) => {
  const child = utilityProcess.fork(launch.entry, [], {
    env: { ...process.env, ...launch.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    serviceName: 'Opsmith op host',
  })
  let pid: number | undefined
  let wanted = true
  child.on('spawn', () => {
    pid = child.pid
    if (!wanted) kill()
  })
  const kill = (): void => {
    wanted = false
    if (pid === undefined) return
    try {
      // child.kill() is SIGTERM, which an operator may sit out.
      process.kill(pid, 'SIGKILL')
    } catch {
      child.kill()
    }
  }
  return {
    get pid() {
      return pid
    },
    send(request) {
      child.postMessage(request)
    },
    onMessage(listener) {
      child.on('message', (message: HostMessage) => {
        listener(message)
      })
    },
    onOutput(listener) {
      child.stdout?.on('data', (bytes: Buffer) => {
        listener('stdout', bytes.toString('utf8'))
      })
      child.stderr?.on('data', (bytes: Buffer) => {
        listener('stderr', bytes.toString('utf8'))
      })
    },
    onExit(listener) {
      // What it printed last is said with its end: the pipes are read to theirs first, unless a process
      // that it started holds them open.
      const read = Promise.all([streamEnd(child.stdout), streamEnd(child.stderr)])
      child.once('exit', (code) => {
        const late = new Promise((resolve) => setTimeout(resolve, 500))
        void Promise.race([read, late]).then(() => {
          listener(code, null)
        })
      })
    },
    kill,
  }
}
