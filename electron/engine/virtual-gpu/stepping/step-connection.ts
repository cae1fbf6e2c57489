/** The connection to a process that runs kernels built for stepping. */
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'

import { writtenStepMessage } from '../../../contract/gpu-stepping'
import type { WrittenStepMessage } from '../../../contract/gpu-stepping'

type Question = 'memory' | 'allocations'
type Answer<T extends WrittenStepMessage['type']> = Extract<WrittenStepMessage, { type: T }>

/** A socket of the file system that the process connects to: sandboxes allow those. */
export class StepConnection {
  private readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-step-'))
  private readonly server = net.createServer((socket) => this.take(socket))
  private socket: net.Socket | undefined
  private rest = ''
  private asked: Promise<unknown> = Promise.resolve()
  private waiting: ((message: WrittenStepMessage | undefined) => void) | undefined

  constructor(private readonly onMessage: (message: WrittenStepMessage) => void) {}

  /** Resolves to what the process must find in OPSMITH_GPU_STEP. */
  async listen(): Promise<string> {
    const file = path.join(this.folder, 'socket')
    await new Promise<void>((resolve) => {
      this.server.listen(file, resolve)
    })
    return file
  }

  private take(socket: net.Socket): void {
    // One process is stepped; another that the environment reached must not disturb it.
    if (this.socket) {
      socket.destroy()
      return
    }
    this.socket = socket
    socket.setEncoding('utf8')
    socket.on('data', (text: string) => {
      const lines = (this.rest + text).split('\n')
      this.rest = lines.pop() ?? ''
      for (const line of lines) this.receive(line)
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.waiting?.(undefined)
    })
  }

  private receive(line: string): void {
    const message = readMessage(line)
    if (!message) {
      // User code shares the process, and can write to any of its descriptors.
      this.socket?.destroy()
      return
    }
    const { waiting } = this
    if (waiting && (message.type === 'memory' || message.type === 'allocations')) {
      this.waiting = undefined
      waiting(message)
    } else this.onMessage(message)
  }

  send(command: string): void {
    if (this.socket?.writable === true) this.socket.write(`${command}\n`)
  }

  /** Undefined where the process has ended. */
  async ask<T extends Question>(command: string, type: T): Promise<Answer<T> | undefined> {
    // Answers have no names: one question at a time.
    const answer = this.asked.then(() => this.askNow(command, type))
    this.asked = answer
    return await answer
  }

  private async askNow<T extends Question>(
    command: string,
    type: T,
  ): Promise<Answer<T> | undefined> {
    if (this.socket?.writable !== true) return undefined
    const answer = await new Promise<WrittenStepMessage | undefined>((resolve) => {
      this.waiting = resolve
      this.send(command)
    })
    return answer?.type === type ? (answer as Answer<T>) : undefined
  }

  close(): void {
    this.socket?.destroy()
    this.server.close()
    fs.rmSync(this.folder, { recursive: true, force: true })
  }
}

function readMessage(line: string): WrittenStepMessage | undefined {
  try {
    return writtenStepMessage.parse(JSON.parse(line))
  } catch {
    return undefined
  }
}
