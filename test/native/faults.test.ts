import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import type { AppCallName } from '../../electron/contract/app-calls'
import { inputSpec } from '../../electron/contract/manifest'
import type { Result } from '../../electron/contract/outcome'
import { AppSession } from '../../electron/session/app-session'
import { allCalls } from '../../electron/session/calls/all-calls'
import { answer } from '../../electron/session/calls/handle'
import { copyProject, makeTestCache, root, testInstallation } from '../support/installation'
import { nobody } from '../support/nobody'

const cache = makeTestCache()
const folder = copyProject(path.join(root, 'samples/my_op'), cache)
/** What main could not answer for. */
const bugs: string[] = []

beforeAll(() => {
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    bugs.push(String(text))
    return true
  })
})
afterAll(() => {
  vi.restoreAllMocks()
  cache.remove()
})

const request = { op: 'my_op::my_op', args: ['x', 'y'] }

/** What a user does in a sitting: every kind of file that the window keeps is written. */
const sitting: [AppCallName, unknown][] = [
  ['project.open', { folder }],
  ['trust.answer', { folder, trusted: true, parent: false }],
  ['settings.set', { theme: 'dark', hotCompile: false }],
  ['layout.set', { layout: '{}' }],
  ['draft.keep', { folder, draft: { path: 'op.cpp', text: '// typed', baseVersion: '' } }],
  ['draft.list', { folder }],
  ['operator.build', { folder, job: 'build-1' }],
  ['timing.builds', { folder }],
  ['settings.get', {}],
  ['layout.get', {}],
  ['trust.list', {}],
  ['draft.drop', { folder, path: 'op.cpp' }],
  ['draft.keep', { folder, draft: { path: 'op.cpp', text: '// typed', baseVersion: '' } }],
]

/** One sitting from the start to the end; the calls that failed, with their codes. */
async function sit(places = cache.places): Promise<string[]> {
  const session = new AppSession({ ...testInstallation(cache), ...places }, nobody, folder)
  const failed: string[] = []
  const ask = async (name: AppCallName, input: unknown): Promise<void> => {
    const result: Result<unknown> = await answer(session, allCalls, name, input)
    if (!result.ok) failed.push(`${name}: ${result.error.code}`)
  }
  await session.workbench.applySettings()
  for (const [name, input] of sitting) await ask(name, input)
  await ask('gradcheck.runAll', { folder, job: 'gradcheck-1', isBackground: false })
  const inputs = { x: inputSpec.parse({ shape: [2] }), y: inputSpec.parse({ shape: [2] }) }
  await ask('operator.run', { folder, job: 'run-1', request: { ...request, inputs }, timeout: 0 })
  await session.close()
  return failed
}

/** Files that the window wrote outside the project; what compilers made is shared with other tests, by links. */
function writtenFiles(): string[] {
  return (
    Object.values(cache.places)
      .flatMap((place) => fs.readdirSync(place, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      // Set-up's, or a running op host's.
      .filter((file) => !/\/hosts\/|\/compile-times\.json$/.test(file))
      .sort()
  )
}

let written: string[] = []

/** A disk of its own for a folder; why there can be none, "" where it is mounted. */
function mountSmallDisk(at: string): string {
  fs.mkdirSync(at)
  const words = ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', at]
  const mounted = spawnSync('mount', words, { encoding: 'utf8' })
  return mounted.status === 0 ? '' : mounted.stderr || String(mounted.error)
}

/** Writes until the disk takes no more; the last bytes too. */
function fill(folder: string): void {
  for (const size of [4096, 1]) {
    try {
      for (;;) fs.appendFileSync(path.join(folder, 'filling'), Buffer.alloc(size))
    } catch {
      continue
    }
  }
}

describe('what the window keeps', () => {
  it('is written in a sitting, and nothing else is left', async () => {
    expect(await sit()).toEqual([])
    written = writtenFiles()
    // A file of a new kind needs a call above that writes it again.
    const kindOf = (file: string): string => /\/opsmith\/([^/]+)/.exec(file)?.[1] ?? ''
    expect([...new Set(written.map(kindOf))].sort()).toEqual([
      'bench',
      'drafts',
      'gradchecks',
      'layout.json',
      'settings.json',
      'trust.json',
    ])
    expect(fs.readdirSync(path.join(cache.folder, 'hosts'))).toEqual([])
  })

  const faults: [string, (file: string) => void][] = [
    ['an empty file', (file) => fs.truncateSync(file)],
    ['half of it', (file) => fs.truncateSync(file, Math.floor(fs.statSync(file).size / 2))],
    ['bytes that are no text', (file) => fs.writeFileSync(file, Buffer.alloc(4096, 0xff))],
    ['JSON of another shape', (file) => fs.writeFileSync(file, '[null, {"a": [1]}]')],
  ]
  it.each(faults)('each file may be %s: all works, and it is written again', async (_, spoil) => {
    for (const file of written) spoil(file)
    expect(await sit()).toEqual([])
    expect(bugs).toEqual([])
  })

  it('the disk may be full: what cannot be kept is said with that reason, the rest works', async (test) => {
    const home = path.join(cache.home, 'full')
    const problem = mountSmallDisk(home)
    if (problem !== '') test.skip(`no disk can be mounted here: ${problem}`)
    try {
      for (const name of fs.readdirSync(cache.folder)) {
        const target = path.join(cache.folder, name)
        if (fs.lstatSync(target).isSymbolicLink())
          fs.symlinkSync(fs.realpathSync(target), path.join(home, name))
      }
      fill(home)
      const inside = (name: string): string => path.join(home, name)
      const failed = await sit({
        cacheFolder: home,
        configFolder: inside('config'),
        dataFolder: inside('data'),
        stateFolder: inside('state'),
      })
      expect(failed.filter((one) => !one.endsWith(': io'))).toEqual([])
      expect(failed).toContain('layout.set: io')
      expect(failed).toContain('draft.keep: io')
      expect(bugs).toEqual([])
    } finally {
      spawnSync('umount', ['--lazy', home])
    }
  })

  it('each file may be a folder: what cannot be kept is said, the rest works', async () => {
    for (const target of written) {
      fs.rmSync(target, { force: true })
      fs.mkdirSync(path.join(target, 'inside'), { recursive: true })
    }
    const failed = await sit()
    expect(failed.filter((one) => !one.endsWith(': io'))).toEqual([])
    expect(failed).toContain('layout.set: io')
    expect(bugs).toEqual([])
  })
})
