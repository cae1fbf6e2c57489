import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'

import { unwrap } from '../../electron/contract/outcome'
import type { EndedShard, RunManifest, Shard, ShardResult } from '../../electron/contract/shards'
import type { TimingReport, TimingRow } from '../../electron/contract/timing-report'
import { timingShards } from '../../electron/cli/shards/timing-shards'
import { shardsOfTimings } from '../../electron/engine/timing/timing-shards'

const input = { dtype: 'float32', device: 'cpu', distribution: 'randn' } as const
const shape = (...sizes: (number | string)[]): object => ({
  ...input,
  seed: 0,
  requires_grad: false,
  shape: sizes,
})

const request = {
  op: 'my::f',
  args: ['x'],
  builds: [],
  inputs: { x: shape('N', 8) as never },
  sizes: { N: [4, 16] },
  against: ['x + 1'],
}

/** A time of the operator and one of the expression, in microseconds, with their ratio. */
function rowsAt(size: number, times: [number, number]): TimingRow[] {
  return times.map((time, place): TimingRow => {
    const median = time * 1e-6
    return {
      entry: 0,
      op: 'my::f',
      kind: place === 0 ? 'operator' : 'expression',
      variant: place === 0 ? 'my::f' : 'x + 1',
      direction: 'forward',
      device: 'cpu',
      point: { sizes: { N: size }, dtype: '', threads: 1, cold: false },
      summary: {
        median,
        p25: median,
        p75: median,
        min: median,
        max: median,
        interval: [median, median],
        samples: 10,
        callsPerSample: 1,
      },
      refused: '',
      ...(place === 0
        ? {}
        : {
            ratio: { ratio: 2, interval: [2, 2] as [number, number], verdict: 'slower' as const },
          }),
      warnings: [],
      samples: [],
      times: [],
    }
  })
}

function reportOf(processor: string, rows: TimingRow[]): TimingReport {
  const frequency = { governor: '', least: 0, most: 0, turbo: '' as const }
  return {
    rows,
    machine: { processor, cores: 4, cacheBytes: 1, frequency, countersMissing: '' },
    ceilingsDoubt: '',
    devices: [],
    seconds: 1,
    build: '',
  }
}

function ended(shard: Shard, node: string, report: TimingReport): EndedShard {
  const facts = { node, processor: report.machine.processor, cores: 4, pid: 1 }
  const result: ShardResult = {
    shard: 0,
    attempt: 1,
    facts,
    seconds: 1,
    outcome: { ok: true, value: report },
  }
  return { shard, result }
}

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-timing-shards-'))
afterAll(() => fs.rmSync(home, { recursive: true }))
afterEach(() => vi.restoreAllMocks())

async function printed(
  shards: EndedShard[],
  answer: Partial<RunManifest['answer']> = {},
): Promise<{ code: number; text: string }> {
  let text = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((piece) => {
    text += String(piece)
    return true
  })
  const run: RunManifest = {
    opsmithRun: 1,
    id: 'test',
    version: '1',
    verb: 'bench',
    title: 'bench',
    project: home,
    place: { kind: 'slurm', options: [], opsmith: ['opsmith'] },
    jobs: 2,
    created: 0,
    shards: shards.length,
    allowsSandbox: true,
    answer: { format: 'text', baseline: '', failAbove: 1.05, ...answer },
  }
  const code = await timingShards.print(run, shards)
  vi.restoreAllMocks()
  return { code, text }
}

describe('timings as shards', () => {
  const shards = unwrap(shardsOfTimings([request], { inputs: {} }))

  it('each point of a sweep is a shard, with all that it is compared with', () => {
    expect(shards.map(({ name }) => name)).toEqual(['my::f(x), N 4', 'my::f(x), N 16'])
    const works = shards.map(({ work }) => work as { request: typeof request })
    expect(works.map((one) => one.request.sizes)).toEqual([{ N: [4] }, { N: [16] }])
    expect(works.map((one) => one.request.against)).toEqual([['x + 1'], ['x + 1']])
  })

  it('with caches flushed and without is one shard', () => {
    const both = { ...request, cold: true, dtypes: ['float32' as const, 'float64' as const] }
    expect(unwrap(shardsOfTimings([both], { inputs: {} }))).toHaveLength(4)
  })

  const [first, second] = shards
  const two = (one: string, other: string): EndedShard[] => [
    ended(first ?? { name: '', work: 0 }, 'n1', reportOf(one, rowsAt(4, [1, 2]))),
    ended(second ?? { name: '', work: 0 }, 'n2', reportOf(other, rowsAt(16, [3, 6]))),
  ]

  it('nodes that are alike share a table', async () => {
    const { code, text } = await printed(two('EPYC', 'EPYC'))
    expect(code).toBe(0)
    expect(text).toContain('EPYC, 4 cores (nodes n1, n2)')
    expect(text).toContain('Nodes: n1 timed 1 point, n2 timed 1 point.')
    expect(text.match(/my::f\(x\)/g)).toHaveLength(1)
  })

  it('nodes that differ have tables of their own, and the answer says so', async () => {
    const { text } = await printed(two('EPYC', 'Xeon'))
    const [epyc = '', xeon = ''] = text.split(/^(?=EPYC, |Xeon, )/m)
    expect(epyc).toContain('(node n1)')
    expect(epyc).not.toContain('N 16')
    expect(xeon).toContain('(node n2)')
    expect(xeon).toContain('Do not compare times from different tables.')
    const json = JSON.parse((await printed(two('EPYC', 'Xeon'), { format: 'json' })).text) as {
      hardware: { hardware: string; rows: { node: string }[] }[]
    }
    expect(
      json.hardware.map(({ hardware, rows }) => [hardware, rows.map(({ node }) => node)]),
    ).toEqual([
      ['EPYC, 4 cores', ['n1', 'n1']],
      ['Xeon, 4 cores', ['n2', 'n2']],
    ])
  })

  it('a baseline is compared only with times of its own processor', async () => {
    const baseline = path.join(home, 'baseline.json')
    const row = {
      op: 'my::f',
      kind: 'operator',
      variant: 'my::f',
      direction: 'forward',
      device: 'cpu',
    }
    const pointOf = (N: number): object => ({ sizes: { N }, dtype: '', threads: 1, cold: false })
    const rows = [4, 16].map((size) => ({
      ...row,
      point: pointOf(size),
      median: 1e-9,
      interval: [1e-9, 1e-9],
    }))
    fs.writeFileSync(baseline, JSON.stringify({ opsmithBaseline: 1, processor: 'EPYC', rows }))
    const { code, text } = await printed(two('EPYC', 'Xeon'), { baseline })
    expect(code).toBe(1)
    expect(text.match(/times the baseline's time/g)).toHaveLength(1)
    expect(text).toContain(
      'not compared with the baseline, which was made on another processor (EPYC)',
    )
  })

  it('a point without a result is named, and the exit code says so', async () => {
    const [one] = two('EPYC', 'EPYC')
    const lost = { shard: second ?? { name: '', work: 0 }, reason: 'the node failed: n2' }
    const { code, text } = await printed(one ? [one, lost] : [])
    expect(code).toBe(1)
    expect(text).toContain(
      'no result for my::f(x), N 16, because two workers died while they worked on it: the node failed: n2',
    )
  })
})
