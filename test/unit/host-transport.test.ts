import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { buildSync } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { BadFrame, FrameReader, frameHeader } from '../../electron/contract/frames'
import type { HostMessage } from '../../electron/contract/host-calls'
import { startForkedHost } from '../../electron/engine/host/transport'
import type { HostTransport } from '../../electron/engine/host/transport'

let folder = ''
let frames = ''
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-transport-'))
  frames = path.join(folder, 'frames.js')
  const source = path.join(__dirname, '../../electron/contract/frames.ts')
  buildSync({ entryPoints: [source], outfile: frames, format: 'cjs' })
})
afterAll(() => {
  fs.rmSync(folder, { recursive: true, force: true })
})

interface Ending {
  code: number | null
  output: string
  messages: HostMessage[]
  broken: string[]
  host: HostTransport
}

/** Runs this script as an op host until it has ended; it has `send(message)`. */
async function runHost(script: string): Promise<Ending> {
  const entry = path.join(fs.mkdtempSync(path.join(folder, 'host-')), 'host.js')
  fs.writeFileSync(
    entry,
    `const { serialize } = require('node:v8')
    const fs = require('node:fs')
    const { spawn } = require('node:child_process')
    const { frameHeader } = require(${JSON.stringify(frames)})
    const send = (message) => {
      const payload = serialize(message)
      fs.writeSync(3, frameHeader(payload))
      fs.writeSync(3, payload)
    }
    ${script}`,
  )
  const host = startForkedHost({ entry, launcher: [], environment: {} })
  const ending: Ending = { code: null, output: '', messages: [], broken: [], host }
  await new Promise<void>((resolve) => {
    host.listen({
      onMessage: (message) => ending.messages.push(message),
      onBroken: (what) => {
        ending.broken.push(what)
        host.kill()
      },
      onOutput: (_stream, text) => {
        ending.output += text
      },
      onExit: (code) => {
        ending.code = code
        resolve()
      },
    })
  })
  return ending
}

const ready = { kind: 'ready', libtorch: '2.13.0', seconds: 1, sandbox: ['network'] } as const
const staysAlive = 'setInterval(() => undefined, 1000)'

describe('frames', () => {
  function framed(payload: Uint8Array): Uint8Array {
    return Buffer.concat([frameHeader(payload), payload])
  }

  const payloads = [0, 1, 4, 1023, 20_000].map((size) =>
    Uint8Array.from({ length: size }, (_, index) => (index * 7) % 256),
  )
  const stream = Buffer.concat(payloads.map(framed))

  it.each([1, 3, 13, 4096, stream.length])(
    'messages arrive whole in pieces of %i bytes',
    (pieceSize) => {
      const reader = new FrameReader()
      const arrived: Uint8Array[] = []
      for (let at = 0; at < stream.length; at += pieceSize)
        arrived.push(...reader.take(stream.subarray(at, at + pieceSize)))
      expect(arrived.length).toBe(payloads.length)
      for (const [index, payload] of payloads.entries())
        expect(Buffer.compare(arrived[index] ?? Buffer.alloc(0), payload)).toBe(0)
    },
  )

  it('a byte that is changed, left out or added is noticed', () => {
    const [, , , small = new Uint8Array()] = payloads
    const good = Buffer.from(framed(small))
    for (let at = 0; at < good.length; at += 17) {
      const changed = Buffer.from(good)
      changed.writeUInt8(changed.readUInt8(at) ^ 0x40, at)
      const without = Buffer.concat([good.subarray(0, at), good.subarray(at + 1), good])
      const withMore = Buffer.concat([good.subarray(0, at), Buffer.from('x'), good.subarray(at)])
      for (const bytes of [changed, without, withMore]) {
        let arrived: Uint8Array[] = []
        try {
          // A changed length may only leave the reader waiting for more.
          arrived = [...new FrameReader().take(bytes)]
        } catch (error) {
          expect(error).toBeInstanceOf(BadFrame)
        }
        expect(arrived).toEqual([])
      }
    }
  })
})

describe('an op host process', () => {
  it('an op host that has ended gives its last output, messages and exit code', async () => {
    const ending = await runHost(
      `send(${JSON.stringify(ready)}); process.stdout.write('bye'); process.exitCode = 3`,
    )
    expect(ending).toMatchObject({ code: 3, output: 'bye', messages: [ready], broken: [] })
  })

  it('a letter whose bytes come apart is printed whole', async () => {
    const { output } = await runHost(`
      const bytes = Buffer.from('é€')
      let at = 0
      const next = () => {
        if (at < bytes.length) setTimeout(next, 30)
        process.stdout.write(bytes.subarray(at, ++at))
      }
      next()`)
    expect(output).toBe('é€')
  })

  it.each([
    ['junk', `fs.writeSync(3, Buffer.alloc(4096, 0xab))`, 'bytes that are not a message'],
    ['zeros', `fs.writeSync(3, Buffer.alloc(4096))`, 'bytes that are not a message'],
    [
      'a frame around junk',
      `const junk = Buffer.alloc(64, 0xab); fs.writeSync(3, frameHeader(junk)); fs.writeSync(3, junk)`,
      'an unreadable message',
    ],
    [
      'a message of another kind',
      `send({ kind: 'answer', id: 'one', result: 5 })`,
      'an unknown message',
    ],
    ['nothing, after it was closed', `fs.closeSync(3)`, ''],
  ])('%s on its connection ends that op host alone', async (_, script, what) => {
    const ending = await runHost(`send(${JSON.stringify(ready)}); ${script}; ${staysAlive}`)
    expect(ending.messages).toEqual([ready])
    expect(ending.broken).toEqual([what])
  })

  it('processes that it started end with it, those in a session of their own too', async () => {
    const { output, host } = await runHost(`
      const start = (detached) => {
        const child = spawn('sleep', ['300'], { detached, stdio: 'inherit' })
        child.unref()
        return child.pid
      }
      process.stdout.write([start(false), start(true)].join(' '))
      setTimeout(() => process.exit(0), 100)`)
    const pids = output.split(' ').map(Number)
    expect(pids.every((pid) => pid > 1)).toBe(true)
    await host.endRest()
    const isRunning = (pid: number): boolean => {
      try {
        return !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))
      } catch {
        return false
      }
    }
    await expect.poll(() => pids.filter(isRunning)).toEqual([])
  })
})
