import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { timingInput } from '../../electron/contract/timing-entry'
import type { TimingReport, TimingRequest, TimingRow } from '../../electron/contract/timing-report'
import { inputSpec } from '../../electron/contract/manifest'
import { unwrap } from '../../electron/contract/outcome'
import { startForkedHost } from '../../electron/engine/host/transport'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { commandOptions, Workbench } from '../../electron/engine/workbench'
import { copyProject, makeTestCache, root, testInstallation } from '../support/installation'
import type { TestCache } from '../support/installation'

let cache: TestCache
let workbench: Workbench
let traps: string

beforeAll(async () => {
  cache = makeTestCache()
  workbench = new Workbench(testInstallation(cache), startForkedHost, {}, commandOptions)
  await workbench.applySettings()
  traps = copyProject(path.join(root, 'test/cases/timing/traps'), cache)
  expect(unwrap(await workbench.builds.build(traps)).ok).toBe(true)
})
afterAll(async () => {
  await workbench.close()
  cache.remove()
})

const request = (op: string, more: Partial<TimingRequest> = {}): TimingRequest => ({
  op,
  args: ['x'],
  builds: [],
  seconds: 0.03,
  ...more,
})

async function timed(...requests: TimingRequest[]): Promise<TimingReport> {
  return unwrap(await workbench.timings.run(traps, requests, {}))
}

const isShown = (row: TimingRow): boolean => row.summary !== undefined && row.refused === ''

describe('wrong timings', () => {
  let report: TimingReport
  const told: [number, number, string | undefined][] = []
  const rowsOf = (entry: number): TimingRow[] => report.rows.filter((row) => row.entry === entry)

  beforeAll(async () => {
    report = unwrap(
      await workbench.timings.run(traps, undefined, {}, (done, total, row) =>
        told.push([done, total, row?.variant]),
      ),
    )
  })

  it('rows are reported one by one, with the total number of rows', () => {
    expect(told[0]).toEqual([0, 10, undefined])
    expect(told.map(([done]) => done)).toEqual(Array.from({ length: 11 }, (_, index) => index))
    expect(told.at(-1)).toEqual([10, 10, 'traps::helped'])
  })

  it('a correct operator keeps its time next to an expression with the same result', () => {
    const [own, other] = rowsOf(0)
    expect(own && isShown(own)).toBe(true)
    expect(own).toMatchObject({ kind: 'operator', variant: 'traps::honest', direction: 'forward' })
    expect(own?.ratio).toBeUndefined()
    const { summary } = own ?? {}
    expect(summary?.samples).toBeGreaterThanOrEqual(9)
    expect(own?.samples).toHaveLength(own?.times.length ?? -1)
    expect(summary?.min).toBeGreaterThan(0)
    const { min = 0, p25 = 0, median = 0, p75 = 0, max = 0, interval = [0, 0] } = summary ?? {}
    expect([min, p25, median, p75, max]).toEqual([min, p25, median, p75, max].sort((a, b) => a - b))
    expect(interval[0]).toBeLessThanOrEqual(median)
    expect(interval[1]).toBeGreaterThanOrEqual(median)
    expect(other).toMatchObject({ kind: 'expression', variant: 'x + x', refused: '' })
    const { ratio = 0, interval: range = [0, 0] } = other?.ratio ?? {}
    expect(range[0]).toBeLessThanOrEqual(ratio)
    expect(range[1]).toBeGreaterThanOrEqual(ratio)
    // Two float tensors of 64 x 64, in and out.
    expect(own?.bytes).toBe(2 * 64 * 64 * 4)
    expect(own?.layers?.full).toBeGreaterThan(0)
    const times = own?.times ?? []
    expect([...times].sort((a, b) => a - b)).toEqual(times)
  })

  it('an operator that remembers its output is refused', () => {
    const [own, other] = rowsOf(1)
    expect(own?.summary).toBeUndefined()
    expect(own?.refused).toMatch(/old output after an input was changed in place/)
    // What it is timed against did the work.
    expect(other && isShown(other)).toBe(true)
    expect(other?.ratio).toBeUndefined()
  })

  it('an operator that still works after it has returned is refused', () => {
    const [own] = rowsOf(2)
    expect(own?.summary).toBeUndefined()
    expect(own?.refused).toMatch(/after it had returned/)
  })

  it('a wrong result is refused, with the place where it differs', () => {
    const [own, other] = rowsOf(3)
    expect([own?.summary, other?.summary]).toEqual([undefined, undefined])
    expect(own?.refused).toMatch(/differs from the result of x \+ x: 1 of 4096 elements differ/)
    expect(own?.refused).toContain('output 0[63, 63]')
    expect(other?.refused).toMatch(/differs from the result of traps::wrong/)
  })

  it('a reference that is not a number is refused, and the operator is not called correct', () => {
    const [own, other] = rowsOf(4)
    expect(other?.summary).toBeUndefined()
    expect(other?.refused).toMatch(/because output 0 contains NaN/)
    expect(own && isShown(own)).toBe(true)
    expect(own?.warnings.join()).toMatch(/could not be compared/)
  })

  it('an operator with threads of its own gets a warning', () => {
    const [own] = rowsOf(5)
    expect(own && isShown(own)).toBe(true)
    expect(own?.warnings.join()).toMatch(/work on threads that it started itself/)
  })

  it('calls that are compared with each other are timed on the same memory', async () => {
    // Of the same values: by other ones it would be found out to go by the address.
    const inputs = { x: inputSpec.parse({ shape: [64, 64], distribution: 'ones', seed: 0 }) }
    const against = [{ op: 'traps::address' }]
    const { rows } = await timed(request('traps::address', { inputs, against }))
    expect(rows.map((row) => [row.refused, isShown(row)])).toEqual([
      ['', true],
      ['', true],
    ])
    expect(rows[1]?.ratio).toBeDefined()
  })

  it('a call that writes to its inputs gets inputs of its own', async () => {
    const against = [{ op: 'traps::scribbles' }, 'x.mul_(2)', 'x + x']
    const { rows } = await timed(request('traps::honest', { against }))
    expect(rows[3]?.variant).toBe('x + x')
    expect(rows[3]?.refused).toBe('')
    expect(rows[3]?.ratio).toBeDefined()
  })

  it('a time shorter than any machine can reach is refused', async () => {
    const { rows } = await timed(request('traps::honest', { bytes: '1e6 * nbytes(x)' }))
    expect(rows[0]?.summary).toBeUndefined()
    expect(rows[0]?.refused).toMatch(/shorter than this machine needs/)
  })

  it('a timing while other processes keep the machine busy gets a warning', async () => {
    const busy: ChildProcess[] = os
      .cpus()
      .map(() => spawn(process.execPath, ['-e', 'for (;;) {}'], { stdio: 'ignore' }))
    try {
      const asked = [request('traps::honest', { seconds: 0.3 })]
      const run = await workbench.timings.run(traps, asked, { measureCeilings: true })
      const { rows, ceilings, ceilingsDoubt } = unwrap(run)
      expect(rows[0]?.warnings.join()).toMatch(/Other programs kept .* cores busy/)
      // What the machine can do at most was measured, and is not believed.
      expect(ceilings?.othersBusy).toBeGreaterThan(0.1)
      expect(ceilingsDoubt).toMatch(/too low, because other programs kept .* cores busy/)
    } finally {
      for (const one of busy) one.kill('SIGKILL')
    }
  })
})

