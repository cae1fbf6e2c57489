import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { deserialize, serialize } from 'node:v8'

import { BadFrame, FrameReader, frameHeader } from '../../contract/frames'
import { hostMessage } from '../../contract/host-calls'
import type { HostMessage, HostRequest } from '../../contract/host-calls'
import { endGroup, endTree, endWithUs, newTree, treeEnvironment } from '../toolchain/process-tree'

/** What a new op host is told by its environment. */
export interface HostLaunch {
  entry: string
  /** Words before the command; see launcherWords(). */
  launcher: readonly string[]
  environment: Record<string, string>
}

export interface HostListeners {
  onMessage: (message: HostMessage) => void
  /**
   * Called once, when no more messages can come though the process lives, with what came instead: "bytes that are not a
   * message", or "" when the connection was closed.
   */
  onBroken: (what: string) => void
  onOutput: (stream: 'stdout' | 'stderr', text: string) => void
  /** Called once, where the op host is on another node: it starts there now. */
  onPlaced?: () => void
  /**
   * Called once, when the process has ended and its output has been read.
   * @param lost the node or the job has ended, and the op host with it: a sentence
   */
  onExit: (code: number | null, signal: string | null, lost?: string) => void
}

/** One op host process, however it was started. */
export interface HostTransport {
  readonly pid: number | undefined
  /** It may wait in a queue for a node: the time limit of the start counts from onPlaced(). */
  readonly isQueued?: boolean
  listen(listeners: HostListeners): void
  send(request: HostRequest): void
  /** Ends the process, and those of its process group. */
  kill(): void
  /** Ends what it started and what lives on after it, in process groups of their own too. */
  endRest(): Promise<void>
}

export type StartHost = (launch: HostLaunch) => HostTransport

/** Milliseconds for reading the last output of a process that has ended. */
const readingTime = 500

/** The op host as a Node child, run by this process's own Node, or by Electron as one. */
export const startForkedHost: StartHost = (launch) => startHostWith(process.execPath, launch)

/** The op host as a child of the Node at this path. */
export const startHostWith = (node: string, launch: HostLaunch): HostTransport =>
  new ForkedHost(node, launch)

/**
 * An op host that leads a session and a process group of its own. Messages go in frames by a socket of their own, its
 * descriptor 3. User code can write to it, as to any descriptor of its process, and ends no more than its own op
 * host: bytes on Node's channel, or on Electron's, would end our process.
 */
class ForkedHost implements HostTransport {
  private readonly tree = newTree()
  private readonly child: ChildProcess
  private readonly channel: Duplex

  constructor(node: string, launch: HostLaunch) {
    const [program = node, ...words] = [...launch.launcher, node, launch.entry]
    this.child = spawn(program, words, {
      env: {
        ...process.env,
        ...launch.environment,
        ...treeEnvironment(this.tree),
        ELECTRON_RUN_AS_NODE: '1',
      },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      detached: true,
    })
    this.channel = this.child.stdio[3] as Duplex
    this.channel.on('error', () => undefined)
    if (this.pid !== undefined) this.child.once('exit', endWithUs(this.pid))
  }

  get pid(): number | undefined {
    return this.child.pid
  }

  listen(listeners: HostListeners): void {
    const { child, channel } = this
    this.readMessages(listeners)
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      listeners.onOutput('stdout', text)
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      listeners.onOutput('stderr', text)
    })
    let ended = false
    let held: NodeJS.Timeout | undefined
    const once = (code: number | null, signal: string | null): void => {
      // Left running, it would keep the command line from ending for as long; so would streams that a process holds
      // which the op host started.
      clearTimeout(held)
      for (const stream of [child.stdout, child.stderr, channel]) stream?.destroy()
      if (ended) return
      ended = true
      listeners.onExit(code, signal)
    }
    child.on('error', (error) => {
      listeners.onOutput('stderr', error.message)
      once(null, null)
    })
    // 'close' comes after the streams have ended, unless a process that it started holds them open.
    child.on('close', once)
    child.on('exit', (code, signal) => {
      if (ended) return
      this.kill()
      held = setTimeout(() => {
        once(code, signal)
      }, readingTime)
    })
  }

  private readMessages({ onMessage, onBroken }: HostListeners): void {
    const { channel, child } = this
    const reader = new FrameReader()
    let isBroken = false
    const giveUp = (what: string): void => {
      if (isBroken) return
      isBroken = true
      channel.destroy()
      onBroken(what)
    }
    channel.on('data', (bytes: Buffer) => {
      if (isBroken) return
      try {
        for (const payload of reader.take(bytes)) onMessage(readMessage(payload))
      } catch (error) {
        if (!(error instanceof BadFrame)) throw error
        giveUp(error.message)
      }
    })
    // A process that ends closes it too: that comes first.
    channel.on('end', () => {
      setTimeout(() => {
        if (child.exitCode === null && child.signalCode === null) giveUp('')
      }, readingTime).unref()
    })
  }

  send(request: HostRequest): void {
    if (!this.channel.writable) return
    const payload = serialize(request)
    this.channel.cork()
    this.channel.write(frameHeader(payload))
    this.channel.write(payload)
    this.channel.uncork()
  }

  kill(): void {
    if (this.pid !== undefined) endGroup(this.pid)
  }

  async endRest(): Promise<void> {
    await endTree(this.tree)
  }
}

/** @throws BadFrame where it is no message of the contract */
export function readMessage(payload: Uint8Array): HostMessage {
  let value: unknown
  try {
    // Structured clone: NaN, infinities and typed arrays survive.
    value = deserialize(payload)
  } catch {
    throw new BadFrame('an unreadable message')
  }
  const message = hostMessage.safeParse(value)
  if (!message.success) throw new BadFrame('an unknown message')
  return message.data
}
