import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'

import { afterAll, describe, expect, it } from 'vitest'

import { wordsWithoutTarget } from '../../electron/cli/on-target'
import { framesFollow } from '../../electron/contract/serve'
import { frameHeader } from '../../electron/contract/frames'
import {
  checkHello,
  helloOf,
  payloadOf,
  readMessages,
  toText,
  writeFrame,
} from '../../electron/engine/remote/message-stream'
import { Preamble } from '../../electron/engine/remote/preamble'
import { settings } from '../../electron/contract/settings'
import {
  commandOn,
  explainTargetEnd,
  findTarget,
  scriptOn,
  targetCommand,
} from '../../electron/engine/remote/targets'
import { EventOutbox } from '../../electron/session/serve/event-outbox'
import { serveSession } from '../../electron/session/serve/serve'
import { makeTestCache, testInstallation } from '../support/installation'

const cache = makeTestCache()
afterAll(() => {
  cache.remove()
})

function framed(message: unknown): Buffer {
  const payload = Buffer.from(JSON.stringify(message))
  return Buffer.concat([frameHeader(payload), payload])
}

const numberedFrame = (number: number, message: unknown): Buffer => framed({ number, message })

describe('messages', () => {
  it('arrive as they were sent, numbers that JSON does not have included', async () => {
    const pipe = new PassThrough()
    const sent = [{ numbers: [NaN, Infinity, -Infinity, -0, 0.1] }, { text: 'ü\n"$number"' }, null]
    for (const message of sent) writeFrame(pipe, payloadOf(toText(message)))
    pipe.end()
    const arrived: unknown[] = []
    for await (const message of readMessages(pipe)) arrived.push(message)
    expect(arrived).toEqual(sent)
  })

  it('what is not a message ends the reading, after the messages before it', async () => {
    const arrived: unknown[] = []
    const read = async (bytes: Buffer): Promise<void> => {
      for await (const message of readMessages(Readable.from([framed('good'), bytes])))
        arrived.push(message)
    }
    await expect(read(Buffer.from('printed by somebody'))).rejects.toThrow('not a message')
    const noJson = Buffer.from('{')
    await expect(read(Buffer.concat([frameHeader(noJson), noJson]))).rejects.toThrow(
      'cannot be read',
    )
    const damaged = Buffer.from([1, 255, 255, 10])
    await expect(read(Buffer.concat([frameHeader(damaged), damaged]))).rejects.toThrow(
      'cannot be read',
    )
    expect(arrived).toEqual(['good', 'good', 'good'])
  })

  it('long ones are compressed, and each still ends a line', async () => {
    const source = 'at::Tensor my_op(const at::Tensor& x) { return x + 1; } // ü\n'.repeat(1000)
    const payload = payloadOf(toText({ source }))
    expect(payload.byteLength).toBeLessThan(source.length / 10)
    expect(payload.at(-1)).toBe(10)
    const pipe = new PassThrough()
    writeFrame(pipe, payload)
    pipe.end()
    for await (const message of readMessages(pipe)) expect(message).toEqual({ source })
  })

  it('a hello of another version, or of another protocol, names both versions and what to do', () => {
    const there = 'The Opsmith on gpu'
    expect(checkHello(helloOf('1.0.0'), '1.0.0', there).ok).toBe(true)
    expect(checkHello(helloOf('1.0.0'), '2.0.0', there)).toMatchObject({
      error: {
        message: 'The Opsmith on gpu has version 1.0.0, but this Opsmith has version 2.0.0.',
        hint: expect.stringContaining('need the same version of Opsmith') as string,
      },
    })
    const protocol = { ...helloOf('1.0.0'), protocol: 99 }
    expect(checkHello(protocol, '1.0.0', there)).toMatchObject({
      error: { message: expect.stringContaining('another protocol') as string },
    })
    expect(checkHello({ kind: 'call' }, '1.0.0', there).ok).toBe(false)
  })

  it.each([1, 7, 1000])('a banner before the line is skipped, in pieces of %i bytes', (size) => {
    const stream = Buffer.from(`Welcome!\nlast login${framesFollow}\0\x01frames${framesFollow}`)
    const preamble = new Preamble(framesFollow)
    const rest: Uint8Array[] = []
    for (let at = 0; at < stream.length; at += size)
      rest.push(preamble.take(stream.subarray(at, at + size)))
    expect(Buffer.concat(rest).toString()).toBe(`\0\x01frames${framesFollow}`)
    expect(preamble.skipped).toBe('Welcome!\nlast login')
  })

  it('text without an end is no banner', () => {
    const preamble = new Preamble(framesFollow)
    preamble.take(Buffer.alloc(2 << 20, 'x'))
    expect(preamble.isTooLong).toBe(true)
  })
})

