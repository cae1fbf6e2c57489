import { randomUUID } from 'node:crypto'

import { appCalls, appEvents } from '../../contract/app-calls'
import type {
  AppCallName,
  AppEvent,
  AppEventName,
  AppInput,
  AppOutput,
} from '../../contract/app-calls'
import { BadFrame } from '../../contract/frames'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { messageFromEngine } from '../../contract/serve'
import type { Answer, Asked, Hello, MessageToEngine } from '../../contract/serve'
import { EngineLink } from './engine-link'
import { checkHello, helloOf, sendHello, sessionEnded } from './message-stream'
import { NumberedMessages } from './numbered-messages'
import type { NamedTarget } from './targets'

/** Milliseconds between two questions whether the engine is still there, and how many may stay without an answer. */
const beat = 10_000
const mostSilentBeats = 4

export interface EngineOptions {
  /** Our own version; the engine's must be the same. */
  version: string
  /** The copy of this engine there, which is used if it is there; see engineName(). */
  copy?: string
  /** Seconds that the engine goes on without a connection; 0: it ends with the connection. */
  keep?: number
  /** The session of a window that is gone, whose engine is to go on for this one. */
  takesOver?: EngineSession
  /** Seconds until the engine has answered for the first time. */
  seconds: number
  /** Shows a dialog. */
  onQuestion: (asked: Asked) => Promise<Answer>
  /** What the engine, and all before it, print to stderr. */
  onLog: (text: string) => void
  /** Milliseconds; see `beat`. */
  beat?: number
  /** Ends the attempt to connect. */
  signal?: AbortSignal
  /**
   * Called when no more comes after the handshake though nobody called close().
   * @param isKept the engine goes on, as far as is known: resume() may find it
   */
  onLost: (error: Result<never>, isKept: boolean) => void
}

/** An engine that goes on without a connection, and the window that it works for. */
export interface EngineSession {
  session: string
  window: string
}

type Pending = { call: AppCallName; resolve: (result: Result<unknown>) => void }

/** An engine that another process runs, with the calls and the events of the window. */
export class EngineClient {
  private readonly session: string
  private readonly window = randomUUID()
  private readonly messages = new NumberedMessages()
  private readonly pending = new Map<number, Pending>()
  private readonly listeners = new Map<string, Set<(payload: never) => void>>()
  private nextId = 1
  private link: EngineLink | undefined
  /** Links that were lost, until they have ended. */
  private readonly closing = new Set<Promise<void>>()
  private lost: Result<never> | undefined
  private isKept = false
  private hasBegun = false
  private isClosing = false
  private beats: NodeJS.Timeout | undefined
  /** Beats since the last byte came. */
  private silentBeats = 0

  /** Use connectEngine(). */
  constructor(
    private readonly target: NamedTarget,
    private readonly options: EngineOptions,
  ) {
    this.session = options.takesOver?.session ?? randomUUID()
  }

  /** Where another process can find its engine; undefined if that ends with the connection. */
  get place(): EngineSession | undefined {
    return this.isKept ? { session: this.session, window: this.window } : undefined
  }

  /** Connects for the first time. */
  async connect(): Promise<Result<null>> {
    return await this.shakeHands(this.options.signal, this.options.takesOver !== undefined)
  }

  /**
   * After a lost connection: connects with the same engine. What it has sent since then comes now, and so do the
   * answers to calls that were running. An error with `isGone`: that engine has ended, and with it all its work.
   */
  async resume(signal: AbortSignal): Promise<Result<null> & { isGone?: boolean }> {
    if (this.lost) return { ...this.lost, isGone: true }
    const resumed = await this.shakeHands(signal, true)
    if (resumed.ok) return resumed
    return { ...resumed, isGone: isGone(resumed) }
  }

  /** The engine that was lost does not come back: calls that were running end with the reason. */
  giveUp(error: Result<never>): void {
    this.isClosing = true
    this.fail(error)
  }

