import { describe, expect, it } from 'vitest'

import { timingEntry, type TimingEntry } from '../../electron/contract/timing-entry'
import { inputSpec, manifest } from '../../electron/contract/manifest'
import {
  timingDraftOf,
  timingEntryOf,
  timingInputs,
  timingNames,
  defaultDirections,
  emptyTimingDraft,
  listedBenchmarks,
  parseSizes,
  parseThreads,
  sizesText,
} from '../../renderer/features/timings/draft'

const inputs = {
  x: inputSpec.parse({ shape: [4, 8], requires_grad: true }),
  y: inputSpec.parse({ shape: [8] }),
  w: inputSpec.parse({ shape: [8, 8] }),
}

const entry: TimingEntry = timingEntry.parse({
  name: 'long rows',
  op: 'my::f',
  args: ['x', ['y', null], 'K', 0.5],
  inputs: { x: { shape: ['N', 3], dtype: 'float64' } },
  directions: ['forward', 'both'],
  against: [
    'torch.mm(x, w) + y',
    { op: 'my::g' },
    { op: 'my::h', args: [] },
    { op: 'k', args: ['y'] },
  ],
  sizes: { N: [16, 32, 64], K: [3] },
  dtypes: ['float32', 'float64'],
  threads: [1, 2],
  cold: true,
  bytes: '8 * N',
  flops: '2 * N * K',
  seconds: 0.25,
  rtol: 1e-4,
  timeout: 9,
})

describe('the fields of a benchmark', () => {
  it('the fields show the entry of opsmith.json and give the same entry back', () => {
    const draft = timingDraftOf(entry, inputs)
    expect(draft.argsText).toBe('x, [y, None], K, 0.5')
    expect(draft.against[2]).toEqual({ kind: 'operator', op: 'my::h', argsText: '()' })
    expect(timingEntryOf(draft, inputs)).toEqual({ ok: true, value: entry })
  })

  it('unused inputs, unused sizes and empty comparisons are left out of the entry', () => {
    const draft = {
      ...emptyTimingDraft('my::f', 'y'),
      inputs: { x: { ...inputs.x, shape: ['N'] } },
      sizes: { N: [1, 2] },
      against: [
        { kind: 'expression' as const, text: ' ' },
        { kind: 'operator' as const, op: '', argsText: 'y' },
      ],
    }
    const made = timingEntryOf(draft, inputs)
    expect(made).toEqual({ ok: true, value: { op: 'my::f', args: ['y'] } })
  })

  it('the inputs of expressions and of other operators are found', () => {
    const draft = timingDraftOf(entry, inputs)
    expect(timingInputs(draft, inputs).map(([name]) => name)).toEqual(['x', 'y', 'w'])
  })

  it('an argument that cannot be read is named', () => {
    const wrong = timingEntryOf(emptyTimingDraft('my::f', 'x, z'), inputs)
    expect(wrong.ok ? '' : wrong.error.message).toMatch(/no input "z"/)
    const other = { kind: 'operator' as const, op: 'g', argsText: 'q' }
    const against = timingEntryOf({ ...emptyTimingDraft('my::f', 'x'), against: [other] }, inputs)
    expect(against.ok ? '' : against.error.message).toMatch(/no input "q"/)
  })

  it('backward is timed by default where an input requires grad', () => {
    expect(defaultDirections(emptyTimingDraft('my::f', 'x'), inputs)).toHaveLength(3)
    expect(defaultDirections(emptyTimingDraft('my::f', 'y'), inputs)).toEqual(['forward'])
  })

  it('a benchmark without a name is named after its sweep and its variants', () => {
    expect(timingNames(entry, inputs)).toEqual({
      title: 'long rows',
      particular: 'against torch.mm(x, w) + y, my::g, my::h, k, over N, dtypes, threads, cold',
    })
    expect(timingNames({ op: 'f', args: ['x', 'mean'] }, inputs).title).toBe('f(x, "mean")')
  })
})

describe('lists in a sweep', () => {
  it('sizes have names, and doublings can be written as a range', () => {
    expect(parseSizes('N 16..128, B 1 3 5, K=7')).toEqual({
      value: { N: [16, 32, 64, 128], B: [1, 3, 5], K: [7] },
    })
    expect(sizesText({ N: [16, 32, 64, 128], B: [1, 3, 5], K: [7] })).toBe(
      'N 16..128, B 1 3 5, K 7',
    )
    expect(parseSizes('')).toEqual({ value: {} })
    expect(parseThreads('1, 2 .. 8')).toEqual({ value: [1, 2, 4, 8] })
  })

  it('a list that cannot be read gives the reason', () => {
    expect(parseSizes('16 32')).toHaveProperty('problem')
    expect(parseSizes('N 64..16')).toEqual({ problem: 'N: the end is less than the start' })
    expect(parseSizes('N 0..16')).toEqual({ problem: 'N: a range such as 1..8 must start above 0' })
    expect(parseSizes('N 1.5')).toEqual({ problem: 'N: must be integers' })
    expect(parseThreads('0')).toEqual({ problem: 'must be at least 1' })
    expect(parseThreads('2000')).toEqual({ problem: 'must be at most 1024' })
  })
})

describe('the list of all benchmarks', () => {
  it('the benchmarks are those of opsmith.json, else the forward of each call once', () => {
    const project = manifest.parse({
      name: 'p',
      sources: ['a.cpp'],
      calls: [{ op: 'f', args: ['x'] }, { op: 'g' }, { op: 'f', args: ['y'] }],
    })
    expect(listedBenchmarks(project)).toEqual([
      { op: 'f', args: ['x'], directions: ['forward'] },
      { op: 'g', args: [], directions: ['forward'] },
    ])
    expect(listedBenchmarks({ ...project, benchmarks: [entry] })).toEqual([entry])
    expect(listedBenchmarks(null)).toEqual([])
  })
})