/** A writer that a test opens and closes. */
class Gate {
  isFull = true
  isDetached = false
  sent: { name: string; payload: { text?: string } }[] = []
  private open: () => void = () => undefined
  private opened = new Promise<void>((resolve) => {
    this.open = resolve
  })

  send(message: unknown): void {
    this.sent.push(message as (typeof this.sent)[number])
  }

  async drained(): Promise<void> {
    await this.opened
  }

  async release(): Promise<void> {
    this.isFull = false
    this.open()
    await new Promise((resolve) => setImmediate(resolve))
  }
}

describe('events for somebody who does not read', () => {
  it('wait in their order, text of one source joined, and text keeps its end', async () => {
    const gate = new Gate()
    const outbox = new EventOutbox(gate, () => expect.unreachable())
    outbox.send('command.invoked', { command: 'first' })
    for (let index = 0; index < 1_000; index += 1) {
      outbox.send('build.output', { job: 'a', text: 'a'.repeat(4_000) })
      outbox.send('build.output', { job: 'b', text: 'b' })
    }
    outbox.send('build.output', { job: 'a', text: 'the end' })
    outbox.send('command.invoked', { command: 'last' })
    expect(gate.sent).toEqual([])
    await gate.release()
    expect(gate.sent.map(({ name }) => name)).toEqual([
      'command.invoked',
      'build.output',
      'build.output',
      'command.invoked',
    ])
    const [, a = '', b] = gate.sent.map(({ payload }) => payload.text)
    expect(a).toMatch(/^… 3000007 characters were left out: .*\na+the end$/)
    expect(a.length).toBeLessThan(1_000_200)
    expect(b).toBe('b'.repeat(1_000))
    // What comes later goes at once.
    outbox.send('command.invoked', { command: 'later' })
    expect(gate.sent).toHaveLength(5)
  })

  it('are given up when there are too many', () => {
    let stuck = 0
    const outbox = new EventOutbox(new Gate(), () => {
      stuck += 1
    })
    for (let index = 0; index < 20_001; index += 1)
      outbox.send('command.invoked', { command: String(index) })
    expect(stuck).toBe(1)
  })
})

