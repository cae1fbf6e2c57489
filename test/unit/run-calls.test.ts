import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { ok, unwrap } from '../../electron/contract/outcome'
import type { Result } from '../../electron/contract/outcome'
import type { RunState, RunWork } from '../../electron/contract/run-calls'
import { gradcheckOptions } from '../../electron/contract/gradcheck'
import type { Shard } from '../../electron/contract/shards'
import { defaultSettings } from '../../electron/contract/settings'
import { timingRequest } from '../../electron/contract/timing-report'
import { ShardRuns } from '../../electron/engine/shards/shard-runs'
import { runCalls } from '../../electron/session/calls/run-calls'
import type { AppSession } from '../../electron/session/app-session'

let home: string
let folder: string
let other: string

/** A session that has only what these calls ask for: nothing is built or run. */
function sessionOf(project: string): AppSession {
  const dataFolder = path.join(home, 'data')
  const installation = {
    root: home,
    dataFolder,
    configFolder: path.join(home, 'config'),
    hostEntry: path.join(home, 'dist', 'host.cjs'),
  }
  const workbench = {
    installation,
    allowsSandbox: true,
    shardRuns: new ShardRuns(installation),
    operatorChecks: { entries: () => Promise.resolve(ok(operators)) },
  }
  return {
    openProject: (named: string) => (named === project ? { folder: project } : undefined),
    workbench,
  } as unknown as AppSession
}

function makeProject(name: string): string {
  const made = path.join(home, name)
  fs.mkdirSync(made, { recursive: true })
  const inputs = { x: { shape: [4], dtype: 'float32' } }
  fs.writeFileSync(
    path.join(made, 'opsmith.json'),
    JSON.stringify({ name: 'my_op', sources: ['op.cpp'], inputs }),
  )
  return made
}

const request = timingRequest.parse({
  op: 'my_op::f',
  args: ['x'],
  inputs: { x: { shape: ['N'] } },
  sizes: { N: [4, 16] },
})

/** What is checked of each project; it is known once the project is built. */
let operators: { op: string; args: string[] }[]

async function start(
  over: string,
  project = folder,
  work: RunWork = { verb: 'bench', request },
): Promise<Result<RunState>> {
  return await runCalls['runs.start'](sessionOf(project), {
    folder: project,
    work,
    over,
    jobs: 8,
  })
}

const allGradchecks: RunWork = { verb: 'gradcheck', search: null }

/** A search of what the fields of the window say. */
function searchOf(distribution: 'randn' | 'ones', points: number): RunWork {
  const x = { shape: [4], dtype: 'float64', distribution, requires_grad: true } as never
  return {
    verb: 'gradcheck',
    search: {
      request: {
        op: 'my_op::f',
        args: ['x'],
        inputs: { x },
        secondOrder: true,
        options: gradcheckOptions.parse({ eps: 1e-4 }),
      },
      points,
      firstSeed: 7,
      timeout: 0,
    },
  }
}

function shardsOf({ folder: run }: RunState): Shard[] {
  const lines = fs.readFileSync(path.join(run, 'shards.jsonl'), 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Shard)
}

beforeEach(() => {
  operators = []
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-run-calls-'))
  fs.mkdirSync(path.join(home, 'config'))
  fs.mkdirSync(path.join(home, '.ssh'))
  fs.writeFileSync(path.join(home, '.ssh', 'config'), 'Host node1\n')
  fs.writeFileSync(
    path.join(home, 'config', 'settings.json'),
    JSON.stringify({
      targets: { box: { command: ['sh'] } },
      clusters: { gpu: { sbatch: ['-pgpu'] } },
    }),
  )
  vi.stubEnv('HOME', home)
  // sbatch is not on PATH; sh and ssh are.
  const programs = path.join(home, 'bin')
  fs.mkdirSync(programs)
  for (const name of ['sh', 'ssh']) fs.writeFileSync(path.join(programs, name), '', { mode: 0o755 })
  vi.stubEnv('PATH', programs)
  folder = makeProject('one')
  other = makeProject('two')
})
afterEach(() => {
  vi.unstubAllEnvs()
  fs.rmSync(home, { recursive: true, force: true })
})