  private async shakeHands(
    signal: AbortSignal | undefined,
    isAgain: boolean,
  ): Promise<Result<null>> {
    const { version, copy = '', keep = 0, seconds, onLog, takesOver } = this.options
    const kept = ['--session', this.session, '--keep', String(keep)]
    const link = new EngineLink(this.target, {
      words: ['serve', '--stdio', ...(keep > 0 ? kept : []), ...(isAgain ? ['--resume'] : [])],
      copy,
      onLog,
      onBytes: () => {
        this.silentBeats = 0
      },
    })
    this.link = link
    sendHello(
      link.output,
      helloOf(version, {
        window: this.window,
        received: this.messages.received,
        ...(this.isTaking ? { takesOver: takesOver?.window ?? '' } : {}),
      }),
    )
    let stopped: Result<never> | undefined
    const stop = (error: Result<never>): void => {
      stopped ??= error
      link.cut()
    }
    const { name } = this.target
    const onAbort = (): void => {
      stop(err('cancelled', `Opsmith stopped connecting to ${name}.`))
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    if (signal?.aborted === true) onAbort()
    const timer = setTimeout(() => {
      stop(
        err('target.unavailable', `The target ${name} did not answer within ${seconds} s.`, {
          hint: 'Check that commands on this target run without asking for input, such as a password.',
          detail: link.printed,
        }),
      )
    }, seconds * 1000)
    const greeted = await this.read(link)
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
    if (greeted.ok) return ok(null)
    const closed = link.close().finally(() => this.closing.delete(closed))
    this.closing.add(closed)
    return stopped ?? greeted
  }

  /** Reads until the hello has come; what comes after it is read in the background. */
  private async read(link: EngineLink): Promise<Result<null>> {
    return await new Promise((resolve) => {
      void this.readAll(link, (result) => {
        resolve(result)
      })
    })
  }

  private async readAll(
    link: EngineLink,
    onGreeted: (result: Result<null>) => void,
  ): Promise<void> {
    let isGreeted = false
    let broken = ''
    try {
      for await (const message of link.messages()) {
        if (isGreeted) {
          const taken = this.messages.take(message)
          if (taken) this.take(taken.message)
          continue
        }
        const { version } = this.options
        const checked = checkHello(message, version, `The Opsmith on ${this.target.name}`)
        const other = checked.ok ? this.otherWindow(checked.value) : checked
        if (!other.ok) {
          // It has no jobs that would have to end first.
          link.cut()
          onGreeted(other)
          return
        }
        this.begin(link, other.value)
        isGreeted = true
        onGreeted(ok(null))
      }
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error)
      broken = error instanceof BadFrame ? `The target ${this.target.name} sent ${what}.` : what
      link.cut()
    }
    const reason = await link.reason(isGreeted, broken)
    if (isGreeted) this.loseLink(link, reason)
    else onGreeted(reason)
  }

  /** No message has come from the engine of another window yet, which this one is to go on with. */
  private get isTaking(): boolean {
    return this.options.takesOver !== undefined && !this.hasBegun
  }

  /** Refuses an engine that works for another window. */
  private otherWindow(greeting: Hello): Result<Hello> {
    if (greeting.window === undefined || greeting.window === this.window) return ok(greeting)
    return err('target.unavailable', `Another window is using Opsmith on ${this.target.name}.`, {
      detail: sessionEnded,
    })
  }

  /** Both have said hello. A cable that is out ends no process: silence says so. */
  private begin(link: EngineLink, { received = 0, isKept = false }: Hello): void {
    this.isKept = isKept
    this.messages.attach(link.output, received)
    this.hasBegun = true
    this.silentBeats = 0
    this.beats = setInterval(() => {
      this.silentBeats += 1
      if (this.silentBeats > mostSilentBeats) {
        this.loseLink(
          link,
          err('target.unavailable', `${this.target.name} no longer answers.`, {
            hint: 'Check the network of both machines.',
            detail: link.printed,
          }),
        )
        link.cut()
      } else void this.call('app.memory', {})
    }, this.options.beat ?? beat)
    this.beats.unref()
  }

