import type { AppEvent, AppEventName } from '../../contract/app-calls'

/** Characters of one source's text that wait for a slow reader; older ones are left out. */
const mostText = 1_000_000
/** Events that wait, all in all: somebody who leaves more unread is not there any more. */
const mostEvents = 20_000
/** Events that say nothing else say how far something is: only the last one counts. */
const stateKeys = new Set(['job', 'done', 'total', 'steps', 'errors', 'running', 'title', 'detail'])

interface Waiting {
  name: AppEventName
  payload: object
  /** Joined, where the event has text. */
  text?: string
  leftOut: number
  /** See EventOutbox.keyed; "" for none. */
  key: string
}

/** What an outbox writes to. */
interface Writer {
  readonly isFull: boolean
  /** There is no connection, and there may be one again. */
  readonly isDetached: boolean
  send(message: unknown): void
  drained(): Promise<void>
}

const textOf = (payload: object): string | undefined =>
  'text' in payload && typeof payload.text === 'string' ? payload.text : undefined

const isState = (name: AppEventName, payload: object): boolean =>
  name === 'host.changed' ||
  name === 'language.changed' ||
  (name.endsWith('.progressed') && Object.keys(payload).every((key) => stateKeys.has(key)))

/**
 * Sends events. While the other side does not read, it joins text of the same source, and keeps its end; and of how
 * far something is, it keeps the last.
 */
export class EventOutbox {
  private waiting: Waiting[] = []
  /** What further events are joined with. */
  private readonly keyed = new Map<string, Waiting>()
  private isWaiting = false
  /** Events that were left out while there was no connection. */
  private leftOut = 0

  constructor(
    private readonly writer: Writer,
    /** Too many events wait. */
    private readonly onStuck: () => void,
  ) {}

  send<N extends AppEventName>(name: N, payload: AppEvent<N>): void {
    if (this.waiting.length === 0 && !this.writer.isFull) {
      this.writer.send({ kind: 'event', name, payload })
      return
    }
    this.keep(name, payload)
    if (!this.isWaiting) void this.sendWaiting()
  }

  private keep(name: AppEventName, payload: object): void {
    const text = textOf(payload)
    const joined = text === undefined ? undefined : this.keyed.get(textKey(name, payload))
    if (joined && text !== undefined) {
      const all = (joined.text ?? '') + text
      joined.leftOut += Math.max(0, all.length - mostText)
      joined.text = all.slice(-mostText)
      return
    }
    const key =
      text !== undefined
        ? textKey(name, payload)
        : isState(name, payload)
          ? JSON.stringify([name, 'job' in payload ? payload.job : ''])
          : ''
    const older = this.keyed.get(key)
    if (older) this.waiting.splice(this.waiting.indexOf(older), 1)
    if (this.waiting.length >= mostEvents) {
      if (this.writer.isDetached) this.leftOut += 1
      else this.onStuck()
      return
    }
    const added: Waiting = {
      name,
      payload,
      leftOut: 0,
      key,
      ...(text === undefined ? {} : { text }),
    }
    this.waiting.push(added)
    if (key !== '') this.keyed.set(key, added)
  }

  private async sendWaiting(): Promise<void> {
    this.isWaiting = true
    while (this.waiting.length > 0) {
      await this.writer.drained()
      const next = this.waiting.shift()
      if (!next) break
      this.keyed.delete(next.key)
      const { name, payload, text, leftOut } = next
      const notice =
        leftOut > 0
          ? `… ${leftOut} characters were left out: the connection is too slow, or was lost.\n`
          : ''
      this.writer.send({
        kind: 'event',
        name,
        payload: text === undefined ? payload : { ...payload, text: notice + text },
      })
    }
    this.isWaiting = false
    const { leftOut } = this
    this.leftOut = 0
    if (leftOut > 0) this.send('background.failed', lostEvents(leftOut))
  }
}

const textKey = (name: AppEventName, payload: object): string =>
  JSON.stringify([name, { ...payload, text: '' }])

function lostEvents(count: number): AppEvent<'background.failed'> {
  return {
    code: 'target.unavailable',
    message: `While there was no connection, ${count} lines of progress were left out.`,
    hint: 'The results of the work are complete.',
  }
}
