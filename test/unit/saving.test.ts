import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

import { err, ok } from '../../electron/contract/outcome'
import { defaultSettings } from '../../electron/contract/settings'
import { forgetDiskChanges, listenToDisk } from '../../renderer/editor/disk-changes'
import { keepMine, saveAll, saveFile } from '../../renderer/editor/saving'
import { buildJob } from '../../renderer/store/build'
import { addFile, changeFile, filesStore, type OpenFile } from '../../renderer/store/files'
import { settingsStore } from '../../renderer/store/settings'
import { connectMain, settled } from '../support/main-process'
import { openInWindow } from '../support/open-in-window'

const folder = '/project'
const main = connectMain()

/** The editor's texts: Monaco, which holds them in the window, needs a browser. */
const texts = vi.hoisted(() => new Map<string, string>())
vi.mock('../../renderer/editor/models', () => ({
  modelOf: (path: string) => (texts.has(path) ? { path } : null),
  textOf: ({ path }: { path: string }) => texts.get(path),
  alternativeVersion: () => 1,
  markSaved: (path: string, _: number, version: string) =>
    changeFile(path, { version, dirty: false, conflict: null }),
  takeDiskText: (path: string, text: string, version: string) => {
    texts.set(path, text)
    changeFile(path, { version, dirty: false, conflict: null })
  },
  loadModel: () => Promise.resolve(null),
}))

/** What is on disk; a version is the text itself. */
let disk: Map<string, string>

beforeEach(() => {
  texts.clear()
  disk = new Map()
  main.answer('file.read', ({ path }) => {
    const text = disk.get(path)
    if (text === undefined) return err('io', `${path} is gone.`)
    return ok({ path, text, version: text })
  })
  main.answer('file.write', ({ path, text, baseVersion }) => {
    if (disk.get(path) !== baseVersion) return err('file.conflict', `${path} was changed.`)
    disk.set(path, text)
    return ok({ path, text, version: text })
  })
  main.hold('operator.build')
  filesStore.setState(filesStore.getInitialState(), true)
  settingsStore.setState({ settings: { ...defaultSettings, buildOnSave: true } })
  openInWindow(folder, {}, [
    { path: 'op.cpp', role: 'source' },
    { path: 'op.h', role: 'header' },
    { path: 'notes.md', role: 'other' },
  ])
})

beforeAll(() => {
  listenToDisk()
})

afterEach(() => {
  buildJob.reset()
  forgetDiskChanges()
  vi.useRealTimers()
})

function open(path: string, text: string, typed = text, external = false): void {
  disk.set(path, text)
  addFile(path, external)
  texts.set(path, typed)
  changeFile(path, { state: 'ready', version: text, dirty: typed !== text })
}

const file = (path: string): OpenFile | undefined => filesStore.getState().files[path]
const builds = (): number => main.asked('operator.build').length

describe('a save', () => {
  it('writes over the version that was read, and builds', async () => {
    open('op.cpp', 'old', 'new')
    expect(await saveFile('op.cpp')).toBe(true)
    expect(disk.get('op.cpp')).toBe('new')
    expect(file('op.cpp')).toMatchObject({ dirty: false, version: 'new', conflict: null })
    expect(builds()).toBe(1)
  })

  it('of what a build does not read starts none, nor does one of many', async () => {
    open('notes.md', 'old', 'new')
    open('op.cpp', 'old', 'new')
    expect(await saveFile('notes.md')).toBe(true)
    expect(await saveAll()).toBe(true)
    expect(disk.get('op.cpp')).toBe('new')
    expect(builds()).toBe(0)
  })

  it('writes nothing where nothing was typed, nor a file from elsewhere', async () => {
    open('op.cpp', 'same')
    open('/usr/include/x.h', 'theirs', 'typed', true)
    expect(await saveFile('op.cpp')).toBe(true)
    expect(await saveFile('/usr/include/x.h')).toBe(false)
    expect(main.asked('file.write')).toEqual([])
  })

  it('waits for the one before, and sees its version', async () => {
    open('op.cpp', 'old', 'first')
    const first = saveFile('op.cpp')
    const second = saveFile('op.cpp')
    expect(await Promise.all([first, second])).toEqual([true, true])
    expect(main.asked('file.write').map(({ baseVersion }) => baseVersion)).toEqual(['old'])

    texts.set('op.cpp', 'third')
    changeFile('op.cpp', { dirty: true })
    expect(await saveFile('op.cpp')).toBe(true)
    expect(main.asked('file.write').at(-1)?.baseVersion).toBe('first')
  })

  it('never overwrites what another program wrote, until it is asked to', async () => {
    open('op.cpp', 'old', 'mine')
    disk.set('op.cpp', 'theirs')
    expect(await saveFile('op.cpp')).toBe(false)
    expect(disk.get('op.cpp')).toBe('theirs')
    expect(file('op.cpp')?.conflict).toEqual({
      kind: 'changed',
      diskText: 'theirs',
      diskVersion: 'theirs',
    })
    expect(await saveFile('op.cpp')).toBe(false)
    expect(main.asked('file.write')).toHaveLength(1)
    await keepMine('op.cpp')
    expect(disk.get('op.cpp')).toBe('mine')
    expect(file('op.cpp')).toMatchObject({ dirty: false, conflict: null })
  })
})

describe('files that another program changes', () => {
  const change = (path: string, text: string): void => {
    disk.set(path, text)
    main.send('file.changed', { folder, path, version: text })
  }

  it('are one build when they change together, whichever comes last', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    open('op.cpp', 'old')
    change('op.cpp', 'new')
    await settled()
    vi.advanceTimersByTime(200)
    change('op.h', 'new')
    change('notes.md', 'new')
    await settled()
    vi.advanceTimersByTime(200)
    expect(builds()).toBe(0)
    vi.advanceTimersByTime(60)
    await settled()
    expect(builds()).toBe(1)
    expect(texts.get('op.cpp')).toBe('new')
  })

  it('are a conflict where something was typed, and no news where the save was ours', async () => {
    open('op.cpp', 'old', 'mine')
    change('op.cpp', 'theirs')
    await settled()
    expect(texts.get('op.cpp')).toBe('mine')
    expect(file('op.cpp')?.conflict).toMatchObject({ kind: 'changed', diskText: 'theirs' })

    open('op.h', 'old', 'ours')
    const saving = saveFile('op.h', false)
    main.send('file.changed', { folder, path: 'op.h', version: 'ours' })
    await saving
    await settled()
    expect(file('op.h')).toMatchObject({ conflict: null, dirty: false })
  })

  it('of a project that was left start no build in the next', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    change('op.cpp', 'new')
    await settled()
    forgetDiskChanges()
    vi.advanceTimersByTime(1_000)
    expect(builds()).toBe(0)
  })
})