  private loseLink(link: EngineLink, error: Result<never>): void {
    if (this.link !== link) return
    this.link = undefined
    clearInterval(this.beats)
    this.messages.detach()
    const closed = link.close().finally(() => this.closing.delete(closed))
    this.closing.add(closed)
    if (!this.isKept || this.isClosing) this.fail(error)
    if (!this.isClosing) this.options.onLost(error, this.isKept)
  }

  private fail(error: Result<never>): void {
    this.lost ??= error
    this.messages.end()
    for (const { resolve } of this.pending.values()) resolve(this.lost)
    this.pending.clear()
  }

  /** @throws BadFrame where it is no message of the contract */
  private take(given: unknown): void {
    const parsed = messageFromEngine.safeParse(given)
    if (!parsed.success) throw new BadFrame('an unknown message')
    const message = parsed.data
    switch (message.kind) {
      case 'result': {
        const pending = this.pending.get(message.id)
        this.pending.delete(message.id)
        pending?.resolve(resultOf(pending.call, message.result))
        return
      }
      case 'event': {
        const type = Object.hasOwn(appEvents, message.name)
          ? appEvents[message.name as AppEventName]
          : undefined
        const payload = type?.safeParse(message.payload)
        if (!payload?.success) throw new BadFrame(`an unknown event ${message.name}`)
        for (const listen of this.listeners.get(message.name) ?? []) listen(payload.data as never)
        return
      }
      case 'question':
        void this.options
          .onQuestion(message.asked)
          // A dialog that could not be shown is one that was cancelled.
          .catch(() => null)
          .then((answer) => {
            this.send({ kind: 'answer', id: message.id, answer })
          })
    }
  }

  private send(message: MessageToEngine): void {
    this.messages.send(message)
  }

  /** While there is no connection it waits for the next one. */
  async call<N extends AppCallName>(call: N, input: AppInput<N>): Promise<Result<AppOutput<N>>> {
    await this.messages.drained()
    if (this.lost) return this.lost
    const id = this.nextId
    this.nextId += 1
    return await new Promise((resolve) => {
      this.pending.set(id, { call, resolve: resolve as Pending['resolve'] })
      this.send({ kind: 'call', id, call, input })
    })
  }

  /** Returns what stops listening. */
  on<N extends AppEventName>(name: N, listener: (payload: AppEvent<N>) => void): () => void {
    const those = this.listeners.get(name) ?? new Set()
    this.listeners.set(name, those)
    those.add(listener)
    return () => {
      those.delete(listener)
    }
  }

  /** Cuts the connection, as a network may. */
  cut(): void {
    this.link?.cut()
  }

  /** The engine ends its jobs, then itself; after a while it is ended. */
  async close(): Promise<void> {
    this.isClosing = true
    clearInterval(this.beats)
    this.send({ kind: 'end' })
    const { link } = this
    await link?.close()
    this.fail(err('target.unavailable', `The Opsmith on ${this.target.name} has ended.`))
    await Promise.all(this.closing)
  }
}

/** Whether it says that the engine of a session is not there for this window any more. */
export function isGone(result: Result<unknown>): boolean {
  return !result.ok && result.error.detail?.includes(sessionEnded) === true
}

/** An answer from elsewhere, as the contract has it. */
function resultOf(call: AppCallName, result: Result<unknown>): Result<unknown> {
  if (!result.ok) return result
  const parsed = appCalls[call].output.safeParse(result.value)
  return parsed.success
    ? ok(parsed.data)
    : err(
        'internal',
        `The answer to the call "${call}" does not have the expected form, because of a bug in Opsmith. Report the bug.`,
        { detail: parsed.error.message },
      )
}

/** Starts the engine of a target, which must have our version. */
export async function connectEngine(
  target: NamedTarget,
  options: EngineOptions,
): Promise<Result<EngineClient>> {
  const client = new EngineClient(target, options)
  const connected = await client.connect()
  if (connected.ok) return ok(client)
  await client.close()
  return connected
}