describe('the benchmarks of a project', () => {
  it('an operator that crashes or hangs gets that as its error, and the others are timed', async () => {
    const { rows } = await timed(
      request('traps::honest', {
        against: [{ op: 'traps::crashes' }, 'x + x', { op: 'traps::hangs' }, { op: 'no::such' }],
        timeout: 2,
      }),
      request('traps::honest'),
    )
    expect(rows.map(({ error }) => error?.code)).toEqual([
      undefined,
      'host.crashed',
      undefined,
      'host.timeout',
      'operator.unknown',
      undefined,
    ])
    expect(rows.map(isShown)).toEqual([true, false, true, false, false, true])
    expect(rows[1]?.refused).toMatch(/segmentation fault|SIGSEGV|memory/i)
  })

  it('a benchmark sweeps sizes, dtypes, threads and cold caches, also sizes in arguments', async () => {
    const { rows, ceilings } = await timed(
      request('aten::narrow', {
        args: ['x', 0, 0, 'N'],
        inputs: {
          x: {
            shape: ['N', 8],
            dtype: 'float32',
            device: 'cpu',
            distribution: 'randn',
            requires_grad: false,
          },
        },
        against: ['x[:N].clone()'],
        sizes: { N: [2, 64] },
        dtypes: ['float32', 'float64'],
        threads: [1, 2],
        cold: true,
        flops: 'N * 8',
        seconds: 0.01,
      }),
    )
    expect(rows).toHaveLength(2 * 2 * 2 * 2 * 2)
    expect(rows.map(({ refused }) => refused)).toEqual(rows.map(() => ''))
    const wide = rows.filter(({ point }) => point.sizes['N'] === 64 && point.dtype === 'float64')
    // The operator gives views: only its copy moves anything.
    const copies = wide.filter(({ kind }) => kind === 'expression')
    expect(new Set(copies.map(({ bytes }) => bytes))).toEqual(new Set([2 * 64 * 8 * 8]))
    expect(new Set(wide.map(({ flops }) => flops))).toEqual(new Set([64 * 8]))
    expect(wide.every(({ flopsPerSecond = 0 }) => flopsPerSecond > 0)).toBe(true)
    expect(ceilings?.threads).toBe(2)
    expect(
      rows.filter(({ point }) => point.cold).map(({ summary }) => summary?.callsPerSample),
    ).toEqual(Array.from({ length: 16 }, () => 1))
  })

  it('directions that nobody asked for are left out where there is no derivative', async () => {
    const inputs = {
      x: {
        shape: [4],
        dtype: 'float32' as const,
        device: 'cpu',
        distribution: 'randn' as const,
        requires_grad: true,
      },
    }
    const plain = await timed(request('aten::sign', { inputs }), request('aten::isnan', { inputs }))
    expect(plain.rows.map(({ op, direction }) => `${op} ${direction}`)).toEqual([
      'aten::sign forward',
      'aten::sign backward',
      'aten::sign both',
      'aten::isnan forward',
    ])
    const asked = await timed(request('aten::isnan', { inputs, directions: ['backward'] }))
    expect(asked.rows[0]?.refused).toMatch(/no backward/)
    expect(asked.rows[0]?.error).toBeUndefined()
  })

  it('moved bytes are counted: none for views, twice for what is written', async () => {
    const { rows } = await timed(
      request('aten::t', { seconds: 0.01 }),
      request('aten::t', { seconds: 0.01, bytes: 'nbytes(x)' }),
      request('aten::neg_', { seconds: 0.01 }),
      request('aten::neg', { seconds: 0.01, fresh: false }),
      request('aten::view', { args: ['x', [-1]], against: ['x.reshape(-1)'], seconds: 0.01 }),
    )
    const bytes = 64 * 64 * 4
    expect(rows.map((row) => row.bytes)).toEqual([
      undefined,
      bytes,
      2 * bytes,
      2 * bytes,
      undefined,
      undefined,
    ])
    expect(rows.map((row) => row.bytesPerSecond === undefined)).toEqual([
      true,
      rows[1]?.bytesPerSecond === undefined,
      false,
      false,
      true,
      true,
    ])
    expect(rows.map((row) => row.givesViews === true)).toEqual([
      true,
      true,
      false,
      false,
      true,
      true,
    ])
    // Nothing is wrong with a view.
    expect(rows[0]?.warnings.join()).not.toMatch(/Declare "bytes"/)
    const clocks = rows.flatMap(({ frequency }) => (frequency ? [frequency.median] : []))
    expect(clocks.every((clock) => clock > 1e8 && clock < 1e10)).toBe(true)
  })

  it('the operations of matrix products are counted, also for an expression', async () => {
    const args = ['x', 'x']
    const { rows } = await timed(
      request('aten::mm', { args, against: ['x @ x'], directions: ['forward'], seconds: 0.01 }),
      request('aten::mm', { args, flops: '10', directions: ['forward'], seconds: 0.01 }),
      request('aten::mm', { args, directions: ['forward', 'backward'], seconds: 0.01 }),
      request('traps::honest', { seconds: 0.01 }),
    )
    const flops = 2 * 64 ** 3
    expect(rows.map((row) => [row.flops, row.flopsCountedIn])).toEqual([
      [flops, 'x @ x'],
      [flops, 'x @ x'],
      [10, undefined],
      [flops, 'aten::mm'],
      [undefined, undefined],
      [undefined, undefined],
    ])
    for (const row of rows.slice(0, 2))
      expect(row.flopsPerSecond).toBeCloseTo(flops / (row.summary?.median ?? Number.NaN))
  })

  it('a benchmark that cannot be planned gives the place, and the others are timed', async () => {
    const { rows } = await timed(
      request('traps::honest', { flops: '2 * M' }),
      request('traps::honest', { builds: ['no such build'] }),
      request('traps::honest'),
      request('aten::relu', {
        inputs: {
          x: timingInput.parse({ shape: [4, 4], layout: 'sparse_coo', density: 0.5 }),
        },
      }),
    )
    expect(rows.at(-1)?.error?.message).toBe('input x is sparse_coo: only strided inputs are timed')
    expect(rows[0]?.error?.message).toMatch(/"M" is not one of the benchmark's sizes/)
    expect(rows[1]?.error?.message).toMatch(/No kept build has the name "no such build"/)
    expect(rows[2] && isShown(rows[2])).toBe(true)
  })

  it('a stopped benchmark ends soon, keeps its finished rows and leaves the op host alive', async () => {
    const { pid } = workbench.hosts.state()
    const stop = new AbortController()
    const requests = [
      request('traps::honest'),
      request('traps::honest', { seconds: 60 }),
      request('traps::honest', { seconds: 60 }),
    ]
    const report = unwrap(
      await workbench.timings.run(traps, requests, { signal: stop.signal }, (done) => {
        if (done === 1) setTimeout(() => stop.abort(), 200)
      }),
    )
    expect(report.rows.map(({ error }) => error?.code)).toEqual([
      undefined,
      'cancelled',
      'cancelled',
    ])
    expect(report.seconds).toBeLessThan(20)
    expect(workbench.hosts.state().pid).toBe(pid)
  })

  it('a benchmark is kept in opsmith.json only once', async () => {
    const folder = copyProject(path.join(root, 'test/cases/timing/traps'), cache)
    const { builds: _builds, ...entry } = request('traps::honest', {
      inputs: {
        x: {
          shape: ['N', 8],
          dtype: 'float64',
          device: 'cpu',
          distribution: 'randn',
          requires_grad: true,
        },
      },
      sizes: { N: [1, 2] },
    })
    expect(unwrap(await workbench.timings.keep(folder, entry))).toEqual({
      entry: 6,
      added: true,
    })
    expect(unwrap(await workbench.timings.keep(folder, { ...entry, name: 'again' }))).toEqual({
      entry: 6,
      added: false,
    })
    expect(fs.readFileSync(path.join(folder, 'opsmith.json'), 'utf8')).toContain(
      '"inputs": { "x": { "shape": ["N", 8], "dtype": "float64", "requires_grad": true } }',
    )
    expect(unwrap(await readManifest(folder)).benchmarks[6]).toEqual(entry)
    const bad = await workbench.timings.keep(folder, { ...entry, sizes: {} })
    expect(bad.ok ? '' : bad.error.message).toMatch(/uses the size "N"/)
  })
})

describe('timings of earlier builds', () => {
  let folder: string
  const source = (): string => path.join(folder, 'op.cpp')
  const edit = async (from: string, to: string): Promise<void> => {
    fs.writeFileSync(source(), fs.readFileSync(source(), 'utf8').replace(from, to))
    expect(unwrap(await workbench.builds.build(folder)).ok).toBe(true)
  }
  const run = async (builds: string[]): Promise<TimingRow[]> =>
    unwrap(await workbench.timings.run(folder, [request('traps::honest', { builds })], {})).rows

  beforeAll(async () => {
    folder = copyProject(path.join(root, 'test/cases/timing/traps'), cache)
    expect(unwrap(await workbench.builds.build(folder)).ok).toBe(true)
    await run([])
  })

  it('earlier builds are timed next to this one, listed and named, and the history has the source diff', async () => {
    const none = await run(['last'])
    expect(none[0]?.error?.message).toMatch(/no build before the current build/)
    const [first] = unwrap(await workbench.timings.builds(folder))
    expect(first).toMatchObject({ name: '', current: true })
    await edit('return x * 2;', 'return x + x;')
    const rows = await run(['last'])
    expect(rows.map(({ kind }) => kind)).toEqual(['operator', 'build'])
    expect(rows.every(isShown)).toBe(true)
    expect(rows[1]?.variant).toMatch(/^build of \d+ \w+ \d\d:\d\d$/)
    expect(rows[1]?.ratio?.ratio).toBeGreaterThan(0)

    const named = unwrap(await workbench.timings.nameBuild(folder, first?.key ?? '', 'product'))
    expect(named.map(({ name, current }) => [name, current])).toEqual([
      ['', true],
      ['product', false],
    ])
    expect((await run(['product']))[1]?.variant).toBe('build product')
    const twice = await workbench.timings.nameBuild(folder, named[0]?.key ?? '', 'product')
    expect(twice.ok ? '' : twice.error.message).toMatch(/Another build is named/)

    const own = rows[0]
    if (!own) throw new Error('no row')
    const points = unwrap(await workbench.timings.history(folder, request('traps::honest'), own))
    expect(points.map(({ build }) => build)).toEqual([first?.key, named[0]?.key])
    expect(points[0]?.diff).toBe('')
    expect(points[1]?.diff).toContain('--- a/op.cpp\n+++ b/op.cpp\n')
    expect(points[1]?.diff).toContain('\n-  return x * 2;\n+  return x + x;\n')
  })

  it('an earlier build with other results is refused, and its row explains why', async () => {
    await edit('return x + x;', 'return x + x + 1;')
    const rows = await run(['product'])
    expect(rows[1]?.summary).toBeUndefined()
    expect(rows[1]?.refused).toMatch(/differs from the result of the current build: 4096 of 4096/)
    expect(rows[0]?.warnings.join()).toMatch(/differs from the result of build product/)
  })
})
