import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'

import { ok } from '../../electron/contract/outcome'
import { AppSession } from '../../electron/session/app-session'
import { answererOf } from '../../electron/main/answerer'
import { ElectronDesktop } from '../../electron/main/electron-desktop'
import { listenToRenderer } from '../../electron/main/listen-to-renderer'
import { ProjectSession } from '../../electron/session/project-session'
import { Terminals } from '../../electron/session/terminals'
import { callFrom, makePage, showPage } from '../support/electron-ipc'
import { makeTestCache, testInstallation } from '../support/installation'
import { nobody } from '../support/nobody'

vi.mock('electron', async () => (await import('../support/electron-ipc')).electron)

const minute = 60_000
const cache = makeTestCache()
afterAll(() => cache.remove())
let session: AppSession
let happened: string[]
/** The window that calls. */
const desktop = new ElectronDesktop()

beforeEach(() => {
  session = new AppSession(testInstallation(cache), nobody, '')
  happened = []
  const { builds, clangd } = session.workbench
  const note = (what: string) => (): void => void happened.push(what)
  vi.spyOn(builds, 'stopCompileServer').mockImplementation(note('the compile server stops'))
  vi.spyOn(clangd, 'rest').mockImplementation(note('clangd stops'))
  vi.spyOn(builds, 'warmUp').mockImplementation((folder) => {
    happened.push(`the compile server of ${folder} starts`)
  })
  vi.spyOn(clangd, 'wake').mockImplementation(note('clangd starts'))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  await session.close()
})

function openProject(): void {
  const terminals = new Terminals({ onText: () => undefined, onEnd: () => undefined })
  session.project = new ProjectSession('/project', 'trusted', terminals)
}

/** A call of the window, as Electron brings it. */
async function callFromWindow(name: string): Promise<void> {
  const page = makePage()
  showPage(desktop, page)
  await callFrom(page, name)
}

const rest = ['the compile server stops', 'clangd stops']
const wake = ['the compile server of /project starts', 'clangd starts']

it('after a quarter of an hour without a touch the helpers stop, and the next edit wakes them', async () => {
  const answered: string[] = []
  const answer = (name: string) => (): unknown => {
    answered.push(name)
    return ok({})
  }
  const handlers = { 'app.flushed': answer('edit'), 'app.memory': answer('memory') } as never
  listenToRenderer(desktop, Promise.resolve(answererOf(session, handlers)))
  openProject()
  await callFromWindow('app.flushed')
  await vi.advanceTimersByTimeAsync(14 * minute)
  await callFromWindow('app.flushed')
  await vi.advanceTimersByTimeAsync(14 * minute)
  expect(happened).toEqual([])
  // What the window asks by its own clock keeps nothing awake, and wakes nothing.
  await callFromWindow('app.memory')
  await vi.advanceTimersByTimeAsync(minute)
  expect(happened).toEqual(rest)
  await vi.advanceTimersByTimeAsync(60 * minute)
  await callFromWindow('app.memory')
  expect(happened).toEqual(rest)
  await callFromWindow('app.flushed')
  await callFromWindow('app.flushed')
  expect(happened).toEqual([...rest, ...wake])
  await vi.advanceTimersByTimeAsync(15 * minute)
  expect(happened).toEqual([...rest, ...wake, ...rest])
  expect(answered).toContain('memory')
})

it('without a project nothing is woken', async () => {
  session.touch()
  await vi.advanceTimersByTimeAsync(15 * minute)
  expect(happened).toEqual(rest)
  session.touch()
  expect(happened).toEqual(rest)
})

it('a window that was closed stops nothing later', async () => {
  openProject()
  session.touch()
  await session.close()
  happened = []
  await vi.advanceTimersByTimeAsync(60 * minute)
  expect(happened).toEqual([])
})
