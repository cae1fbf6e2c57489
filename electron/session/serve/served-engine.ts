import type { Duplex, Readable, Writable } from 'node:stream'

import { BadFrame } from '../../contract/frames'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { messageToEngine } from '../../contract/serve'
import type { Hello, MessageToEngine } from '../../contract/serve'
import type { Installation } from '../../engine/installation'
import { checkHello, helloOf, readMessages, sendHello } from '../../engine/remote/message-stream'
import { NumberedMessages } from '../../engine/remote/numbered-messages'
import { AppSession } from '../app-session'
import { KeptJobs } from '../kept-jobs'
import { allCalls } from '../calls/all-calls'
import { answer } from '../calls/handle'
import { prepareSession, tellFailures } from '../prepare'
import { PipeDesktop } from './pipe-desktop'

/** Calls that run at a time; more are refused. A window has some tens. */
const mostCalls = 1_000

/** A connection with whoever uses the engine. */
export interface Line {
  input: Readable
  output: Writable
}

export const lineOf = (both: Duplex): Line => ({ input: both, output: both })

/** What comes, with a sign of life to the other side while a message takes long. */
async function* noted(input: Readable, messages: NumberedMessages): AsyncGenerator<Uint8Array> {
  for await (const bytes of input as AsyncIterable<Uint8Array>) {
    messages.noteBytes()
    yield bytes
  }
}

/** How a connection ended: the other side has ended the session, or may come back. */
export type LineEnd = 'ended' | 'lost'

/** An engine that answers calls, as main does for its window; over one connection after another. */
export class ServedEngine {
  private readonly messages = new NumberedMessages()
  private readonly jobs = new KeptJobs(this.messages)
  /** The window that it works for; undefined before the first. */
  private window: string | undefined
  private running = 0
  /** Somebody has read its hello: before that, nobody would come back. */
  isClaimed = false
  private session: AppSession | undefined
  private desktop: PipeDesktop | undefined
  private line: Line | undefined
  private starting: Promise<AppSession> | undefined
  private readonly stops: (() => void)[] = []

  /** @param isKept it goes on when a connection is lost */
  constructor(
    private readonly installation: Installation,
    private readonly version: string,
    private readonly isKept: boolean,
  ) {}

  private async start(): Promise<AppSession> {
    this.desktop = new PipeDesktop(this.version, this.messages, () => {
      process.stderr.write(
        'opsmith: the connected program does not read what this process sends, so this process exits.\n',
      )
      this.line?.input.destroy()
    })
    const session = new AppSession(this.installation, this.desktop, '')
    session.keptJobs = this.jobs
    this.session = session
    this.stops.push(tellFailures(session))
    await session.workbench.applySettings()
    this.stops.push(prepareSession(session))
    return session
  }

  /** Answers what comes over a connection until it ends. A connection from before is dropped. */
  async serve(line: Line): Promise<Result<LineEnd>> {
    const { input, output } = line
    const closed = new Promise<void>((resolve) => {
      input.once('close', resolve)
    })
    output.on('error', () => input.destroy())
    // Sent after the window's hello, with the window that the engine works for now. If two windows come at once, only one
    // reads its own name.
    const greet = (): void => {
      sendHello(
        output,
        helloOf(this.version, {
          received: this.messages.received,
          isKept: this.isKept,
          ...(this.window === undefined ? {} : { window: this.window }),
        }),
      )
    }
    try {
      const messages = readMessages(noted(input, this.messages))
      const first = await messages.next()
      if (first.done === true) return ok('lost')
      const greeted = checkHello(first.value, this.version, 'The Opsmith that called')
      const isFollowed = greeted.ok && this.follows(greeted.value)
      greet()
      if (!greeted.ok) return greeted
      if (!isFollowed)
        return err('target.unavailable', 'Another window is using this Opsmith process now.')
      this.line?.input.destroy()
      this.line = line
      this.messages.attach(output, greeted.value.received ?? 0)
      this.starting ??= this.start()
      return ok(await this.converse(messages, await this.starting, closed))
    } catch (error) {
      if (error instanceof BadFrame)
        return err(
          'target.unavailable',
          `The Opsmith that connected to this machine sent ${error.message}.`,
        )
      // The pipe was closed in the middle.
      if (input.destroyed) return ok('lost')
      throw error
    } finally {
      input.destroy()
      if (this.line === line) {
        this.line = undefined
        this.messages.detach()
      }
    }
  }

  /** Whether a window may go on with this engine: the window of before, or one that takes its place. */
  private follows({ window, takesOver }: Hello): boolean {
    if (takesOver === undefined) {
      if (this.window !== undefined && this.window !== window) return false
      this.window = window
      return true
    }
    if (takesOver !== this.window) return false
    this.window = window
    this.jobs.leave()
    this.messages.beginAgain()
    this.desktop?.cancelQuestions()
    // Their text was drawn by the window of before.
    void this.session?.project?.terminals.closeAll()
    return true
  }

  /** Answers the messages after the hello, until there are no more. */
  private async converse(
    messages: AsyncIterable<unknown>,
    session: AppSession,
    closed: Promise<void>,
  ): Promise<LineEnd> {
    for await (const given of messages) {
      this.isClaimed = true
      const taken = this.messages.take(given)
      if (!taken) continue
      const message = messageToEngine.safeParse(taken.message)
      if (!message.success) throw new BadFrame('an unknown message')
      if (message.data.kind === 'end') {
        // The connection ends when the jobs have ended.
        await this.close()
        return 'ended'
      }
      this.take(session, message.data)
      // Answers that nobody reads must not pile up: who does not read is not asked for more.
      await Promise.race([this.messages.drained(), closed])
    }
    return 'lost'
  }

  private take(session: AppSession, message: Exclude<MessageToEngine, { kind: 'end' }>): void {
    if (message.kind === 'answer') this.desktop?.noteAnswer(message.id, message.answer)
    else void this.answer(session, message)
  }

  private async answer(
    session: AppSession,
    { id, call, input }: Extract<MessageToEngine, { kind: 'call' }>,
  ): Promise<void> {
    if (this.running >= mostCalls) {
      const result = err(
        'request.invalid',
        `Opsmith is working on ${mostCalls} requests, which is the limit. Try again when a request has ended.`,
      )
      this.messages.send({ kind: 'result', id, result })
      return
    }
    this.running += 1
    // As in main: it is asked by a clock, whether somebody looks or not.
    if (call !== 'app.memory') session.touch()
    const { window } = this
    const work = (): Promise<Result<unknown>> => answer(session, allCalls, call, input)
    const result = await this.jobs.resultOf(call, input, work)
    this.running -= 1
    // The ids of calls are those of a window.
    if (window !== this.window) return
    const number = this.messages.send({ kind: 'result', id, result })
    this.jobs.noteSent(call, input, number)
  }

  /** Ends its jobs. */
  async close(): Promise<void> {
    for (const stop of this.stops.splice(0)) stop()
    this.messages.end()
    this.desktop?.noteGone()
    const { session } = this
    this.session = undefined
    await session?.close()
    this.line?.input.destroy()
  }
}
