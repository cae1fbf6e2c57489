import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { App } from '../support/app'
import { Axe } from '../support/axe'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'
import { makeOtherMachine, processOf } from '../support/other-machine'
import type { OtherMachine } from '../support/other-machine'
import { missingSsh, startSshServer } from '../support/ssh-server'
import type { SshServer } from '../support/ssh-server'
import { opsmithProgram } from '../support/targets'

const buildTime = 170_000

let cache: TestCache
let other: OtherMachine
let bare: TestCache
/** There. */
let folder: string
let app: App
let axe: Axe
let server: SshServer = { configuration: '', stop: () => Promise.resolve() }

type Answer = { ok: boolean; error?: { code: string; message: string }; value?: unknown }

const call = (name: string, input: unknown): Promise<Answer> =>
  app.page.evaluate(
    ([callName, payload]) =>
      (
        window as unknown as { opsmith: { call(name: unknown, input: unknown): Promise<Answer> } }
      ).opsmith.call(callName, payload),
    [name, input] as const,
  )

const isBuilt = async (): Promise<void> => {
  await app.built(buildTime)
}

beforeAll(async () => {
  cache = makeTestCache()
  other = await makeOtherMachine()
  // It has no engine. Its set-up finds the addon that was compiled here.
  bare = makeTestCache()
  folder = copyProject(path.join(root, 'samples/sigmoid'), other.cache)
  fs.mkdirSync(path.join(cache.home, '.ssh'))
  fs.writeFileSync(path.join(cache.home, '.ssh/config'), 'Host cluster gpu-*\n  User me\n')
  if (missingSsh() === '') server = await startSshServer(path.join(cache.home, 'sshd'))
  const targets = {
    gpu: other.target,
    dead: { command: ['sh', '-c', 'echo no route to host >&2; exit 255'] },
    server: {
      command: ['ssh', '-F', server.configuration, 'gpu'],
      opsmith: opsmithProgram(other.cache),
    },
    bare: {
      command: [...other.target.command.slice(0, -1), `XDG_CACHE_HOME=${bare.home}`, 'sh'],
      opsmith: '/nothing/opsmith',
    },
    slow: { command: ['sh', '-c', 'echo knocking >&2; sleep 60'] },
  }
  fs.writeFileSync(
    path.join(cache.places.configFolder, 'settings.json'),
    JSON.stringify({ targets, hotCompile: false, codeHelp: false }),
  )
  app = await App.startAsItIs(cache, undefined, { environment: { HOME: cache.home } })
  await app.resize(1280, 720)
  axe = await Axe.in(app)
})
afterAll(async () => {
  await app.close()
  await server.stop()
  cache.remove()
  other.cache.remove()
  bare.remove()
})

/** The system's dialogs cannot be pressed: they are answered with this button. */
const answerDialogs = async (button: number): Promise<void> => {
  await app.electron.evaluate(({ dialog }, response) => {
    const asked: string[] = []
    Object.assign(globalThis, { asked })
    dialog.showMessageBox = (...given: unknown[]) => {
      asked.push((given.at(-1) as { message: string }).message)
      return Promise.resolve({ response, checkboxChecked: false })
    }
  }, button)
}

const questions = (): Promise<string[]> =>
  app.electron.evaluate(() => (globalThis as { asked?: string[] }).asked ?? [])

const openFromPalette = async (title: string): Promise<void> => {
  await app.page.keyboard.press('Control+Shift+P')
  await app.testId('palette-input').fill(title)
  await app.page.keyboard.press('Enter')
}

const openDialog = async (target: string, there: string): Promise<void> => {
  await app.page.getByRole('button', { name: 'Connect to …' }).first().click()
  await app.testId('connect').waitFor()
  await app.testId('connect-target').fill(target)
  await app.testId('connect-folder').fill(there)
}

