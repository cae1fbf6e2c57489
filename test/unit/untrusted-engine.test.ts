import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { frameHeader } from '../../electron/contract/frames'
import { ok, unwrap } from '../../electron/contract/outcome'
import type { Result } from '../../electron/contract/outcome'
import type { Project } from '../../electron/contract/project'
import { framesFollow } from '../../electron/contract/serve'
import { defaultSettings } from '../../electron/contract/settings'
import { findInstallation } from '../../electron/engine/installation'
import { connectEngine } from '../../electron/engine/remote/engine-client'
import { helloOf } from '../../electron/engine/remote/message-stream'
import { RemoteProjects } from '../../electron/session/remote/remote-projects'
import { root } from '../support/installation'

const version = '1.2.3'
const project = {
  folder: '/there/op',
  manifestFile: '/there/op/opsmith.json',
  name: 'op',
  files: [],
  trust: 'trusted',
}

let home: string
let sent: [name: string, payload: unknown][]
let asked: string[]
let remote: RemoteProjects

beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-untrusted-'))
  sent = []
  asked = []
})
afterEach(async () => {
  await remote.close()
  fs.rmSync(home, { recursive: true })
})

/** As both sides write them: each ends a line. */
function framesOf(...messages: object[]): Buffer {
  const frames = messages.flatMap((message) => {
    const payload = Buffer.from(`${JSON.stringify(message)}\n`)
    return [frameHeader(payload), payload]
  })
  return Buffer.concat(frames)
}

/** An engine that says all this once it is asked the first time, whatever that is. */
function engineThatSays(messages: object[], itsVersion = version, end = ''): string[] {
  const greeting = path.join(home, 'greeting')
  const said = path.join(home, 'said')
  fs.writeFileSync(
    greeting,
    Buffer.concat([Buffer.from(framesFollow), framesOf(helloOf(itsVersion))]),
  )
  const numbered = messages.map((message, index) => ({ number: index + 1, message }))
  fs.writeFileSync(said, Buffer.concat([framesOf(...numbered), Buffer.from(end)]))
  // The hello of the window and one byte more: the first byte of its first question.
  const ofWindow = helloOf(version, { window: randomUUID(), received: 0 })
  const read = `dd bs=1 count=${framesOf(ofWindow).length + 1} of=/dev/null 2>/dev/null`
  const command = ['sh', '-c', `cat '${greeting}'; ${read}; cat '${said}'; exec cat >/dev/null`]
  remote = new RemoteProjects({
    installation: { ...findInstallation(path.join(root, 'dist')), dataFolder: home },
    desktop: {
      version,
      send: (name, payload) => sent.push([name, payload]),
      askToOpen: () => Promise.reject(new Error('a dialog of this machine')),
      askToSave: () => Promise.reject(new Error('a dialog of this machine')),
      ask: ({ message }) => {
        asked.push(message)
        return Promise.resolve(1)
      },
      showInFolder: () => asked.push('showInFolder'),
      openFolder: (folder) => Promise.resolve(folder),
      moveToTrash: () => Promise.resolve(),
    },
    settings: () => Promise.resolve({ ...defaultSettings, targets: { evil: { command } } }),
    noteRecent: () => Promise.resolve(),
    leave: () => Promise.resolve(),
    comeBack: () => undefined,
  })
  return command
}

const notHere = (): Promise<Result<unknown>> => Promise.reject(new Error('asked here'))

const open = (): Promise<Result<unknown>> =>
  remote.answer('project.open', { target: 'evil', folder: 'op' }, notHere)

const opened = { kind: 'result', id: 1, result: ok(project) }
const eventNames = (): string[] => sent.map(([name]) => name)

describe('an engine that can no longer be heard', () => {
  const connectTo = async (command: string[], signal: AbortSignal): Promise<Result<unknown>> =>
    await connectEngine(
      { name: 'far', command },
      {
        version,
        seconds: 20,
        beat: 20,
        signal,
        onQuestion: () => Promise.resolve(null),
        onLog: () => undefined,
        onLost: (error) => lost.push(error),
      },
    )
  let lost: unknown[]

  beforeEach(() => {
    lost = []
  })

  it('is lost after some questions without an answer, though its process runs', async () => {
    unwrap(await connectTo(engineThatSays([]), new AbortController().signal))
    await expect.poll(() => lost).toMatchObject([{ error: { message: 'far no longer answers.' } }])
  })

  it('Stop ends an attempt to connect at once', async () => {
    engineThatSays([])
    const stop = new AbortController()
    const connecting = connectTo(['sh', '-c', 'sleep 60'], stop.signal)
    stop.abort()
    expect(await connecting).toMatchObject({ error: { code: 'cancelled' } })
  })
})

