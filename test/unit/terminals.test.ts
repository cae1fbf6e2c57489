import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, expect, it, vi } from 'vitest'

import { projectEnvironment } from '../../electron/engine/toolchain/python-environment'
import { Terminals } from '../../electron/session/terminals'
import { makeTestCache, testInstallation } from '../support/installation'

/** Slows the clock by which a shell that was closed may clean up: a busy machine takes longer for that. */
const clock = vi.hoisted(() => ({ factor: 1 }))
vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof import('node:timers/promises')>()
  const setTimeout: typeof real.setTimeout = (delay = 0, value, options) =>
    real.setTimeout(delay * clock.factor, value, options)
  return { ...real, setTimeout }
})

const cache = makeTestCache()
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-terminals-'))
let said = ''
const terminals = new Terminals({
  onText: (_, text) => {
    said += text
  },
  onEnd: () => undefined,
})

beforeAll(() => {
  vi.stubEnv('SHELL', '/bin/sh')
})
afterAll(() => {
  vi.unstubAllEnvs()
  fs.rmSync(folder, { recursive: true, force: true })
  cache.remove()
})

/** Starts a shell that runs the script, and closes its terminal once it has begun. */
async function closeWhile(script: string): Promise<void> {
  fs.writeFileSync(path.join(folder, 'script.sh'), `${script}\necho begun$$\n`)
  said = ''
  const size = { columns: 80, rows: 24 }
  const place = { folder, environment: '' }
  const started = await terminals.start(testInstallation(cache), place, size)
  if (!started.ok) throw new Error(started.error.message)
  terminals.write(started.value.terminal, 'exec sh script.sh\r')
  await expect.poll(() => said).toMatch(/begun\d+/)
  await terminals.close(started.value.terminal)
}

it('a shell that is closed may clean up first', async () => {
  const cleaned = path.join(folder, 'cleaned')
  clock.factor = 30
  await closeWhile(`trap 'sleep 0.2; echo > cleaned; exit' HUP; (sleep 30) & echo begun$$; wait`)
  clock.factor = 1
  expect(fs.existsSync(cleaned)).toBe(true)
})

it('a shell that ignores that is ended', async () => {
  await closeWhile(`trap '' HUP; echo begun$$; while :; do sleep 0.1; done`)
  const pid = /begun(\d+)/.exec(said)?.[1] ?? ''
  await expect.poll(() => fs.existsSync(`/proc/${pid}`)).toBe(false)
})

/** An environment as `python -m venv` makes it, with a torch. */
function makeEnvironment(...parts: string[]): { environment: string; torch: string } {
  const environment = path.join(folder, ...parts)
  const torch = path.join(environment, 'lib', 'python3.12', 'site-packages', 'torch')
  fs.mkdirSync(path.join(environment, 'bin'), { recursive: true })
  fs.mkdirSync(torch, { recursive: true })
  fs.writeFileSync(path.join(environment, 'pyvenv.cfg'), '')
  fs.writeFileSync(path.join(environment, 'bin', 'python3'), '#!/bin/sh\necho own$$\n', {
    mode: 0o755,
  })
  return { environment, torch }
}

it('a shell has the Python environment of its project active', async () => {
  const { environment } = makeEnvironment('active', '.venv')
  said = ''
  const place = { folder: path.dirname(environment), environment }
  const started = await terminals.start(testInstallation(cache), place, { columns: 200, rows: 24 })
  if (!started.ok) throw new Error(started.error.message)
  terminals.write(started.value.terminal, 'echo "<$VIRTUAL_ENV>"; command -v opsmith; python3\r')
  await expect.poll(() => said).toContain(`<${environment}>`)
  await expect.poll(() => said).toMatch(/own\d+/)
  // Of this installation alone: another version's terminals have a folder of their own.
  const [own = ''] = fs.readdirSync(path.join(cache.folder, 'bin'))
  expect(said).toContain(path.join(cache.folder, 'bin', own, 'opsmith'))
  await terminals.close(started.value.terminal)
})

it('the environment of a project is the one that pytest gets, as far as files say', () => {
  vi.stubEnv('VIRTUAL_ENV', undefined)
  vi.stubEnv('CONDA_PREFIX', undefined)
  vi.stubEnv('OPSMITH_PYTHON', '')
  const project = path.join(folder, 'project')
  fs.mkdirSync(project)
  const { environment: elsewhere, torch } = makeEnvironment('elsewhere')
  const { environment: setUp } = makeEnvironment('set-up')
  expect(projectEnvironment(project, { libtorch: '' })).toBe('')
  // A libtorch from an archive is in no environment.
  expect(projectEnvironment(project, { libtorch: '/opt/libtorch' })).toBe('')
  vi.stubEnv('OPSMITH_PYTHON', path.join(setUp, 'bin', 'python3'))
  expect(projectEnvironment(project, { libtorch: '' })).toBe(setUp)
  expect(projectEnvironment(project, { libtorch: torch })).toBe(elsewhere)
  for (const name of ['venv', '.venv']) {
    const { environment } = makeEnvironment('project', name)
    expect(projectEnvironment(project, { libtorch: torch })).toBe(environment)
  }
  // One that was active already stays: the shell inherits it.
  vi.stubEnv('VIRTUAL_ENV', '/home/me/env')
  expect(projectEnvironment(project, { libtorch: torch })).toBe('')
})
