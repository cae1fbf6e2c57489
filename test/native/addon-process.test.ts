import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { CrashRecord } from '../../electron/engine/host/crash-report'
import { moduleOf, parseCrashReport } from '../../electron/engine/host/crash-report'
import { addonFolder, addonPath, compileLibrary, fixtureLibrary } from './fixture'

let folder: string
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-addon-'))
})
afterAll(() => {
  fs.rmSync(folder, { recursive: true, force: true })
})

interface Ending {
  status: number | null
  signal: string | null
  stdout: string
  stderr: string
  records: CrashRecord[]
}

/** A process of its own that loads the fixture and calls it, and how that ended. */
function provoke(script: string): Ending {
  const report = path.join(folder, 'report.txt')
  fs.rmSync(report, { force: true })
  const text = `
    const addon = require(${JSON.stringify(addonPath)})
    addon.installCrashReporter(${JSON.stringify(report)})
    const misbehave = (how) =>
      addon.call(
        'operator.run',
        { op: 'fixture::misbehave', args: ['x', how], inputs: { x: { shape: [1] } } },
        'call fixture::misbehave ' + how,
      )
    void (async () => {
      await addon.call('library.load', { path: ${JSON.stringify(fixtureLibrary('operators'))} })
      ${script}
    })()`
  const ended = spawnSync(process.execPath, ['-e', text], { encoding: 'utf8', timeout: 300_000 })
  const { status, signal, stdout, stderr } = ended
  const written = fs.existsSync(report) ? fs.readFileSync(report, 'utf8') : ''
  return { status, signal, stdout, stderr, records: parseCrashReport(written) }
}

function userFrame(record: CrashRecord | undefined): number {
  return (
    record?.frames.findIndex((frame) => moduleOf(record, frame)?.path.includes('liboperators')) ??
    -1
  )
}

describe('the crash reporter', () => {
  it('exit() is recorded once, with its status and the place of the call', () => {
    const { status, records } = provoke(`await misbehave('exit')`)
    expect(status).toBe(3)
    expect(records).toMatchObject([
      { reason: 'exit', status: 3, phase: 'call fixture::misbehave exit' },
    ])
    expect(userFrame(records[0])).toBeGreaterThanOrEqual(0)
  })

  it('an exception that leaves a thread is recorded, and the abort that follows is not', () => {
    const { signal, records } = provoke(`await misbehave('thread')`)
    expect(signal).toBe('SIGABRT')
    expect(records.map(({ reason, message }) => [reason, message])).toEqual([
      ['terminate', 'std::runtime_error: from a thread'],
    ])
  })

  it('dumping the stack of a running call leaves the call running', () => {
    const { stdout, records } = provoke(`
      void misbehave('spin')
      setInterval(async () => {
        const { busySeconds } = await addon.call('host.ping', {})
        if (busySeconds < 0.3) return
        console.log(await addon.call('host.dumpStack', {}))
        process.kill(process.pid, 'SIGKILL')
      }, 20)`)
    expect(stdout.trim()).toBe('true')
    expect(records.map(({ reason }) => reason)).toEqual(['dump'])
    expect(userFrame(records[0])).toBe(0)
  })

  it('a process that ends itself leaves no record, with and without a running call', () => {
    const idle = provoke('process.exit(4)')
    expect([idle.status, idle.records]).toEqual([4, []])
    const busy = provoke(`void misbehave('spin'); setTimeout(() => process.exit(5), 200)`)
    expect([busy.status, busy.records]).toEqual([5, []])
  })

  it('a record names the phase set from JavaScript, and an idle process has no stack to dump', () => {
    const { stdout, records } = provoke(`
      console.log(await addon.call('host.dumpStack', {}))
      void misbehave('exit')
      await addon.call('registry.list', {}, 'list operators')`)
    expect(stdout.trim()).toBe('false')
    expect(records[0]?.phase).toBe('call fixture::misbehave exit')
  })
})

describe('the addon next to a built library', () => {
  function build(name: string, source: string): string {
    const library = compileLibrary(name, source)
    const target = fs.mkdtempSync(path.join(folder, 'built-'))
    fs.copyFileSync(library, path.join(target, `lib${name}.so`))
    fs.copyFileSync(
      path.join(addonFolder, 'operator_addon.node'),
      path.join(target, `${name}.node`),
    )
    return path.join(target, `${name}.node`)
  }

  function ask(script: string): unknown {
    const ended = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' })
    if (ended.status !== 0) throw new Error(ended.stderr)
    return JSON.parse(ended.stdout)
  }

  it('plain Node can call the operators with typed arrays', () => {
    const copy = path.join(folder, 'operators.node')
    fs.copyFileSync(path.join(addonFolder, 'operator_addon.node'), copy)
    fs.copyFileSync(fixtureLibrary('operators'), path.join(folder, 'liboperators.so'))
    const answer = ask(`
      const addon = require(${JSON.stringify(copy)})
      const x = { dtype: 'float32', shape: [2], data: new Float32Array([1, 2]) }
      const scaled = addon.scaled(x, x)
      const longer = { dtype: 'float32', shape: [3], data: new Float32Array(3) }
      let error = {}
      try { addon.scaled(x, longer) } catch (caught) { error = { code: caught.code, message: caught.message } }
      addon.twice(x)
      console.log(JSON.stringify({
        scaled: { ...scaled, data: [...scaled.data], array: scaled.data.constructor.name },
        error, twice: [...x.data],
        number: addon.ops['fixture::pick.number'](5n),
        bits: [...addon.make('n', 'bfloat16', null, [1, 1], 'cpu').data],
        many: addon.many(x).length,
        bare: [typeof addon.pick, typeof addon.many],
        schemas: addon.schemas.length,
      }))`)
    expect(answer).toEqual({
      scaled: { dtype: 'float32', shape: [2], data: [2, 4], array: 'Float32Array' },
      error: { code: 'operator.check', message: 'scaled: sizes differ' },
      twice: [2, 4],
      number: 5,
      bits: [0x3f80],
      many: 4,
      bare: ['undefined', 'function'],
      schemas: 8,
    })
  })

  it('an addon without its library names the library it needs', () => {
    const lonely = build('lonely', 'int nothing;')
    fs.rmSync(path.join(path.dirname(lonely), 'liblonely.so'))
    expect(() => ask(`require(${JSON.stringify(lonely)})`)).toThrow(
      /liblonely\.so, which is missing/,
    )
  })
})
