import { PassThrough } from 'node:stream'

import { describe, expect, it } from 'vitest'

import { readMessages } from '../../electron/engine/remote/message-stream'
import { NumberedMessages } from '../../electron/engine/remote/numbered-messages'
import { EventOutbox } from '../../electron/session/serve/event-outbox'

/** Not a confirmation. */
const isNumbered = (message: unknown): boolean => 'number' in (message as object)

/** One side: what it has received, in order. */
class Side {
  readonly messages = new NumberedMessages()
  readonly got: unknown[] = []

  /** Reads until the pipe ends, or until it has read so many frames; what is in the pipe then is lost. */
  async read(
    input: PassThrough,
    most: number,
    onMessage: (message: unknown) => void,
  ): Promise<void> {
    let count = 0
    for await (const given of readMessages(input)) {
      if (count >= most) return
      count += 1
      const taken = this.messages.take(given)
      if (!taken) continue
      this.got.push(taken.message)
      onMessage(taken.message)
    }
  }
}

/** A scenario of calls, each answered with events and a result; the connection is cut as `cuts` says. */
async function scenario(cuts: { side: 'client' | 'engine'; after: number }): Promise<[Side, Side]> {
  const client = new Side()
  const engine = new Side()
  const calls = ['build', 'run', 'gradcheck']
  let isCut = false
  const next = (): void => {
    const call = calls.shift()
    if (call !== undefined) client.messages.send(`call ${call}`)
  }
  next()
  for (let connection = 0; connection < 3; connection += 1) {
    const toEngine = new PassThrough()
    const toClient = new PassThrough()
    // Both hellos.
    client.messages.attach(toEngine, engine.messages.received)
    engine.messages.attach(toClient, client.messages.received)
    const most = (side: 'client' | 'engine'): number =>
      isCut || cuts.side !== side ? 100 : cuts.after
    const close = (): void => {
      client.messages.detach()
      engine.messages.detach()
      toEngine.end()
      toClient.end()
    }
    const reading = [
      client.read(toClient, most('client'), (message) => {
        if (String(message).startsWith('result')) next()
        if (message === 'result gradcheck') close()
      }),
      engine.read(toEngine, most('engine'), (message) => {
        const name = String(message).slice('call '.length)
        for (const text of [`event ${name} 1`, `event ${name} 2`, `result ${name}`])
          engine.messages.send(text)
      }),
    ]
    await Promise.race(reading)
    isCut = true
    close()
    await Promise.all(reading)
    // The work goes on without a connection.
    engine.messages.send(`event without ${connection}`)
    if (client.got.includes('result gradcheck')) break
  }
  return [client, engine]
}

describe('a connection that is cut', () => {
  const cases = (['client', 'engine'] as const).flatMap((side) =>
    Array.from({ length: side === 'client' ? 11 : 4 }, (_, after) => ({ side, after })),
  )

  it.each(cases)(
    'after $after messages that the $side has read: all arrive, once and in order',
    async (cuts) => {
      const [client, engine] = await scenario(cuts)
      expect(engine.got).toEqual(['call build', 'call run', 'call gradcheck'])
      const own = client.got.filter((message) => !String(message).includes('without'))
      expect(own).toEqual(
        ['build', 'run', 'gradcheck'].flatMap((name) => [
          `event ${name} 1`,
          `event ${name} 2`,
          `result ${name}`,
        ]),
      )
      expect(new Set(client.got).size).toBe(client.got.length)
    },
  )

  it('a number that cannot be is refused', () => {
    const messages = new NumberedMessages()
    expect(() => messages.take({ number: 2, message: 'x' })).toThrow(
      'message 2 instead of message 1',
    )
    expect(() => messages.take({ received: 1 })).toThrow('was not sent')
    expect(() => messages.attach(new PassThrough(), 1)).toThrow('was not sent')
    expect(() => messages.take({ message: 'x' })).toThrow('unknown message')
  })

  it('what is confirmed is not kept', async () => {
    const pipe = new PassThrough()
    const back = new PassThrough()
    const from = new NumberedMessages()
    const to = new NumberedMessages()
    from.attach(pipe, 0)
    to.attach(back, 0)
    for (let index = 0; index < 600; index += 1) from.send('x'.repeat(100))
    pipe.end()
    for await (const message of readMessages(pipe)) to.take(message)
    back.end()
    for await (const message of readMessages(back)) from.take(message)
    const again = new PassThrough()
    from.attach(again, 512)
    again.end()
    let count = 0
    for await (const message of readMessages(again)) if (isNumbered(message)) count += 1
    expect(count).toBe(600 - 512)
  })
})

describe('events while there is no connection', () => {
  it('of how far something is only the last waits; what is too much is left out and counted', async () => {
    const messages = new NumberedMessages()
    const outbox = new EventOutbox(messages, () => expect.unreachable())
    for (let done = 0; done < 50_000; done += 1) {
      outbox.send('build.progressed', { job: 'a', done, steps: 9, running: [], errors: [] })
      outbox.send('gradcheck.progressed', { job: 'b', done, total: 50_000 })
      if (done % 2 === 0) outbox.send('terminal.ended', { terminal: `t${done}`, exitCode: 0 })
    }
    const pipe = new PassThrough({ highWaterMark: 1 << 28 })
    messages.attach(pipe, 0)
    await new Promise((resolve) => setTimeout(resolve, 100))
    pipe.end()
    const got: { message: { name: string; payload: { done?: number; message?: string } } }[] = []
    for await (const message of readMessages(pipe))
      if (isNumbered(message)) got.push(message as (typeof got)[number])
    const of = (name: string): typeof got => got.filter(({ message }) => message.name === name)
    expect(of('gradcheck.progressed').map(({ message }) => message.payload.done)).toEqual([49_999])
    expect(of('build.progressed').map(({ message }) => message.payload.done)).toEqual([49_999])
    expect(of('terminal.ended').length).toBeLessThanOrEqual(20_000)
    expect(of('background.failed')[0]?.message.payload.message).toMatch(
      /^While there was no connection, \d+ lines of progress were left out\.$/,
    )
  })
})
