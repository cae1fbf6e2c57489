import fs from 'node:fs'
import path from 'node:path'

import { beforeAll, describe, expect, it, vi } from 'vitest'

import { timingInput } from '../../electron/contract/timing-entry'
import type { TimingRow } from '../../electron/contract/timing-report'
import { unwrap } from '../../electron/contract/outcome'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { copyProject, root } from '../support/installation'
import { isShown, request, useTimedTraps } from '../support/timed-traps'

/** What becomes of benchmarks, however long they take: that needs no quiet machine, as timing-engine.test.ts does. */
const { workbench, cache, traps, timed } = useTimedTraps()

describe('the benchmarks of a project', () => {
  it('an operator that crashes or hangs gets that as its error, and the others are timed', async () => {
    const { rows } = await timed(
      request('traps::honest', {
        against: [{ op: 'traps::crashes' }, 'x + x', { op: 'traps::hangs' }, { op: 'no::such' }],
        timeout: 10,
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
    expect(rows[1]?.error?.message).toMatch(/No kept build has the name or key "no such build"/)
    expect(rows[2] && isShown(rows[2])).toBe(true)
  })

  it('a stopped benchmark ends soon, keeps its finished rows and leaves the op host alive', async () => {
    const { pid } = workbench.hosts.state()
    const stop = new AbortController()
    const requests = [
      request('traps::honest'),
      // Longer than this test may take.
      request('traps::honest', { seconds: 600 }),
      request('traps::honest', { seconds: 600 }),
    ]
    const asked = vi.spyOn(unwrap(await workbench.hosts.host()), 'call')
    let isLong = false
    const running = workbench.timings.run(traps(), requests, { signal: stop.signal }, (done) => {
      if (done !== 1) return
      asked.mockClear()
      isLong = true
    })
    // Not before: Stop ends an op host that does not answer within a second, as it may not while a row begins.
    const isSampled = (): boolean =>
      isLong && asked.mock.calls.filter(([name]) => name === 'timing.sample').length > 2
    await expect.poll(isSampled).toBe(true)
    stop.abort()
    const report = unwrap(await running)
    asked.mockRestore()
    expect(report.rows.map(({ error }) => error?.code)).toEqual([
      undefined,
      'cancelled',
      'cancelled',
    ])
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
    expect(none[0]?.error?.message).toMatch(/not kept an earlier build/)
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
    expect(rows[0]?.warnings.join()).toMatch(/differs from the result of the build product/)
  })
})
