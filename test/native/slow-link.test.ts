import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { AppCallName, AppInput, AppOutput } from '../../electron/contract/app-calls'
import type { Connection } from '../../electron/contract/remote-calls'
import { unwrap } from '../../electron/contract/outcome'
import type { Result } from '../../electron/contract/outcome'
import { ownVersion } from '../../electron/engine/installation'
import { listDrafts } from '../../electron/engine/project/drafts'
import { connectEngine } from '../../electron/engine/remote/engine-client'
import { changeSettings } from '../../electron/engine/project/settings-file'
import { AppSession } from '../../electron/session/app-session'
import { allCalls } from '../../electron/session/calls/all-calls'
import { answer } from '../../electron/session/calls/handle'
import type { RemoteProjects } from '../../electron/session/remote/remote-projects'
import { copyProject, makeTestCache, root, testInstallation } from '../support/installation'
import type { TestCache } from '../support/installation'
import { nobody } from '../support/nobody'
import { makeOtherMachine, processOf } from '../support/other-machine'
import type { OtherMachine } from '../support/other-machine'
import { slowLink } from '../support/slow-link'

/** 200 ms there and back, 1 MB/s in each direction. */
const slow = slowLink({ roundTrip: 200, bytesPerSecond: 1e6 })

let cache: TestCache
let other: OtherMachine
let folder: string
let session: AppSession
let remote: RemoteProjects
const states: Connection[] = []
const events: [name: string, payload: unknown][] = []

beforeAll(async () => {
  cache = makeTestCache()
  other = await makeOtherMachine()
  folder = copyProject(path.join(root, 'samples/my_op'), other.cache)
  // It prints.
  const source = path.join(folder, 'op.cpp')
  const text = fs
    .readFileSync(source, 'utf8')
    .replace('#include <vector>', '#include <cstdio>\n#include <vector>')
    .replace(
      'return 3 * x',
      'for (int i = 0; i < 1000; ++i) std::printf("%063d\\n", i);\n  std::fflush(stdout);\n  return 3 * x',
    )
  fs.writeFileSync(source, text)
  const far = { ...other.target, command: [...slow, ...other.target.command] }
  process.env['SLOW_LINK_COUNTS'] = path.join(cache.home, 'counts')
  await changeSettings(cache.places.configFolder, { targets: { far } })
  const version = ownVersion(root)
  const send = (name: string, payload: unknown): void => {
    events.push([name, payload])
    if (name === 'remote.changed') states.push(payload as Connection)
  }
  session = new AppSession(testInstallation(cache), { ...nobody, version, send }, '')
  remote = session.reachOthers()
})
afterAll(async () => {
  await session.close()
  delete process.env['SLOW_LINK_COUNTS']
  cache.remove()
  other.cache.remove()
})

/** As the window calls. */
async function call<N extends AppCallName>(
  name: N,
  input: AppInput<N>,
): Promise<Result<AppOutput<N>>> {
  const here = async (): Promise<Result<unknown>> => await answer(session, allCalls, name, input)
  return (await remote.answer(name, input, here)) as Result<AppOutput<N>>
}

const inputs = { x: { shape: [2, 3] }, y: { shape: [2, 3] } }
const request = { op: 'my_op::my_op', args: ['x', 'y'], inputs } as never

const bytesThere = (): number => {
  const counts = fs.readFileSync(path.join(cache.home, 'counts'), 'utf8')
  return (JSON.parse(counts) as { there: number }).there
}

describe('over a link with 200 ms round trips and 1 MB/s', () => {
  it('a project is opened, built, run and gradchecked, and the connection is never called lost', async () => {
    const opened = unwrap(await call('project.open', { folder, target: 'far' }))
    expect(opened).toMatchObject({ folder, target: 'far', trust: 'unknown' })
    unwrap(await call('trust.answer', { folder, trusted: true, parent: false }))
    const { build } = unwrap(await call('operator.build', { folder, job: 'build' }))
    expect(build.ok, JSON.stringify(build)).toBe(true)
    const ran = unwrap(await call('operator.run', { folder, job: 'run', request, timeout: 0 }))
    expect(ran.outputs[0]).toMatchObject({ shape: [2, 3] })
    const checks = { folder, job: 'gradcheck', isBackground: false }
    expect(unwrap(await call('gradcheck.runAll', checks)).length).toBeGreaterThan(0)
    expect(states.map(({ state }) => state)).toEqual(['open'])
    const lines = (): string[] => {
      const texts = events.flatMap(([name, payload]) =>
        name === 'host.output' ? [(payload as { text: string }).text] : [],
      )
      return texts.join('').match(/^\d{63}$/gm) ?? []
    }
    await expect.poll(() => lines().length).toBeGreaterThanOrEqual(1000)
    const all = Array.from({ length: 1000 }, (_, line) => String(line).padStart(63, '0'))
    expect(lines().slice(0, 1000)).toEqual(all)
  })

  it('typing is answered while nothing passes the line, which then carries the newest text alone', async () => {
    const before = bytesThere()
    const line = processOf(
      (words, environment) =>
        words.some((word) => word.endsWith('slow-pipe.mjs')) && environment.includes(cache.home),
    )
    process.kill(line ?? 0, 'SIGSTOP')
    const asked = call('host.state', {})
    let last = ''
    for (let typed = 0; typed < 20; typed += 1) {
      // As random as a compressed file: the line needs a quarter of a second for each.
      last = randomBytes(250_000).toString('base64')
      const draft = { path: 'op.cpp', text: last, baseVersion: '' }
      unwrap(await call('draft.keep', { folder, draft }))
    }
    process.kill(line ?? 0, 'SIGCONT')
    unwrap(await asked)
    const kept = async (): Promise<string | undefined> => {
      const there = await listDrafts(other.cache.places.dataFolder, folder)
      return there[0]?.text
    }
    await expect.poll(kept).toBe(last)
    expect(bytesThere() - before).toBeLessThan(4 * 250_000)
    const here = unwrap(await call('draft.list', { folder }))
    expect(here.map((draft) => draft.text)).toEqual([last])
    expect(states.map(({ state }) => state)).toEqual(['open'])
  })
})

describe('a message that takes longer than an engine may be silent', () => {
  it('arrives, and the connection is not called lost', async () => {
    const lost: string[] = []
    // The message takes 15 s. Five beats are 10 s, and a busy machine may not let the engine answer for some of them.
    const narrow = slowLink({ roundTrip: 200, bytesPerSecond: 60_000 })
    const engine = unwrap(
      await connectEngine(
        { name: 'far', command: [...narrow, ...other.target.command] },
        {
          version: ownVersion(root),
          seconds: 60,
          beat: 2_000,
          onQuestion: () => Promise.resolve(null),
          onLog: () => undefined,
          onLost: (error) => lost.push(error.ok ? '' : error.error.message),
        },
      ),
    )
    unwrap(await engine.call('project.open', { folder }))
    const text = randomBytes(700_000).toString('base64')
    const written = await engine.call('file.write', {
      folder,
      path: 'large.txt',
      text,
      baseVersion: '',
    })
    expect(written.ok).toBe(true)
    expect(fs.readFileSync(path.join(folder, 'large.txt'), 'utf8')).toBe(text)
    expect(lost).toEqual([])
    await engine.close()
  })
})
