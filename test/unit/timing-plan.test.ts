import { describe, expect, it } from 'vitest'

import { timingRequest } from '../../electron/contract/timing-report'
import type { TimingRequest } from '../../electron/contract/timing-report'
import { inputSpec } from '../../electron/contract/manifest'
import { benchmarksOf } from '../../electron/engine/timing/entries'
import { planOf, timedCallOf } from '../../electron/engine/timing/plan'
import { evaluateFormula } from '../../electron/engine/timing/formula'
import { sourceDiff } from '../../electron/engine/timing/source-diff'
import { historyKeyOf } from '../../electron/engine/timing/timing-history'

const scope = {
  sizes: { N: 8, K: 3, n_1: 2 },
  inputs: { x: { elements: 24, bytes: 192 } },
}

function valueOf(text: string): number | string {
  const value = evaluateFormula(text, 'flops', scope)
  return value.ok ? value.value : value.error.message
}

describe('formulas', () => {
  it.each([
    ['2 * N * K', 48],
    ['2*N + K', 19],
    ['2 * (N + K)', 22],
    ['N / K / 2', 8 / 3 / 2],
    ['N - K - 1', 4],
    ['2 ** K ** n_1', 512],
    ['-2 ** 2 + 5', 1],
    ['2 ** -1', 0.5],
    ['numel(x) + nbytes( x )', 216],
    ['1.5e3 + .5', 1500.5],
  ])('%s gives %d, as in Python', (text, expected) => {
    expect(valueOf(text)).toBeCloseTo(expected)
  })

  it.each([
    ['M', /"M" is not one of the benchmark's sizes/],
    ['x', /"x" is an input: write numel\(x\)/],
    ['2 *', /the formula is incomplete/],
    ['(N', /a "\)" is missing/],
    ['N N', /"N" is in the wrong place/],
    ['N; K', /";" is not allowed/],
    ['numel(y)', /numel\(y\) needs the name of an input/],
    ['process(x)', /no function process/],
    ['constructor', /not one of the benchmark's sizes/],
    ['1 / 0', /gives Infinity/],
    ['K - N', /gives -5/],
    ['', /the formula is incomplete/],
  ])('the formula "%s" is refused with a reason', (text, message) => {
    expect(valueOf(text)).toMatch(message)
  })

  it('a formula nested 100,000 deep is refused with a reason', () => {
    expect(valueOf('('.repeat(100_000))).toMatch(/nested too deeply\.$/)
  })
})

const project = {
  inputs: {
    x: inputSpec.parse({ shape: [4], requires_grad: true }),
    k: inputSpec.parse({ shape: [2], dtype: 'int64' }),
  },
}
const plan = (more: Partial<Parameters<typeof timingRequest.parse>[0] & object>) => {
  const request: TimingRequest = timingRequest.parse({ op: 'my::f', args: ['x'], ...more })
  const planned = planOf(request, project)
  if (!planned.ok) throw new Error(planned.error.message)
  return { request, ...planned.value }
}

describe('the benchmarks of a project', () => {
  it('the benchmarks are those of opsmith.json, else each call once, forward', () => {
    const calls = [
      { op: 'my::f', args: ['x'] },
      { op: 'my::f', args: ['y'] },
      { op: 'g', args: [] },
    ]
    const forward = { directions: ['forward'], builds: [] }
    expect(benchmarksOf({ benchmarks: [], calls })).toEqual([
      { op: 'my::f', args: ['x'], ...forward },
      { op: 'g', args: [], ...forward },
    ])
    expect(benchmarksOf({ benchmarks: [{ op: 'h', args: [] }], calls })).toEqual([
      { op: 'h', args: [], builds: [] },
    ])
  })
})

describe('the plan of a benchmark', () => {
  it('all three directions are planned where a used input requires grad', () => {
    expect(plan({}).directions).toEqual(['forward', 'backward', 'both'])
    expect(plan({ args: ['k'] }).directions).toEqual(['forward'])
    expect(plan({ directions: ['both'] }).directions).toEqual(['both'])
  })

  it('every combination of sizes, dtypes, threads and cold caches is planned', () => {
    const { points } = plan({
      inputs: { x: { shape: ['N', 'M', 2] } },
      sizes: { N: [1, 2], M: [3] },
      dtypes: ['float64'],
      threads: [1, 2],
      cold: true,
      bytes: '2 * nbytes(x)',
    })
    expect(points).toHaveLength(8)
    expect(points.at(-1)).toMatchObject({
      point: { sizes: { N: 2, M: 3 }, dtype: 'float64', threads: 2, cold: true },
      inputs: { x: { shape: [2, 3, 2], dtype: 'float64' }, k: { shape: [2], dtype: 'int64' } },
      bytes: 2 * 12 * 8,
    })
  })

  it('sizes are replaced in arguments and expressions, but not in inputs or attributes', () => {
    const { request, points, variants } = plan({
      args: ['x', ['N', 1], 'k'],
      sizes: { N: [5] },
      against: ['x.N + N * NN', { op: 'my::g' }, { op: 'my::f', args: ['x', 'N'] }],
    })
    const [point] = points
    if (!point) throw new Error('no point')
    const calls = variants.map((variant) => timedCallOf(variant, request, point, 'forward'))
    expect(calls.map(({ op, args, expression }) => [op, args, expression])).toEqual([
      ['my::f', ['x', [5, 1], 'k'], undefined],
      ['', [], 'x.N + 5 * NN'],
      ['my::g', ['x', [5, 1], 'k'], undefined],
      ['my::f', ['x', 5], undefined],
    ])
    expect(variants.map(({ label }) => label)).toEqual([
      'my::f',
      'x.N + N * NN',
      'my::g',
      'my::f(x, N)',
    ])
  })

  it.each([
    [{ inputs: { x: { shape: ['N'] } } }, /The shape of x uses the size "N"/],
    [{ sizes: { k: [1] } }, /"k" is the name of both a size and an input/],
    [{ flops: 'N' }, /The formula of flops/],
  ])('the plan of %j is refused with a reason', (more, message) => {
    expect(() => plan(more)).toThrow(message)
  })

  it('histories differ by what is called, and not by names or sizes of other inputs', () => {
    const keyOf = (more: object): string => {
      const { request, points, variants } = plan(more)
      const [point] = points
      const [own] = variants
      if (!point || !own) throw new Error('no point')
      return historyKeyOf(own, request, point, 'forward')
    }
    const key = keyOf({})
    expect(keyOf({ name: 'other', seconds: 3, against: ['x'] })).toBe(key)
    expect(keyOf({ inputs: { k: { shape: [9], dtype: 'int64' } } })).toBe(key)
    expect(keyOf({ inputs: { x: { shape: [5], requires_grad: true } } })).not.toBe(key)
    expect(keyOf({ threads: [2] })).not.toBe(key)
    const swept = keyOf({ inputs: { x: { shape: ['N'], requires_grad: true } }, sizes: { N: [4] } })
    expect(swept).toBe(key)
  })
})

describe('the diff of sources', () => {
  it('the diff is unified, with three lines of context', () => {
    const before = { 'a.cpp': '1\n2\n3\n4\n5\n6\n7\n8\n9\n', 'same.h': 'x\n' }
    const after = { 'a.cpp': '1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n', 'same.h': 'x\n' }
    expect(sourceDiff(before, after)).toBe(
      [
        '--- a/a.cpp',
        '+++ b/a.cpp',
        '@@ -2,8 +2,9 @@',
        ' 2',
        ' 3',
        ' 4',
        '-5',
        '+five',
        ' 6',
        ' 7',
        ' 8',
        ' 9',
        '+10',
        '',
      ].join('\n'),
    )
    expect(sourceDiff(before, before)).toBe('')
  })

  it('changes far apart have hunks of their own, and added and removed files are shown', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`)
    const changed = lines.map((line, index) => (index === 2 || index === 30 ? 'new' : line))
    const text = sourceDiff(
      { a: lines.join('\n'), gone: 'g\n' },
      { a: changed.join('\n'), come: 'c\nd\n' },
    )
    expect(text.match(/^@@.*@@$/gm)).toEqual([
      '@@ -1,6 +1,6 @@',
      '@@ -28,7 +28,7 @@',
      '@@ -0,0 +1,2 @@',
      '@@ -1 +0,0 @@',
    ])
    expect(text).toContain('--- /dev/null\n+++ b/come')
    expect(text).toContain('--- a/gone\n+++ /dev/null')
  })
})