describe('an engine on another machine that nobody can trust', () => {
  it('sends the window no event that runs a command or opens a project here', async () => {
    engineThatSays([
      opened,
      { kind: 'event', name: 'command.invoked', payload: { command: 'flush' } },
      { kind: 'event', name: 'project.wanted', payload: { folder: '/etc', model: '' } },
      { kind: 'event', name: 'version.found', payload: { version: '9', own: '1', address: 'x' } },
      { kind: 'event', name: 'terminal.ended', payload: { terminal: 'last', exitCode: 0 } },
    ])
    unwrap(await open())
    await expect.poll(eventNames).toContain('terminal.ended')
    for (const name of ['command.invoked', 'project.wanted', 'version.found'])
      expect(eventNames()).not.toContain(name)
  })

  it('does not choose the name under which the window shows its machine', async () => {
    const other = { ...project, target: 'localhost', name: 'changed' }
    engineThatSays([
      { kind: 'result', id: 1, result: ok({ ...project, target: 'localhost' }) },
      { kind: 'event', name: 'project.changed', payload: other },
    ])
    expect(unwrap(await open())).toMatchObject({ target: 'evil' })
    await expect.poll(eventNames).toContain('project.changed')
    const changed = sent.find(([name]) => name === 'project.changed')
    expect(changed?.[1] as Project).toMatchObject({ name: 'changed', target: 'evil' })
  })

  it('asks in dialogs that say who asks, and for paths only as text', async () => {
    const question = {
      type: 'question',
      message: 'Use /bin/rm?',
      detail: '',
      buttons: ['Use it', 'Cancel'],
      defaultId: 1,
      cancelId: 1,
    }
    const file = { title: 'Open', properties: ['openFile'] }
    engineThatSays([
      opened,
      { kind: 'question', id: 1, asked: { dialog: 'message', question } },
      { kind: 'question', id: 2, asked: { dialog: 'open', question: file } },
    ])
    unwrap(await open())
    await expect.poll(() => asked).toEqual(['evil asks: Use /bin/rm?'])
    await expect.poll(eventNames).toContain('remote.asked')
  })

  it('cannot have a path of its machine become a tool of this one', async () => {
    engineThatSays([opened])
    unwrap(await open())
    for (const change of [{ compiler: '/there/clang++' }, { libtorch: '/there/torch' }])
      expect(await remote.answer('settings.set', change, notHere)).toMatchObject({
        error: {
          code: 'request.invalid',
          message: expect.stringContaining('the project is on evil') as string,
        },
      })
    const here = (): Promise<Result<unknown>> => Promise.resolve(ok('here'))
    expect(await remote.answer('settings.set', { theme: 'dark' }, here)).toEqual(ok('here'))
  })

  it('is refused if its answers do not have the form of the contract', async () => {
    engineThatSays([{ kind: 'result', id: 1, result: ok({ folder: '/there/op' }) }])
    expect(await open()).toMatchObject({ ok: false, error: { code: 'internal' } })
    expect(remote.isOpen).toBe(false)
  })

  it('is refused if it has another version', async () => {
    engineThatSays([], '1.2.4')
    expect(await open()).toMatchObject({
      error: {
        message: 'The Opsmith on evil has version 1.2.4, but this Opsmith has version 1.2.3.',
      },
    })
  })

  it('a command line or a host that no file of the user names is asked about in a dialog of this machine', async () => {
    engineThatSays([opened])
    const mark = path.join(home, 'ran')
    const input = { target: `touch ${mark}`, folder: 'op' }
    expect(await remote.answer('project.open', input, notHere)).toMatchObject({
      error: { code: 'cancelled' },
    })
    await remote.answer('project.open', { target: 'me@evil.invalid', folder: 'op' }, notHere)
    expect(asked).toEqual([
      `Run this command to reach touch ${mark}?\n\ntouch ${mark}`,
      'Run this command to reach me@evil.invalid?\n\nssh -- me@evil.invalid',
    ])
    expect(fs.existsSync(mark)).toBe(false)
  })

  it('drafts and results are kept here, and calls end with a reason, while there is no connection', async () => {
    engineThatSays([opened], version, 'no frame, which ends the connection')
    unwrap(await open())
    await expect.poll(() => remote.connection().state).toBe('lost')
    // It is tried again after a second, which must not find an engine.
    fs.rmSync(path.join(home, 'greeting'))
    const folder = project.folder
    const draft = { path: 'op.cpp', text: 'typed', baseVersion: '1' }
    unwrap(await remote.answer('draft.keep', { folder, draft }, notHere))
    expect(await remote.answer('draft.list', { folder }, notHere)).toEqual(ok([draft]))
    unwrap(await remote.answer('results.keep', { folder, text: '{}' }, notHere))
    expect(await remote.answer('results.read', { folder }, notHere)).toEqual(ok('{}'))
    expect(await remote.answer('git.status', { folder }, notHere)).toMatchObject({
      error: { code: 'target.unavailable', message: 'There is no connection to evil.' },
    })
    unwrap(await remote.answer('draft.drop', { folder, path: 'op.cpp' }, notHere))
    expect(await remote.answer('draft.list', { folder }, notHere)).toEqual(ok([]))
  })
})
