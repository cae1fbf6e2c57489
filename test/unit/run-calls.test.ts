import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { unwrap } from '../../electron/contract/outcome'
import type { Result } from '../../electron/contract/outcome'
import type { RunState } from '../../electron/contract/run-calls'
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
  const workbench = { installation, allowsSandbox: true, shardRuns: new ShardRuns(installation) }
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

async function start(over: string, project = folder): Promise<Result<RunState>> {
  return await runCalls['runs.start'](sessionOf(project), {
    folder: project,
    work: { verb: 'bench', request },
    over,
    jobs: 8,
  })
}

beforeEach(() => {
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

  it('have no workers on hosts that only the window names', async () => {
    expect(await start('local, ssh:elsewhere')).toMatchObject({
      ok: false,
      error: { code: 'request.invalid', message: expect.stringContaining('ssh:elsewhere') },
    })
    expect(fs.existsSync(path.join(home, 'data', 'runs'))).toBe(false)
  })
})
