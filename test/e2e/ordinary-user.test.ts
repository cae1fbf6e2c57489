import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { App, electronExecutable } from '../support/app'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'
import { asOrdinaryUser, ordinaryUserProblem } from '../support/ordinary-user'
import type { OrdinaryUser } from '../support/ordinary-user'

const problem = ordinaryUserProblem()

/** A line of /proc/PID/status. */
const statusOf = (pid: number, name: string): string =>
  new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ??
  ''

describe.skipIf(problem !== '')(`as an ordinary user${problem && `, skipped: ${problem}`}`, () => {
  let cache: TestCache
  let folder: string
  let user: OrdinaryUser
  let app: App
  /** What main says where it cannot say it in the window. */
  let said = ''

  const start = async (): Promise<void> => {
    app = await App.startSandboxed(cache, folder, user)
    app.electron.process().stderr?.on('data', (bytes: Buffer) => {
      said += bytes.toString()
    })
  }
  const save = async (text: string): Promise<void> => {
    await app.openFile('op.cpp')
    await app.setText('op.cpp', text)
    await app.save()
    await expect.poll(() => fs.readFileSync(path.join(folder, 'op.cpp'), 'utf8')).toBe(text)
  }

  beforeAll(async () => {
    cache = makeTestCache()
    folder = copyProject(path.join(root, 'samples/my_op'), cache)
    user = asOrdinaryUser(cache, await electronExecutable())
    await start()
  })
  afterAll(async () => {
    await app.close()
    cache.remove()
  })

  it("the window works in Chromium's sandbox: it edits and saves, and an op host starts", async () => {
    const main = app.electron.process().pid ?? 0
    expect(statusOf(main, 'Uid')).not.toMatch(/\b0\b/)
    const renderer = await app.electron.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.webContents.getOSProcessId(),
    )
    // A filter of system calls, and a process namespace of its own.
    expect(statusOf(renderer ?? 0, 'Seccomp')).toBe('2')
    expect(statusOf(renderer ?? 0, 'NSpid').split('\t').length).toBeGreaterThan(
      statusOf(main, 'NSpid').split('\t').length,
    )
    await save('// typed in the sandbox\n')
    const state = (): Promise<string> =>
      app.page.evaluate(async () => {
        const { opsmith } = window as unknown as {
          opsmith: { call(name: string, input: object): Promise<{ value: { state: string } }> }
        }
        return (await opsmith.call('host.state', {})).value.state
      })
    await expect.poll(state).toBe('ready')
  })

  it('files of ours that cannot be read cost what is in them, folders what goes there, and the window works', async () => {
    await app.setText('op.cpp', '// a draft\n')
    await app.close()
    const entries = Object.values(cache.places).flatMap((place) =>
      fs.readdirSync(place, { recursive: true, withFileTypes: true }),
    )
    const files = entries
      .filter((entry) => entry.isFile() && !/\/(chromium|electron)\//.test(`${entry.parentPath}/`))
      .map((entry) => path.join(entry.parentPath, entry.name))
    const kinds = files.flatMap((file) => path.relative(cache.home, file).split('/'))
    for (const kind of ['drafts', 'settings.json', 'trust.json', 'window.json'])
      expect(kinds).toContain(kind)
    for (const file of files) fs.chmodSync(file, 0o000)
    fs.chmodSync(path.join(cache.places.dataFolder, 'drafts'), 0o000)
    fs.chmodSync(path.join(cache.folder, 'hosts'), 0o000)
    said = ''
    await start()
    await app.testId('trust-yes').click()
    await save('// saved all the same\n')
    await app.setText('op.cpp', '// another draft\n')
    await app.testId('notification').filter({ hasText: 'drafts' }).first().waitFor()
    expect(await app.page.getByText('bug in Opsmith').count()).toBe(0)
    expect(said).not.toMatch(/^ {4}at /m)
    fs.chmodSync(path.join(cache.places.dataFolder, 'drafts'), 0o755)
    fs.chmodSync(path.join(cache.folder, 'hosts'), 0o755)
  })
})
