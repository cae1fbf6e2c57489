import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, expect, it } from 'vitest'

import { log } from '../../electron/engine/log-file'
import { LastEnd } from '../../electron/main/last-end/last-end'
import { readDump } from '../../electron/main/last-end/minidump'

let state: string
beforeEach(() => {
  state = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-end-'))
})
afterEach(() => {
  fs.rmSync(state, { recursive: true, force: true })
})

const begin = (): ReturnType<LastEnd['begin']> => new LastEnd(state, '1.2.3').begin()
const note = (): string => path.join(state, 'running.json')

/** As a session leaves it whose process has ended. */
function leaveNote(change: object): number {
  const { pid } = spawnSync('true')
  begin()
  const value = JSON.parse(fs.readFileSync(note(), 'utf8')) as object
  fs.writeFileSync(note(), JSON.stringify({ ...value, pid, ...change }))
  return pid
}

/** A minidump with the two streams that are read. */
function dumpOf(pid: number, signal: number): Buffer {
  const bytes = Buffer.alloc(256)
  bytes.write('MDMP', 0, 'latin1')
  bytes.writeUInt32LE(2, 8)
  bytes.writeUInt32LE(32, 12)
  for (const [index, [type, place]] of [[15, 100] as const, [6, 150] as const].entries()) {
    bytes.writeUInt32LE(type, 32 + 12 * index)
    bytes.writeUInt32LE(place, 40 + 12 * index)
  }
  bytes.writeUInt32LE(pid, 108)
  bytes.writeUInt32LE(signal, 158)
  return bytes
}

it('a session that was closed, or that runs, is no unexpected end', () => {
  expect(begin()).toBeNull()
  expect(begin()).toBeNull()
  new LastEnd(state, '1.2.3').end()
  expect(fs.existsSync(note())).toBe(false)
  expect(begin()).toBeNull()
})

it('an end by a signal is named, with a report that has the end of the log', () => {
  log(state, 'what happened before')
  const pid = leaveNote({})
  const dumps = path.join(state, 'crashes', 'pending')
  fs.mkdirSync(dumps, { recursive: true })
  fs.writeFileSync(path.join(dumps, 'other.dmp'), dumpOf(pid + 1, 6))
  fs.writeFileSync(path.join(dumps, 'main.dmp'), dumpOf(pid, 11))
  const end = begin()
  expect(end?.message).toContain('a segmentation fault (SIGSEGV)')
  const report = fs.readFileSync(end?.report ?? '', 'utf8')
  expect(report).toContain('Opsmith 1.2.3')
  expect(report).toContain('main.dmp')
  expect(report).toContain('what happened before')
})

it('without a dump something ended the process; a restart of the machine says nothing', () => {
  leaveNote({})
  expect(begin()?.message).toContain('the process was killed')
  leaveNote({ boot: 'another' })
  expect(begin()).toBeNull()
})

it('bytes that are no minidump, or half of one, are none', () => {
  expect(readDump(dumpOf(7, 11))).toEqual({ pid: 7, signal: 11 })
  expect(readDump(dumpOf(7, 11).subarray(0, 120))).toBeUndefined()
  expect(readDump(Buffer.from('no dump'))).toBeUndefined()
  expect(readDump(Buffer.alloc(0))).toBeUndefined()
})
