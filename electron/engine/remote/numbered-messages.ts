import type { Writable } from 'node:stream'

import { BadFrame } from '../../contract/frames'
import { numbered } from '../../contract/serve'
import { payloadOf, toText, writeFrame } from './message-stream'

/** Bytes that may wait for a confirmation before more should wait for drained(). */
const mostUnconfirmed = 32 << 20
/** Milliseconds and messages after which what was received is confirmed. */
const confirmPause = 50
const confirmMessages = 256
/** Milliseconds between two signs of life while a message comes that takes long. */
const lifePause = 1_000

interface Sent {
  number: number
  payload: Buffer
}

/**
 * The messages of a session in one direction and their confirmations in the other. They outlive a connection: what the
 * other side has not confirmed is sent again over the next one, and what arrives twice is left out.
 */
export class NumberedMessages {
  /** Sent, and not confirmed yet. */
  private unconfirmed: Sent[] = []
  private size = 0
  private nextNumber = 1
  private output: Writable | undefined
  private confirmed = 0
  private timer: NodeJS.Timeout | undefined
  private lifeTimer: NodeJS.Timeout | undefined
  private waiting: (() => void)[] = []
  private isOver = false
  /** The number of the last message that was received. */
  received = 0

  private readonly wake = (): void => {
    if (!this.isOver && (this.isDetached || this.isFull)) return
    const { waiting } = this
    this.waiting = []
    for (const go of waiting) go()
  }

  get isDetached(): boolean {
    return this.output === undefined
  }

  /** The other side has not read what was written: more should wait for drained(). */
  get isFull(): boolean {
    return this.output === undefined || this.output.writableNeedDrain || this.size > mostUnconfirmed
  }

  /** Resolves when the other side has read, or when there is no more to come. */
  async drained(): Promise<void> {
    if (this.isOver || !this.isFull) return
    await new Promise<void>((resolve) => {
      this.waiting.push(resolve)
    })
  }

  /**
   * A connection is there.
   * @param received the last number that the other side has received
   * @throws BadFrame if that cannot be
   */
  attach(output: Writable, received: number): void {
    this.detach()
    this.output = output
    // Whoever reads has gone: reading ends as well, and says so.
    output.on('error', () => undefined)
    output.on('drain', this.wake)
    this.noteConfirmed(received)
    for (const { payload } of this.unconfirmed) writeFrame(output, payload)
    // So the other side knows that its hello was read.
    this.confirm()
    this.wake()
  }

  /** The connection is lost, or another one comes. */
  detach(): void {
    this.output?.off('drain', this.wake)
    this.output = undefined
    this.stopTimers()
  }

  /** Nobody will read or send any more. */
  end(): void {
    this.detach()
    this.isOver = true
    this.unconfirmed = []
    this.wake()
  }

  /** The other side is another one now: what the one before has not received is dropped, and numbers begin again. */
  beginAgain(): void {
    this.detach()
    this.unconfirmed = []
    this.size = 0
    this.nextNumber = 1
    this.received = 0
  }

  /** The other side has received the message of this number. */
  isConfirmed(number: number): boolean {
    return number < (this.unconfirmed[0]?.number ?? this.nextNumber)
  }

  /** Returns its number; 0 if nobody reads any more. */
  send(message: unknown): number {
    if (this.isOver) return 0
    const number = this.nextNumber
    this.nextNumber += 1
    const payload = payloadOf(`{"number":${number},"message":${toText(message)}}`)
    this.unconfirmed.push({ number, payload })
    this.size += payload.byteLength
    if (this.output) writeFrame(this.output, payload)
    return number
  }

  private noteConfirmed(received: number): void {
    if (received >= this.nextNumber)
      throw new BadFrame('a confirmation of a message that was not sent')
    const left = this.unconfirmed.findIndex(({ number }) => number > received)
    const gone = this.unconfirmed.splice(0, left < 0 ? this.unconfirmed.length : left)
    for (const { payload } of gone) this.size -= payload.byteLength
  }

  private confirm(): void {
    this.stopTimers()
    this.confirmed = this.received
    if (this.output) writeFrame(this.output, payloadOf(`{"received":${this.received}}`))
  }

  private stopTimers(): void {
    clearTimeout(this.timer)
    clearTimeout(this.lifeTimer)
    this.timer = undefined
    this.lifeTimer = undefined
  }

  /** Bytes have come: says so while their message is not complete, or a slow line would be taken for a dead one. */
  noteBytes(): void {
    if (this.lifeTimer !== undefined || this.output === undefined) return
    this.lifeTimer = setTimeout(() => {
      this.confirm()
    }, lifePause)
    this.lifeTimer.unref()
  }

  /**
   * What came: the message, or undefined where it is none, or was there before.
   * @throws BadFrame where it is not as the contract says
   */
  take(given: unknown): { message: unknown } | undefined {
    const parsed = numbered.safeParse(given)
    if (!parsed.success) throw new BadFrame('an unknown message')
    if ('received' in parsed.data) {
      this.noteConfirmed(parsed.data.received)
      this.wake()
      return undefined
    }
    const { number, message } = parsed.data
    if (number > this.received + 1)
      throw new BadFrame(`message ${number} instead of message ${this.received + 1}`)
    if (number <= this.received) return undefined
    this.received = number
    if (this.received - this.confirmed >= confirmMessages) this.confirm()
    else if (this.timer === undefined) {
      this.timer = setTimeout(() => {
        this.confirm()
      }, confirmPause)
      this.timer.unref()
    }
    return { message }
  }
}
