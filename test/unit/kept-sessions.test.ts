import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { KeptSessions } from '../../electron/session/remote/kept-sessions'

const place = 'gpu:/home/me/op'
const engine = { session: 'session-1', window: 'window-1' }

let home: string
const onlyFile = (): string => {
  const [name = ''] = fs.readdirSync(path.join(home, 'sessions'))
  return path.join(home, 'sessions', name)
}

/** As a window leaves its file that was killed: its process is gone. */
const kill = (): void => {
  const kept = JSON.parse(fs.readFileSync(onlyFile(), 'utf8')) as object
  fs.writeFileSync(onlyFile(), JSON.stringify({ ...kept, started: '1' }))
}

beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-sessions-'))
})
afterEach(() => {
  fs.rmSync(home, { recursive: true })
})

describe('the engine of a window that is gone', () => {
  it('is found once, by the name of its project, in a file for the user alone', () => {
    new KeptSessions(home).keep(place, engine)
    expect(fs.statSync(path.dirname(onlyFile())).mode & 0o777).toBe(0o700)
    expect(fs.statSync(onlyFile()).mode & 0o777).toBe(0o600)
    kill()
    const next = new KeptSessions(home)
    expect(next.take('gpu:/home/me/other')).toBeUndefined()
    expect(next.take(place)).toEqual(engine)
    expect(new KeptSessions(home).take(place)).toBeUndefined()
  })

  it('is not that of a window which runs, or which runs on another machine', () => {
    new KeptSessions(home).keep(place, engine)
    expect(new KeptSessions(home).take(place)).toBeUndefined()
    kill()
    const kept = JSON.parse(fs.readFileSync(onlyFile(), 'utf8')) as object
    fs.writeFileSync(onlyFile(), JSON.stringify({ ...kept, machine: 'another' }))
    expect(new KeptSessions(home).take(place)).toBeUndefined()
  })

  it('is found again if it could not be reached', () => {
    const sessions = new KeptSessions(home)
    sessions.keep(place, engine)
    kill()
    expect(sessions.take(place)).toEqual(engine)
    sessions.putBack(place, engine)
    expect(new KeptSessions(home).take(place)).toEqual(engine)
  })

  it('leaves no file if it was closed, or if the engine ends with its connection', () => {
    const sessions = new KeptSessions(home)
    sessions.keep(place, engine)
    sessions.drop()
    sessions.keep(place, undefined)
    expect(fs.readdirSync(path.join(home, 'sessions'))).toEqual([])
  })

  it('a file that is damaged, or a disk that takes none, does no harm', () => {
    const sessions = new KeptSessions(home)
    sessions.keep(place, engine)
    fs.writeFileSync(onlyFile(), '{')
    expect(new KeptSessions(home).take(place)).toBeUndefined()
    fs.rmSync(path.join(home, 'sessions'), { recursive: true })
    fs.writeFileSync(path.join(home, 'sessions'), '')
    sessions.keep(place, engine)
    expect(sessions.take(place)).toBeUndefined()
  })
})