describe('a session behind a pipe', () => {
  const installation = testInstallation(cache)

  it('stops reading calls while its answers are not read', async () => {
    let asked = 0
    const calls = function* (): Generator<Buffer> {
      yield framed(helloOf('1.0.0'))
      for (; asked < 100_000; asked += 1)
        yield numberedFrame(asked + 1, {
          kind: 'call',
          id: asked,
          call: 'project.manifestSchema',
          input: {},
        })
    }
    let written = 0
    let wake: (() => void) | undefined
    const output = new Writable({
      highWaterMark: 1 << 20,
      write: (bytes: Uint8Array, _encoding, done) => {
        written += bytes.byteLength
        wake = done
      },
    })
    const input = Readable.from(calls())
    const served = serveSession({ installation, version: '1.0.0', input, output })
    let before = -1
    while (before !== asked || asked === 0) {
      before = asked
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect(asked).toBeLessThan(1_000)
    expect(output.writableLength).toBeLessThan(200 << 20)
    expect(written).toBeLessThan(1_000)
    input.destroy()
    wake?.()
    expect(await served).toEqual({ ok: true, value: null })
  })

  it('refuses another version, and what is not a message', async () => {
    const serve = (...bytes: Buffer[]): ReturnType<typeof serveSession> => {
      const output = new PassThrough()
      output.resume()
      const input = Readable.from(bytes)
      return serveSession({ installation, version: '1.0.0', input, output })
    }
    expect(await serve(framed(helloOf('2.0.0')))).toMatchObject({
      error: { message: expect.stringContaining('version 2.0.0') as string },
    })
    const shaken = framed(helloOf('1.0.0'))
    expect(await serve(shaken, numberedFrame(1, { kind: 'dance' }))).toMatchObject({
      error: { message: 'The Opsmith that connected to this machine sent an unknown message.' },
    })
    expect(await serve(shaken)).toEqual({ ok: true, value: null })
  })
})

describe('targets', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-targets-'))
  afterAll(() => {
    fs.rmSync(folder, { recursive: true })
  })
  const nasty = ['run', 'a b', "it's", '$HOME', '`id`', '"', '', '*', '-x', 'ü', 'a\\b', 'x;y']
  const show = path.join(folder, 'show it')
  fs.writeFileSync(show, '#!/bin/sh\nprintf "<%s>" "$(pwd)" "$OPSMITH_CALLER_VERSION" "$@"\n', {
    mode: 0o755,
  })
  // As ssh: it joins its words, and a shell splits them.
  const ssh = path.join(folder, 'ssh')
  fs.writeFileSync(ssh, '#!/bin/sh\nshift\nexec sh -c "$*"\n', { mode: 0o755 })

  it.each([
    ['a shell', ['sh']],
    ['a command that ends in a shell', ['env', 'A=1', 'bash', '--norc']],
    ['a shell that waits for its script', ['bash', '--norc', '-c']],
    ['a command that takes a command', ['env', 'A=1']],
    ['ssh', [ssh, 'host']],
    ['ssh to a host where another command takes the command', [ssh, 'host', 'env', 'A=1']],
  ])('each word arrives through %s', (_how, command) => {
    const target = { command, opsmith: show, folder }
    const [program, ...words] = commandOn(target, { words: nasty, callerVersion: '1.0.0' })
    const { stdout } = spawnSync(program, words, { encoding: 'utf8' })
    const arrived = [folder, '1.0.0', ...nasty].map((word) => `<${word}>`).join('')
    expect(stdout).toBe(`opsmith: the answer follows\n${arrived}`)
  })

  it.each([
    [{ ssh: 'gpu', options: ['-p', '2222'] }, 'ssh -p 2222 -- gpu'],
    [{ docker: 'box', user: 'me' }, 'docker exec --interactive --user me box'],
    [{ podman: 'bash' }, 'podman exec --interactive bash'],
    [
      { kubectl: 'pod', namespace: 'ml', container: 'torch', context: 'site' },
      'kubectl --context site --namespace ml exec --stdin --container torch pod --',
    ],
    [{ srun: ['--gres=gpu:1'] }, 'srun --gres=gpu:1'],
    [{ srun: ['--gres=gpu:1'], login: 'head' }, 'ssh -- head srun --gres=gpu:1'],
  ])('%j is a command', (target, words) => {
    expect(settings.shape.targets.parse({ one: target })).toEqual({ one: target })
    const command = targetCommand(target)
    expect(command.join(' ')).toBe(words)
    const on = scriptOn({ command, takesCommand: true }, 'exit 0').join(' ')
    expect(on).toBe(`${words} sh -c ${words.startsWith('ssh') ? "'exit 0'" : 'exit 0'}`)
  })

  it.each([
    { ssh: '-oProxyCommand=rm' },
    { docker: 'a b' },
    { docker: 'box', podman: 'box' },
    { kubectl: 'pod', namspace: 'ml' },
    { command: [] },
    {},
  ])('%j is no target', (target) => {
    expect(settings.shape.targets.safeParse({ one: target }).success).toBe(false)
  })

  it('a name is found in the settings, or is a host of ssh', () => {
    const targets = { gpu: { command: ['sh'] }, gone: { command: ['no-such-program', 'exec'] } }
    expect(findTarget('gpu', { targets })).toEqual({
      ok: true,
      value: { name: 'gpu', command: ['sh'] },
    })
    expect(findTarget('ssh:-oProxyCommand=x', { targets })).toMatchObject({
      value: { command: ['ssh', '--', '-oProxyCommand=x'] },
    })
    expect(findTarget('other', { targets })).toMatchObject({
      error: { hint: expect.stringContaining('gpu, gone') as string },
    })
    expect(findTarget('toString', { targets }).ok).toBe(false)
    expect(findTarget('gone', { targets })).toMatchObject({
      error: { message: expect.stringContaining('no-such-program') as string },
    })
  })

  it('an end without an answer has a reason, and an end of Opsmith has none', () => {
    const target = { name: 'gpu', command: ['ssh', 'host'] }
    const explain = (exitCode: number, hasAnswered: boolean): string =>
      explainTargetEnd(target, { exitCode, hasAnswered })?.error.message ?? ''
    expect(explain(255, false)).toContain('cannot be reached')
    expect(explain(255, true)).toContain('was lost')
    expect(explain(127, true)).toContain('has no program opsmith')
    expect([0, 1, 2, 130].map((code) => explain(code, true))).toEqual(['', '', '', ''])
  })

  it('the command line there is the one here without --on', () => {
    const without = (line: string): string => wordsWithoutTarget(line.split(' ')).join(' ')
    expect(without('run my_op --on gpu --json')).toBe('run my_op --json')
    expect(without('--on=gpu run my_op')).toBe('run my_op')
    expect(without('cuda a.cu --on gpu -- --on x')).toBe('cuda a.cu -- --on x')
    expect(without('cuda a.cu -- --on x')).toBe('cuda a.cu -- --on x')
  })
})
