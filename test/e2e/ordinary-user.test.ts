import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { App, electronExecutable } from '../support/app'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'
import { asOrdinaryUser, ordinaryUserProblem } from '../support/ordinary-user'

const problem = ordinaryUserProblem()

/** A line of /proc/PID/status. */
const statusOf = (pid: number, name: string): string =>
  new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ??
  ''

describe.skipIf(problem !== '')(`as an ordinary user${problem && `, skipped: ${problem}`}`, () => {
  let cache: TestCache
  let folder: string
  let app: App

  beforeAll(async () => {
    cache = makeTestCache()
    folder = copyProject(path.join(root, 'samples/my_op'), cache)
    const user = asOrdinaryUser(cache, await electronExecutable())
    app = await App.startSandboxed(cache, folder, user)
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
    await app.openFile('op.cpp')
    await app.setText('op.cpp', '// typed in the sandbox\n')
    await app.save()
    await expect
      .poll(() => fs.readFileSync(path.join(folder, 'op.cpp'), 'utf8'))
      .toBe('// typed in the sandbox\n')
    const state = (): Promise<string> =>
      app.page.evaluate(async () => {
        const { opsmith } = window as unknown as {
          opsmith: { call(name: string, input: object): Promise<{ value: { state: string } }> }
        }
        return (await opsmith.call('host.state', {})).value.state
      })
    await expect.poll(state).toBe('ready')
  })
})