describe('runs that the window makes', () => {
  it('are offered at places that the user’s files name, with the reason for what cannot be used', async () => {
    const places = unwrap(await runCalls['runs.places'](sessionOf(folder), { folder }))
    expect(places.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'local local',
      'slurm slurm',
      'cluster gpu',
      'target box',
      'ssh ssh:node1',
    ])
    expect(places.filter(({ missing }) => missing !== '').map(({ name }) => name)).toEqual([
      'slurm',
      'gpu',
    ])
  })

  it('have a shard for each point, no more jobs than that, and are runs of their project alone', async () => {
    const made = unwrap(await start('box, ssh:node1, local'))
    expect(made).toMatchObject({
      verb: 'bench',
      title: 'my_op::f(x)',
      place: 'box, ssh:node1, this machine',
      phase: 'idle',
      shards: 2,
      done: 0,
    })
    const manifest = JSON.parse(
      fs.readFileSync(path.join(made.folder, 'run.json'), 'utf8'),
    ) as Record<string, unknown>
    expect(manifest).toMatchObject({ project: folder, jobs: 2 })
    const later = unwrap(await start('slurm', other))
    const listOf = async (project: string): Promise<string[]> =>
      unwrap(
        await runCalls['runs.list'](sessionOf(project), { folder: project, verb: 'bench' }),
      ).map(({ id }) => id)
    expect(await listOf(folder)).toEqual([made.id])
    expect(await listOf(other)).toEqual([later.id])

    const foreign = { folder, run: later.id }
    for (const name of ['runs.stop', 'runs.remove'] as const)
      expect(await runCalls[name](sessionOf(folder), foreign)).toMatchObject({
        error: { code: 'request.invalid', message: expect.stringContaining('another project') },
      })
    unwrap(await runCalls['runs.remove'](sessionOf(other), { folder: other, run: later.id }))
    expect(fs.existsSync(later.folder)).toBe(false)
  })

  it('search each point once, in parts of at most 1000, with what the fields say', async () => {
    const made = unwrap(await start('local', folder, searchOf('randn', 1_000_000)))
    expect(made).toMatchObject({
      verb: 'gradcheck',
      title: 'my_op::f(x), second order, eps 1e-4, 1000000 points',
      shards: 1000,
    })
    const parts = shardsOf(made).map(({ work }) => work as { search: object; timeout: number })
    expect(parts.map(({ search }) => search)).toEqual(
      Array.from({ length: 1000 }, (_, place) => ({ points: 1000, firstSeed: 7 + 1000 * place })),
    )
    // A time limit of 0 takes the settings'.
    expect(parts[0]).toMatchObject({
      entry: { op: 'my_op::f', second_order: true, eps: 1e-4, inputs: { x: { shape: [4] } } },
      timeout: defaultSettings.callTimeout,
    })
    // A few points are spread over all workers, too.
    const few = unwrap(await start('local', folder, searchOf('randn', 100)))
    const points = shardsOf(few).map(({ work }) => (work as { search: { points: number } }).search)
    expect(points.length).toBeGreaterThan(8)
    expect(points.reduce((sum, part) => sum + part.points, 0)).toBe(100)
  })

  it('do each gradcheck of opsmith.json once, at its own point', async () => {
    const file = path.join(folder, 'opsmith.json')
    const gradchecks = [
      { op: 'my_op::f', args: ['x'] },
      { op: 'my_op::f', args: ['x'], eps: 1e-12, expect: 'failed' },
    ]
    const manifest = JSON.parse(fs.readFileSync(file, 'utf8')) as object
    fs.writeFileSync(file, JSON.stringify({ ...manifest, gradchecks }))
    const made = unwrap(await start('local', folder, allGradchecks))
    expect(made).toMatchObject({ verb: 'gradcheck', title: 'all gradchecks', shards: 2 })
    expect(shardsOf(made).map(({ work }) => work)).toEqual(
      gradchecks.map((entry, index) => ({
        entry: expect.objectContaining(entry),
        index,
        timeout: defaultSettings.callTimeout,
      })),
    )
  })

  it('are refused if there is nothing to do', async () => {
    expect(await start('local', folder, searchOf('ones', 100))).toMatchObject({
      error: { message: expect.stringContaining('no input of this call has random values') },
    })
    const checks = { verb: 'check', sanitize: false, thorough: false } as const
    expect(await start('local', folder, checks)).toMatchObject({
      error: { message: 'This project has no operators to check.' },
    })
    expect(await start('local', folder, allGradchecks)).toMatchObject({
      error: { message: 'opsmith.json has no gradchecks.' },
    })
    expect(fs.existsSync(path.join(home, 'data', 'runs'))).toBe(false)
  })

  it('check each operator with what the panel asks, and each panel lists its own', async () => {
    operators = [
      { op: 'my_op::f', args: ['x'] },
      { op: 'my_op::g', args: [] },
    ]
    const checks = { verb: 'check', sanitize: true, thorough: false } as const
    const made = unwrap(await start('local', folder, checks))
    expect(made).toMatchObject({ verb: 'check', title: 'all operators', shards: 2 })
    expect(shardsOf(made)).toMatchObject([
      { name: 'my_op::f(x)', work: { entry: operators[0], sanitize: true, thorough: false } },
      { name: 'my_op::g()', work: { entry: operators[1], index: 1 } },
    ])
    const search = unwrap(await start('local', folder, searchOf('randn', 100)))
    for (const { verb, id } of [made, search]) {
      const input = { folder, verb: verb as RunWork['verb'] }
      const listed = unwrap(await runCalls['runs.list'](sessionOf(folder), input))
      expect(listed.map((run) => run.id)).toEqual([id])
    }
  })

  it('have no workers on hosts that only the window names', async () => {
    expect(await start('local, ssh:elsewhere')).toMatchObject({
      ok: false,
      error: { code: 'request.invalid', message: expect.stringContaining('ssh:elsewhere') },
    })
    expect(fs.existsSync(path.join(home, 'data', 'runs'))).toBe(false)
  })
})
