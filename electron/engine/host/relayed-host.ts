import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import path from 'node:path'
import { serialize } from 'node:v8'

import { BadFrame, FrameReader, frameHeader } from '../../contract/frames'
import { relayedEnd, relayedNode, relayPart } from '../../contract/relayed-host'
import type { RelayedLaunch } from '../../contract/relayed-host'
import { environmentWithoutTree } from '../toolchain/process-tree'
import { defaultMemoryLimit } from './memory-limit'
import { readMessage } from './transport'
import type { HostLaunch, HostListeners, HostTransport } from './transport'

/** Milliseconds for a launcher that has lost its input to end. */
const patience = 5_000
/** Characters of a launcher's last words. */
const keptWords = 4_096

/** What launchers say when a job ends before its program, and what that means. */
const lastWords: readonly (readonly [words: RegExp, meaning: string])[] = [
  [/DUE TO TIME LIMIT/i, 'its job reached its time limit'],
  [/DUE TO PREEMPTION/i, 'a job of higher priority took its place'],
  [/DUE TO NODE FAILURE|Node failure|node fail/i, 'its node failed'],
  [/Out Of Memory|oom-kill/i, 'it used more memory than its job may use'],
  [/has been revoked|Job.*cancel|CANCELLED/i, 'its job was cancelled'],
]

/** Why an op host on a node is gone, though it did not end alone. */
export function explainLostHost(
  launcher: readonly string[],
  node: string,
  words: string,
  code: number | null,
): string {
  const program = path.basename(launcher[0] ?? '')
  const meaning = lastWords.find(([pattern]) => pattern.test(words))?.[1]
  const line = words.trim().split('\n').at(-1) ?? ''
  const refusal = /Unable to allocate resources: (.+)/.exec(words)?.[1]
  const why =
    meaning ??
    refusal ??
    `${program} ended with exit code ${code ?? 'unknown'}${line === '' ? '' : ` and reported: ${line}`}`
  return node === ''
    ? `The process that runs operators got no node: ${why}.`
    : `The process that runs operators on node ${node} is gone: ${why}.`
}

/**
 * An op host behind a command that runs a program on another node, such as srun. A relay there starts it, and passes
 * messages and output on through its own stdin and stdout. If stdin is closed, the relay ends the op host.
 */
export class RelayedHost implements HostTransport {
  readonly isQueued = true
  private readonly child: ChildProcessWithoutNullStreams
  private listeners: HostListeners | undefined
  private node = ''
  private words = ''
  private end: { code: number | null; signal: string | null } | undefined
  private isBroken = false

  constructor(
    private readonly launcher: readonly string[],
    relay: { program: string; version: string },
    launch: HostLaunch,
  ) {
    const words = [...launcher, 'env', 'ELECTRON_RUN_AS_NODE=1', process.execPath, relay.program]
    const [program = '', ...rest] = [...words, 'host']
    // Without the mark of our own children: on the node, our process is none that is alive.
    const env = environmentWithoutTree()
    this.child = spawn(program, rest, { stdio: 'pipe', detached: true, env })
    const end = (): void => this.signal('SIGTERM')
    process.once('exit', end)
    this.child.once('close', () => process.off('exit', end))
    const environment = { ...launch.environment }
    // The memory is that of the node.
    if (environment['OPSMITH_MEMORY_LIMIT'] === String(defaultMemoryLimit()))
      delete environment['OPSMITH_MEMORY_LIMIT']
    const first: RelayedLaunch = {
      version: relay.version,
      entry: launch.entry,
      launcher: [...launch.launcher],
      environment,
    }
    this.child.stdin.on('error', () => undefined)
    this.write(Buffer.from(JSON.stringify(first)))
  }

  get pid(): number | undefined {
    return this.child.pid
  }

  private write(payload: Uint8Array): void {
    const { stdin } = this.child
    if (!stdin.writable) return
    stdin.cork()
    stdin.write(frameHeader(payload))
    stdin.write(payload)
    stdin.uncork()
  }

  listen(listeners: HostListeners): void {
    this.listeners = listeners
    const { child } = this
    const reader = new FrameReader()
    child.stdout.on('data', (bytes: Buffer) => {
      if (this.isBroken) return
      try {
        for (const payload of reader.take(bytes)) this.take(payload)
      } catch (error) {
        if (!(error instanceof BadFrame)) throw error
        this.isBroken = true
        listeners.onBroken(error.message)
      }
    })
    // The launcher's own words: that a job waits, which node it got, why it ended.
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.words = (this.words + text).slice(-keptWords)
      listeners.onOutput('stderr', text)
    })
    child.on('error', (error) => {
      this.words += error.message
      this.finish(null)
    })
    child.on('close', (code) => this.finish(code))
  }

  private take(payload: Uint8Array): void {
    const [part] = payload
    const rest = payload.subarray(1, -1)
    const text = (): string => Buffer.from(rest).toString('utf8')
    if (part === relayPart.message) this.listeners?.onMessage(readMessage(rest))
    else if (part === relayPart.stdout) this.listeners?.onOutput('stdout', text())
    else if (part === relayPart.stderr) this.listeners?.onOutput('stderr', text())
    else if (part === relayPart.node) {
      this.node = relayedNode.parse(JSON.parse(text())).node
      this.listeners?.onPlaced?.()
    } else if (part === relayPart.end) this.end = relayedEnd.parse(JSON.parse(text()))
    else throw new BadFrame('an unknown part of a message')
  }

  private finish(code: number | null): void {
    const { listeners, end } = this
    this.listeners = undefined
    if (end) listeners?.onExit(end.code, end.signal)
    else listeners?.onExit(code, null, explainLostHost(this.launcher, this.node, this.words, code))
  }

  send(request: Parameters<HostTransport['send']>[0]): void {
    this.write(serialize(request))
  }

  kill(): void {
    this.child.stdin.end()
    // In a queue, nobody reads stdin.
    if (this.node === '') this.signal('SIGTERM')
    const late = setTimeout(() => this.signal('SIGKILL'), patience)
    late.unref()
    this.child.once('close', () => clearTimeout(late))
  }

  /** At SIGTERM, a launcher cancels its job; SIGKILL may leave the job in the queue. */
  private signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    const { pid } = this
    if (pid === undefined) return
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended.
    }
  }

  /** The relay has ended it with its group. */
  async endRest(): Promise<void> {
    await Promise.resolve()
  }
}
