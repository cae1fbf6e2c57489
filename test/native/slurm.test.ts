import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { unwrap } from '../../electron/contract/outcome'
import { ownVersion } from '../../electron/engine/installation'
import { connectEngine } from '../../electron/engine/remote/engine-client'
import { changeSettings } from '../../electron/engine/project/settings-file'
import { opsmith as runOpsmith } from '../support/command-line'
import type { Outcome } from '../support/command-line'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'
import { missingSlurm, startSlurm } from '../support/slurm'
import type { SlurmCluster } from '../support/slurm'
import { opsmithProgram } from '../support/targets'

const missing = missingSlurm()
/** Each look starts a program. */
const poll = { interval: 250 }

const environmentWords = (environment: Readonly<Record<string, string>>): string[] =>
  Object.entries(environment).map(([key, value]) => `${key}=${value}`)

interface TimedRun {
  ok: boolean
  run: string
  missing: string[]
  hardware: {
    nodes: string[]
    rows: { dtype: string; node: string; median: number; ratio?: number }[]
  }[]
}

describe.skipIf(missing !== '')(`work spread over Slurm ${missing}`, () => {
  let cache: TestCache
  let cluster: SlurmCluster
  let project: string
  const opsmith = async (...words: string[]): Promise<Outcome> => await runOpsmith(cache, ...words)

  beforeAll(async () => {
    cache = makeTestCache()
    cluster = await startSlurm(path.join(cache.home, 'slurm'))
    Object.assign(cache.environment, cluster.environment)
    project = copyProject(path.join(root, 'samples/my_op'), cache)
    fs.writeFileSync(
      path.join(cache.places.configFolder, 'settings.json'),
      JSON.stringify({ clusters: { short: { sbatch: ['--time=1', '--exclusive'] } } }),
    )
    await changeSettings(cache.places.configFolder, { sandbox: false })
  })
  afterAll(async () => {
    await cluster.stop()
    cache.remove()
  })

  it('a sweep over two nodes: each row has its node, and ratios are of one node', async () => {
    const { code, stdout, stderr } = await opsmith(
      'bench',
      project,
      ...'--seconds 0.01 --dtype float32 float64 --direction forward'.split(' '),
      ...'--over slurm --jobs 2 --json'.split(' '),
    )
    expect(code, stderr).toBe(0)
    const report = JSON.parse(stdout) as TimedRun
    expect(report).toMatchObject({ ok: true, missing: [] })
    const rows = report.hardware.flatMap((one) => one.rows)
    expect(rows).toHaveLength(4)
    for (const dtype of ['float32', 'float64']) {
      const [own, other] = rows.filter((row) => row.dtype === dtype)
      expect(own?.node).toMatch(/^n[12]$/)
      expect(other?.node).toBe(own?.node)
      expect(other?.ratio).toBeGreaterThan(0)
    }
    expect(stderr).toContain('2 workers submitted')
  })

  it('the engine of a compute node answers the window', async () => {
    const command = ['env', ...environmentWords(cluster.environment), 'srun', '--time=10', 'sh']
    const target = { name: 'node', command, opsmith: opsmithProgram(cache) }
    const engine = await connectEngine(target, {
      version: ownVersion(root),
      seconds: 60,
      onQuestion: () => Promise.resolve(null),
      onLog: () => undefined,
      onLost: () => undefined,
    })
    try {
      expect(await unwrap(engine).call('project.open', { folder: project })).toMatchObject({
        ok: true,
      })
    } finally {
      await unwrap(engine).close()
    }
  })

  it('a search finds the point that one machine finds, also if it was left and taken up again', async () => {
    const search = ['gradcheck', project, '--op', 'compute', '--search', '12', '--json']
    const here = JSON.parse((await opsmith(...search)).stdout) as { searches: unknown[] }
    const left = await opsmith(...search, '--over', 'slurm', '--detach')
    expect(left.code, left.stderr).toBe(0)
    const id = /opsmith runs (\S+)/.exec(left.stderr)?.[1] ?? ''
    const taken = await opsmith('runs', id, '--json')
    expect(taken.code, taken.stderr).toBe(0)
    const there = JSON.parse(taken.stdout) as { searches: Record<string, unknown>[] }
    const alike = (one: unknown): unknown => ({ ...(one as object), seconds: 0 })
    expect(there.searches.map(alike)).toEqual(here.searches.map(alike))
    expect((await opsmith('runs')).stdout).toMatch(
      new RegExp(`${id}  gradcheck my_op: \\d+ of \\d+ shards \\(parts\\) have a result; done`),
    )
    // A run that has ended answers again.
    expect(JSON.parse((await opsmith('runs', id, '--json')).stdout)).toEqual(there)
  })

  /** Submits a job that keeps other jobs waiting until it is cancelled. Resolves with its number, once it runs. */
  async function block(...words: string[]): Promise<string> {
    const job = cluster
      .slurm('sbatch', '--parsable', ...words, '--output=/dev/null', '--wrap=sleep 600')
      .trim()
    await expect.poll(() => cluster.slurm('squeue', '-h', '-j', job, '-t', 'R'), poll).not.toBe('')
    return job
  }

  /** Follows a run, and does something once its progress says so. */
  async function duringRun(
    words: readonly string[],
    sign: RegExp,
    act: (said: string) => void,
  ): Promise<Outcome> {
    const child = spawn(process.execPath, [path.join(root, 'dist/cli.cjs'), ...words], {
      env: { ...process.env, ...cache.environment, OPSMITH_CALLER_FOLDER: cache.home },
    })
    const said = { stdout: '', stderr: '' }
    let hasActed = false
    child.stdout.on('data', (text: Buffer) => (said.stdout += text.toString()))
    child.stderr.on('data', (text: Buffer) => {
      said.stderr += text.toString()
      if (hasActed || !sign.test(said.stderr)) return
      hasActed = true
      act(said.stderr)
    })
    const code = await new Promise<number>((resolve) =>
      child.once('close', (one) => resolve(one ?? -1)),
    )
    return { code, ...said }
  }

  /** A bench of four shards. @param seconds of each row */
  const sweep = (seconds: number): string[] => [
    'bench',
    project,
    ...`--seconds ${seconds} --dtype float32 float64 --threads 1 2`.split(' '),
    ...'--direction forward --over slurm --jobs 2 --json'.split(' '),
  ]

  /** Processes that work on a shard. */
  function workersAtWork(): number[] {
    return fs
      .readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => {
        try {
          const words = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
          if (words[2] !== 'work' || !(words[3] ?? '').startsWith(cache.home)) return false
          const workers = path.join(words[3] ?? '', 'workers')
          return fs
            .readdirSync(workers)
            .map((name) => fs.readFileSync(path.join(workers, name), 'utf8'))
            .some((text) => text.includes(`"pid":${pid}}`) && text.includes('"started"'))
        } catch {
          // It has ended.
          return false
        }
      })
      .map(Number)
  }

  it('a worker whose job reaches its time limit: its shard is done again, and none is lost', async () => {
    // It makes no progress, so that it is in the middle of a shard when its time is over.
    const stop = (): void => {
      const [worker] = workersAtWork()
      if (worker === undefined) return
      process.kill(worker, 'SIGSTOP')
      // Slurm knows only limits of whole minutes: this one ends sooner.
      const words = fs.readFileSync(`/proc/${worker}/environ`, 'utf8').split('\0')
      const job = words.find((word) => word.startsWith('SLURM_JOB_ID='))
      const id = job?.slice('SLURM_JOB_ID='.length) ?? ''
      cluster.slurm('scontrol', 'update', `JobId=${id}`, 'EndTime=now+5')
    }
    const onShort = sweep(0.5).map((word) => (word === 'slurm' ? 'short' : word))
    const { code, stdout, stderr } = await duringRun(onShort, /1 of 4: /, stop)
    expect(code, stderr).toBe(0)
    const report = JSON.parse(stdout) as TimedRun
    expect(report.missing).toEqual([])
    expect(report.hardware.flatMap((one) => one.rows)).toHaveLength(8)
    expect(stderr).toMatch(
      /the job reached its time limit \(00:01:00\) on node n[12]; the shard is tried once more/,
    )
  })

  it('a node that fails in the middle of a sweep: its shard is done again, and none is lost', async () => {
    const { code, stdout, stderr } = await duringRun(sweep(0.2), /1 of 4: /, () =>
      cluster.kill('n2'),
    )
    await cluster.start('n2')
    expect(code, stderr).toBe(0)
    const report = JSON.parse(stdout) as TimedRun
    expect(report.missing).toEqual([])
    expect(report.hardware.flatMap((one) => one.rows)).toHaveLength(8)
    expect(stderr).toMatch(
      /(the node failed|put back into the queue|signal 9 ended it).*; the shard is tried once more/,
    )
  })

  it('a worker whose node goes to a job of higher priority: its shard is done again, and none is lost', async () => {
    const urgent = '--partition=urgent --nodelist=n2 --exclusive --output=/dev/null --wrap=true'
    const { code, stdout, stderr } = await duringRun(
      // So long that the node is taken away in the middle of a shard.
      sweep(2),
      /1 of 4: /,
      () => void cluster.slurm('sbatch', ...urgent.split(' ')),
    )
    expect(code, stderr).toBe(0)
    const report = JSON.parse(stdout) as TimedRun
    expect(report.missing).toEqual([])
    expect(report.hardware.flatMap((one) => one.rows)).toHaveLength(8)
    expect(stderr).toMatch(
      /(a job of higher priority preempted the job|put back into the queue).*; the shard is tried once more/,
    )
  })

  it('a worker that is killed, and killed again, is named with its exit', async () => {
    const folder = copyProject(path.join(root, 'samples/my_op'), cache)
    const changed = path.join(folder, 'opsmith.json')
    const text = fs.readFileSync(changed, 'utf8')
    fs.writeFileSync(changed, text.replace('"against": ["3 * x - y"]', '"seconds": 20'))
    const killed = new Set<number>()
    const killer = setInterval(() => {
      for (const pid of workersAtWork()) {
        if (killed.has(pid)) continue
        killed.add(pid)
        process.kill(pid, 'SIGKILL')
      }
    }, 200)
    const { code, stdout, stderr } = await opsmith(
      'bench',
      folder,
      ...'--direction forward --over slurm --jobs 1 --json'.split(' '),
    )
    clearInterval(killer)
    expect(code, stderr).toBe(1)
    expect(killed.size).toBe(2)
    const { missing: lost } = JSON.parse(stdout) as TimedRun
    expect(lost).toEqual([
      expect.stringMatching(
        /^no result for my_op::my_op\(x, y\), because two workers died while they worked on it: the worker failed on node n[12]: (signal 9 ended it|exit code 137)/,
      ),
    ])
  })

  it('jobs that wait say their place in the queue, and are cancelled by stop', async () => {
    const blocking = await block('-N2', '--exclusive')
    let stopped: Promise<unknown> = Promise.resolve()
    const left = await duringRun(
      ['gradcheck', project, '--op', 'compute', '--search', '4', '--over', 'short', '--json'],
      /place \d of \d in the queue/,
      (said) => {
        const id = /^run (\S+):/m.exec(said)?.[1] ?? ''
        stopped = opsmith('runs', id, '--stop')
      },
    )
    await stopped
    cluster.slurm('scancel', blocking)
    expect(left.code, left.stderr).toBe(2)
    expect(left.stderr).toMatch(/2 of 2 jobs wait: place \d of \d in the queue; .*partition main/)
    expect(left.stderr).toContain('The run was stopped.')
    expect(cluster.slurm('squeue', '-h', '-n', 'opsmith')).toBe('')
  })

  describe('op hosts on compute nodes', () => {
    /** Starts the command line. `queued` resolves once it says that its job waits, and rejects if it ends before. */
    function startOpsmith(own: TestCache, ...words: string[]) {
      const child = spawn(process.execPath, [path.join(root, 'dist/cli.cjs'), ...words], {
        env: { ...process.env, ...own.environment },
      })
      let stdout = ''
      let stderr = ''
      const ended = new Promise<Outcome>((resolve) => {
        child.once('close', (code) => {
          resolve({ code: code ?? -1, stdout, stderr })
        })
      })
      const queued = new Promise<void>((resolve, reject) => {
        child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
        child.stderr.setEncoding('utf8').on('data', (text: string) => {
          stderr += text
          if (stderr.includes('queued and waiting')) resolve()
        })
        void ended.then(() => {
          reject(new Error(`it ended before its job was queued: ${stderr}`))
        })
      })
      return { child, queued, ended }
    }

    /** With a home and settings of its own: op hosts are started by srun. */
    async function withLauncher(
      words: readonly string[],
      act: (cache: TestCache, project: string) => Promise<void>,
    ): Promise<void> {
      const own = makeTestCache()
      try {
        Object.assign(own.environment, cluster.environment)
        fs.writeFileSync(
          path.join(own.places.configFolder, 'settings.json'),
          JSON.stringify({ hostLauncher: ['srun', ...words] }),
        )
        await act(own, copyProject(path.join(root, 'samples/my_op'), own))
      } finally {
        own.remove()
      }
    }

    it('calls answer as here, the queue is shown, and the job ends with the command', async () => {
      await withLauncher(['-w', 'n2'], async (own, folder) => {
        const here = await opsmith('run', project, '--json')
        const blocking = await block('-w', 'n2')
        const running = startOpsmith(own, 'run', folder, '--json')
        await running.queued
        cluster.slurm('scancel', blocking)
        const there = await running.ended
        expect(there.code, there.stderr).toBe(0)
        expect(JSON.parse(there.stdout)).toEqual(JSON.parse(here.stdout))
        expect(there.stderr).toMatch(/srun: job \d+ queued and waiting for resources/)
        await expect.poll(() => cluster.slurm('squeue', '-h'), poll).toBe('')
      })
    })

    it('Ctrl+C while the op host waits in the queue leaves no job there', async () => {
      await withLauncher(['-w', 'n2', '--job-name=waits'], async (own, folder) => {
        const blocking = await block('-w', 'n2')
        const { child, queued } = startOpsmith(own, 'run', folder)
        await queued
        expect(cluster.slurm('squeue', '-h', '-n', 'waits')).not.toBe('')
        child.kill('SIGINT')
        await expect.poll(() => cluster.slurm('squeue', '-h', '-n', 'waits'), poll).toBe('')
        cluster.slurm('scancel', blocking)
      })
    })

    it('a crash of user code on a node has the place and the signal, as here', async () => {
      await withLauncher([], async (own, folder) => {
        const source = path.join(folder, 'op.cpp')
        const text = fs.readFileSync(source, 'utf8')
        fs.writeFileSync(
          source,
          text.replace('return 3 * x', '*(volatile int*)8 = 1;\n  return 3 * x'),
        )
        const { code, stdout } = await runOpsmith(own, 'run', folder, '--json')
        expect(code).toBe(1)
        expect(stdout).toContain('op.cpp')
        expect(stdout).toMatch(/segmentation fault|segfault/i)
      })
    })

    it('no node, and a job that ends in the middle of a call, are answers with reasons', async () => {
      await withLauncher(['--nodelist=n9'], async (own, folder) => {
        const { code, stdout, stderr } = await runOpsmith(own, 'run', folder)
        expect(code, stderr).toBe(1)
        expect(stdout).toContain(
          'The process that runs operators got no node: Invalid node name specified.',
        )
      })
      await withLauncher(['--job-name=ended'], async (own, folder) => {
        const search = ['gradcheck', folder, '--op', 'compute', '--search', '1000000', '--json']
        const running = runOpsmith(own, ...search)
        const isPlaced = (): string => cluster.slurm('squeue', '-h', '-n', 'ended', '-t', 'R')
        await expect.poll(isPlaced, poll).not.toBe('')
        // The search leaves no trace outside. If it has not begun yet, another job takes the place of the cancelled one.
        let isOver = false
        void running.then(() => (isOver = true))
        for (let wait = 4_000; !isOver; wait *= 2) {
          await Promise.race([running, new Promise((resolve) => setTimeout(resolve, wait))])
          if (!isOver) cluster.slurm('scancel', '-n', 'ended')
        }
        const { stdout } = await running
        expect(stdout).toMatch(
          /The process that runs operators on node n[12] is gone: its job was cancelled\./,
        )
      })
    })
  })

  it('what sbatch refuses is an error with its words', async () => {
    await changeSettings(cache.places.configFolder, {
      clusters: { bad: { sbatch: ['--partition=nowhere'] } },
    })
    const { code, stdout } = await opsmith('gradcheck', project, '--over', 'bad', '--json')
    expect(code).toBe(2)
    const { error } = JSON.parse(stdout) as { error: { message: string; detail: string } }
    expect(error.message).toBe('Slurm did not accept the jobs.')
    expect(error.detail).toContain('invalid partition')
  })
})
