import { fork } from 'node:child_process'

import type { HostMessage, HostRequest } from '../../contract/host-calls'
import { trackChild } from '../toolchain/run-command'

/** What a new op host is told by its environment. */
export interface HostLaunch {
  entry: string
  environment: Record<string, string>
}

/**
 * One op host process, however it was started: startForkedHost below uses `child_process.fork`, and a caller
 * may bring another way. Messages are plain serialisable values.
 */
export interface HostTransport {
  readonly pid: number | undefined
  send(request: HostRequest): void
  onMessage(listener: (message: HostMessage) => void): void
  onOutput(listener: (stream: 'stdout' | 'stderr', text: string) => void): void
  /** Called once, when the process has ended and its output has been read. */
  onExit(listener: (code: number | null, signal: string | null) => void): void
  kill(): void
}

export type StartHost = (launch: HostLaunch) => HostTransport

/** The op host as a plain Node child, run by this process's own Node. */
export const startForkedHost: StartHost = (launch) => startHostWith(process.execPath, launch)

/** The op host as a child of the Node at this path. */
export function startHostWith(node: string, launch: HostLaunch): HostTransport {
  const child = fork(launch.entry, [], {
    execPath: node,
    env: { ...process.env, ...launch.environment },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Structured clone: NaN, infinities and typed arrays survive.
    serialization: 'advanced',
    execArgv: [],
  })
  trackChild(child)
  return {
    get pid() {
      return child.pid
    },
    send(request) {
      if (child.connected) child.send(request, () => undefined)
    },
    onMessage(listener) {
      child.on('message', (message) => {
        listener(message as HostMessage)
      })
    },
    onOutput(listener) {
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        listener('stdout', text)
      })
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        listener('stderr', text)
      })
    },
    onExit(listener) {
      let ended = false
      let held: NodeJS.Timeout | undefined
      const once = (code: number | null, signal: string | null): void => {
        // Left running, it would keep the command line from ending for as long.
        clearTimeout(held)
        if (ended) return
        ended = true
        listener(code, signal)
      }
      child.on('error', () => {
        once(null, null)
      })
      // 'close' comes after the streams have ended, unless a grandchild holds them open.
      child.on('close', once)
      child.on('exit', (code, signal) => {
        if (ended) return
        held = setTimeout(() => {
          once(code, signal)
        }, 500)
      })
    },
    kill() {
      child.kill('SIGKILL')
    },
  }
}
