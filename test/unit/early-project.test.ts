import fs from 'node:fs'
import path from 'node:path'

import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'

import { err } from '../../electron/contract/outcome'
import { AppSession } from '../../electron/session/app-session'
import { copyProject, makeTestCache, root, testInstallation } from '../support/installation'
import { nobody } from '../support/nobody'

const cache = makeTestCache()
afterAll(() => cache.remove())
/** Milliseconds: a busy machine takes more than vitest's one second. */
const timeout = 45_000
let folder: string
let session: AppSession

function begin(given: string): void {
  session = new AppSession(testInstallation(cache), nobody, given)
  const { builds, hosts } = session.workbench
  vi.spyOn(builds, 'warmUp').mockImplementation(() => undefined)
  vi.spyOn(hosts, 'host').mockResolvedValue(err('host.unavailable', 'Not wanted here.'))
  session.openEarly()
}

beforeEach(() => {
  folder = copyProject(path.join(root, 'samples/my_op'), cache)
})
afterEach(async () => {
  await session.close()
  vi.restoreAllMocks()
})

it('the project of the start is opened before the window asks for it, and once', async () => {
  begin(folder)
  await vi.waitFor(() => expect(session.workbench.builds.warmUp).toHaveBeenCalledWith(folder), {
    timeout,
  })
  expect(session.startFolder).toBe(folder)
  expect(await session.open(session.startFolder)).toMatchObject({
    value: { name: 'my_op', folder },
  })
  expect(session.workbench.builds.warmUp).toHaveBeenCalledTimes(1)
})

it('what changed before the window asked is read again', async () => {
  begin(folder)
  await vi.waitFor(() => expect(session.workbench.builds.warmUp).toHaveBeenCalled(), { timeout })
  const file = path.join(folder, 'opsmith.json')
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"my_op"', '"other_op"'))
  await session.refresh()
  expect(await session.open(session.startFolder)).toMatchObject({ value: { name: 'other_op' } })
})

it('a folder that is not there is an answer to who asks for it', async () => {
  const missing = path.join(cache.home, 'nothing')
  begin(missing)
  expect(await session.open(missing)).toMatchObject({ error: { code: 'project.missing' } })
})

it('another project that is asked for first is the one that is open', async () => {
  const other = copyProject(path.join(root, 'samples/gc_layer'), cache)
  begin(folder)
  expect(await session.open(other)).toMatchObject({ value: { name: 'gc_layer' } })
  expect(session.project?.folder).toBe(other)
  expect(session.startFolder).toBe(other)
})

it('a window without a project opens none', () => {
  begin('')
  expect(session.project).toBeUndefined()
  expect(session.startFolder).toBe('')
})