describe('a project on another machine', () => {
  it('the dialog lists targets and hosts of ssh; one that cannot be reached, and Stop, leave all as it was', async () => {
    await openDialog('', '')
    const names = ['gpu', 'dead', 'server', 'bare', 'slow', 'ssh:cluster']
    for (const name of names) await app.testId(`connect-machine-${name}`).waitFor()
    expect(await app.page.locator('[data-testid^="connect-machine-"]').count()).toBe(names.length)
    await app.testId('connect-machine-dead').click()
    await app.testId('connect-folder').fill('my_op')
    await app.testId('connect-open').click()
    const error = app.testId('connect-error')
    await error.waitFor()
    expect(await error.textContent()).toMatch(/dead cannot be reached/)
    expect(await app.testId('connect-log').textContent()).toContain('no route to host')
    await app.pictures('connect-error')
    expect(await axe.findingsInAllThemes('dialog[open]')).toEqual([])
    await app.testId('connect-machine-slow').click()
    await app.testId('connect-folder').fill('my_op')
    await app.testId('connect-open').click()
    // The dialog may have begun to list folders: that ends first, after a minute, and its output is not shown.
    await app.testId('connect-log').filter({ hasText: 'knocking' }).waitFor({ timeout: buildTime })
    await app.testId('connect-stop').click()
    await app.testId('connect-cancel').waitFor()
    await app.testId('connect-cancel').click()
    await app.testId('connect').waitFor({ state: 'detached' })
    await app.testId('gallery').waitFor()
  })

  it('the folders there are listed as one types, and a machine without Opsmith gets a copy', async () => {
    await openDialog('gpu', '')
    const place = path.relative(other.cache.home, path.dirname(folder))
    await app.testId(`connect-folder-${place}`).click()
    await app.testId('connect-folder-sigmoid').waitFor()
    await app.pictures('connect-folders')
    expect(await axe.findingsInAllThemes('dialog[open]')).toEqual([])
    await answerDialogs(0)
    await app.testId('connect-target').fill('bare')
    await app.testId('connect-new').click()
    await app
      .testId('connect-log')
      .filter({ hasText: 'Copying Opsmith' })
      .waitFor({ timeout: buildTime })
    await app.pictures('connect-copy')
    await app.testId('new-project-template-sample:my_op').waitFor({ timeout: buildTime })
    expect(await app.testId('new-project').textContent()).toContain('New project on bare')
    await app.testId('new-project-template-template:empty').click()
    await app.testId('new-project-name').fill('made_there')
    await app.pictures('connect-new-project')
    await app.testId('new-project-create').click()
    await app.testId('status-machine').filter({ hasText: 'bare' }).waitFor()
    expect(await app.page.title()).toBe('made_there on bare – Opsmith')
    await app.testId('toolbar-project').click()
    await app.page.getByRole('menuitem', { name: 'Close project' }).click()
    await app.testId('gallery').waitFor()
    await expect.poll(() => other.enginePid()).toBeUndefined()
    await answerDialogs(1)
  })

  it('a project opens in restricted mode until it is trusted there, and says where it is', async () => {
    await openDialog('gpu', path.relative(other.cache.home, folder))
    await app.testId('connect-open').click()
    await app.testId('trust-dialog').waitFor()
    expect(await app.testId('trust-folder').textContent()).toBe(`gpu: ${folder}`)
    await app.testId('trust-yes').click()
    await isBuilt()
    expect(await app.page.title()).toBe('sigmoid on gpu – Opsmith')
    expect(await app.testId('toolbar-project').textContent()).toContain('on gpu')
    expect(await app.testId('status-machine').textContent()).toBe('gpu')
    // Built there, decided there, and nothing of it here.
    expect(fs.existsSync(path.join(folder, 'build/libsigmoid.so'))).toBe(true)
    const trustFile = path.join(other.cache.places.dataFolder, 'trust.json')
    expect(fs.readFileSync(trustFile, 'utf8')).toContain(folder)
    const settings = path.join(cache.places.configFolder, 'settings.json')
    const { recentProjects } = JSON.parse(fs.readFileSync(settings, 'utf8')) as {
      recentProjects: string[]
    }
    expect(recentProjects[0]).toBe(`gpu:${folder}`)
  })

  it('calls and gradchecks run there', async () => {
    await app.page.getByRole('tab', { name: /Run/ }).first().click()
    await app.testId('run-go').click()
    await app.testId('run-comparison').first().waitFor()
    expect(await app.testId('run-comparison').first().textContent()).toMatch(/match|equal/i)
    await app.testId('tool-tab-gradcheck').click()
    await app.testId('gradcheck-entry-2').click()
    await expect
      .poll(() => app.testId('gradcheck-verdict').getAttribute('data-verdict'), {
        timeout: buildTime,
      })
      .toBe('passed')
    await app.pictures('connect-open')
  })

  it('what would run a program or read a file of this machine is refused', async () => {
    const at = { folder, path: 'op.cpp' }
    const place = { ...at, line: 1, column: 1, kind: 'system' }
    const refused: [string, unknown][] = [
      ['file.openElsewhere', place],
      ['file.reveal', at],
      ['export.showDirectory', { directory: folder }],
      ['file.import', { folder, into: '', sources: ['/etc/hostname'] }],
    ]
    for (const [name, input] of refused)
      expect(await call(name, input), name).toMatchObject({
        error: { message: expect.stringContaining('The project is on gpu') },
      })
    // The paths of a call are those of the other machine.
    expect(await call('file.readExternal', { path: '/etc/hostname' })).toMatchObject({ ok: false })
  })

  it('a connection that drops is shown at once and made again; text and cursor stay, and what runs there goes on', async () => {
    await app.caretAt('op.cpp', 3, 1)
    const pid = other.enginePid()
    expect(pid).toBeDefined()
    await app.page.keyboard.type('// typed before\n')
    const request = {
      op: 'sigmoid::sigmoid',
      args: ['x'],
      inputs: {},
      options: {},
      secondOrder: false,
      keepJacobians: false,
    }
    const search = { folder, job: 'job-1', request, timeout: 0, points: 100_000, firstSeed: 0 }
    await app.page.evaluate(() => {
      const { opsmith } = window as unknown as {
        opsmith: { on(name: string, listener: (event: { job: string }) => void): void }
      }
      opsmith.on('gradcheck.progressed', ({ job }) => {
        if (job === 'job-1') document.body.setAttribute('data-searching', '')
      })
    })
    const searching = call('gradcheck.search', search)
    await app.page.locator('body[data-searching]').waitFor()
    process.kill(other.connectionPid() ?? 0, 'SIGKILL')
    const bar = app.testId('connection-bar')
    // In one look: the next connection takes the bar away again.
    await bar.filter({ hasText: 'Work on gpu continues.' }).waitFor()
    await app.page.keyboard.type('// typed without a connection\n')
    await bar.waitFor({ state: 'detached' })
    expect(other.enginePid()).toBe(pid)
    expect(await call('job.cancel', { job: 'job-1', byUser: true })).toMatchObject({
      value: { cancelled: true },
    })
    expect(await searching).toMatchObject({ error: { code: 'cancelled' } })
    const text = await app.text('op.cpp')
    expect(text).toContain('// typed before\n// typed without a connection\n')
    await app.testId('status-cursor').filter({ hasText: /^5:1$/ }).waitFor()
    await app.save()
    await expect
      .poll(() => fs.readFileSync(path.join(folder, 'op.cpp'), 'utf8'))
      .toContain('// typed without a connection')
    await isBuilt()
  })

  it('an engine that has ended ends its work with a reason, and another one opens the project', async () => {
    const pid = other.enginePid()
    process.kill(pid ?? 0, 'SIGKILL')
    const bar = app.testId('connection-bar')
    await bar.waitFor()
    await bar.waitFor({ state: 'detached' })
    expect(other.enginePid()).not.toBe(pid)
    await isBuilt()
  })

  it('unsaved text of a lost connection is there when the project is opened again', async () => {
    await app.caretAt('op.cpp', 3, 1)
    // No Opsmith answers there any more.
    const program = path.join(other.cache.home, 'bin/opsmith')
    fs.renameSync(program, `${program}.away`)
    await isBuilt()
    process.kill(other.enginePid() ?? 0, 'SIGKILL')
    await app.testId('connection-bar').waitFor()
    await app.page.keyboard.type('// kept here\n')
    await app.testId('connection-bar').filter({ hasText: 'no program' }).waitFor()
    await app.pictures('connect-lost')
    expect(await axe.findingsInAllThemes('[data-testid="connection-bar"]')).toEqual([])
    await answerDialogs(1)
    await app.page.reload()
    await app.testId('connect-open').waitFor()
    await expect
      .poll(async () => (await questions()).join('\n'))
      .toMatch(/^Opsmith \S+ is not on gpu: copy it \(/)
    await app.page.locator('[data-testid=connect-open]:enabled').waitFor()
    fs.renameSync(`${program}.away`, program)
    // If Opsmith has connected by itself meanwhile, the dialog is gone.
    await app.page.evaluate(() =>
      document.querySelector<HTMLElement>('[data-testid=connect-open]')?.click(),
    )
    await app.testId('editor-op.cpp').waitFor()
    await expect.poll(() => app.text('op.cpp')).toContain('// kept here\n')
    expect(fs.readFileSync(path.join(folder, 'op.cpp'), 'utf8')).not.toContain('kept here')
  })

  it('a recent project of another machine opens again from the first page', async () => {
    await app.testId('toolbar-project').click()
    await app.page.getByRole('menuitem', { name: 'Close project' }).click()
    await app.testId('gallery').waitFor()
    expect(await app.page.title()).toBe('Opsmith')
    await expect.poll(() => other.enginePid()).toBeUndefined()
    await app.pictures('connect-recent')
    await app.page.getByRole('button', { name: 'sigmoid', exact: true }).first().click()
    await app.testId('status-machine').waitFor()
    await app.testId('editor-op.cpp').waitFor()
  })

  it('after it, a project of this machine is built here', async () => {
    await app.page.getByRole('button', { name: 'Samples' }).first().click()
    await app.testId('gallery-card-my_op').click({ position: { x: 4, y: 4 } })
    await app.testId('status-machine').waitFor({ state: 'detached' })
    await isBuilt()
    expect(await app.page.title()).toBe('my_op – Opsmith')
    await expect.poll(() => other.enginePid()).toBeUndefined()
    await app.testId('status-host').filter({ hasText: 'ready' }).waitFor()
  })

  it.skipIf(missingSsh() !== '')(
    `by a real ssh, a connection that is cut is made again ${missingSsh()}`,
    async () => {
      await openFromPalette('Connect to …')
      await app.testId('connect-machine-server').click()
      await app.testId('connect-folder').fill(folder)
      await app.testId('connect-open').click()
      await app.testId('status-machine').filter({ hasText: 'server' }).waitFor()
      await isBuilt()
      await app.caretAt('op.cpp', 3, 1)
      await app.page.keyboard.type('// over ssh\n')
      const ssh = processOf((words) => words[0] === 'ssh' && words.includes(server.configuration))
      process.kill(ssh ?? 0, 'SIGKILL')
      await app.testId('connection-bar').waitFor()
      await app.testId('connection-bar').waitFor({ state: 'detached' })
      expect(await app.text('op.cpp')).toContain('// over ssh\n')
      await isBuilt()
    },
  )
})
