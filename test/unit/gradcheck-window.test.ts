import { afterEach, describe, expect, it, vi } from 'vitest'

import type { SweepCurve, SweepPoint } from '../../electron/contract/gradcheck'
import { gradcheckCheck } from '../../electron/contract/gradcheck'
import {
  changeText,
  checkTitles,
  findingName,
  tensorName,
  tensorsText,
} from '../../renderer/features/gradcheck/finding-names'
import {
  errorColumns,
  decades,
  largestMagnitude,
  rangeOf,
  readout,
} from '../../renderer/features/gradcheck/sweep-plot'
import { findingOf, reportOf } from './gradcheck-samples'

const curve = (
  dtype: SweepCurve['dtype'],
  points: [eps: number, error: number, relative?: number, ok?: boolean][],
): SweepCurve => ({
  dtype,
  reason: '',
  points: points.map(([eps, maxAbsolute, maxRelative = maxAbsolute, ok = true]) => {
    const point: SweepPoint = { dtype, eps, ok, maxAbsolute, maxRelative }
    return { ...point, branch: 'flat' }
  }),
})

describe('the chart of error over eps', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  it('a curve has one ascending column of steps and one of errors, with gaps', () => {
    const curves = [
      curve('float32', [
        [1e-2, 0.5],
        [1e-4, 3],
      ]),
      curve('float64', [
        [1e-2, 1e-4],
        [1e-3, 0],
        [1e-4, NaN],
      ]),
    ]
    expect(errorColumns(curves)).toEqual([
      [1e-4, 1e-3, 1e-2],
      [3, null, 0.5],
      // No logarithm of 0: it stands at the bottom. What is no number stands nowhere.
      [null, 1e-18, 1e-4],
    ])
  })

  it('the axes cover whole decades, with room below and the tolerance inside', () => {
    expect(rangeOf(2e-9, 3e-2, 1e-5)).toEqual([1e-10, 1e-1])
    // The tolerance lies above all errors, or below.
    expect(rangeOf(2e-9, 3e-8, 1e-5)[1]).toBeGreaterThanOrEqual(1e-5)
    expect(rangeOf(2e-3, 3e-2, 1e-5)[0]).toBeLessThan(1e-5)
    expect(rangeOf(2e-3, 3e-2, 0)[0]).toBeCloseTo(1e-4, 12)
  })

  it('powers of ten are marked where there is room, the last one always', () => {
    vi.stubGlobal('window', { devicePixelRatio: 1 })
    expect(decades(1e-4, 1e-1, 1000)).toEqual([1e-4, 1e-3, 1e-2, 1e-1])
    const few = decades(1e-12, 1e-1, 200)
    expect(few.length).toBeLessThanOrEqual(5)
    expect(few.at(-1)).toBe(1e-1)
    // On a screen with twice the pixels the words are as wide.
    vi.stubGlobal('window', { devicePixelRatio: 2 })
    expect(decades(1e-12, 1e-1, 400)).toEqual(few)
    expect(decades(2e-4, 3e-2, 1000)).toEqual([1e-3, 1e-2])
  })

  it('the tolerance is that of a typical magnitude, not of a numerical Jacobian that is all rounding', () => {
    const curves = [
      curve('float64', [
        [1e-3, 1e-6, 5e-7],
        [1e-5, 2e-6, 1e-6],
        [1e-14, 500, 0.01],
      ]),
    ]
    expect(largestMagnitude({ op: 'f', seconds: 0, curves })).toBeCloseTo(2)
    expect(largestMagnitude({ op: 'f', seconds: 0, curves: [curve('float32', [])] })).toBe(0)
  })

  it('the readout lists every precision that has the step, with its verdict', () => {
    const curves = [
      curve('float32', [[1e-4, 0.0123, 1, false]]),
      curve('float64', [[1e-4, 1.5e-9]]),
      curve('float16', [[1e-2, 1]]),
    ]
    const text = readout(curves, 1e-4)
    expect(text).toMatch(/^eps 1e-4 · float32 \S+ fails · float64 \S+ passes$/)
    expect(text).not.toContain('float16')
  })
})

describe('names in the panel', () => {
  it('every check has a readable name and a longer description', () => {
    expect(Object.keys(checkTitles).sort()).toEqual([...gradcheckCheck.options].sort())
    for (const { name, about } of Object.values(checkTitles)) {
      expect(name).not.toContain('_')
      expect(about.length).toBeGreaterThan(name.length)
    }
  })

  it('tensors have their own names, else names of their kind, numbered where there are several', () => {
    const report = reportOf([])
    const tensor = { shape: [2], dtype: 'float64', requiresGrad: true }
    const named = {
      ...report,
      inputs: [
        { ...tensor, name: 'x' },
        { ...tensor, name: 'weights[1]' },
      ],
      outputs: [
        { ...tensor, name: '0' },
        { ...tensor, name: '1' },
      ],
    }
    expect(tensorName(named, 'input', 1)).toBe('weights[1]')
    expect(tensorName(named, 'output', 1)).toBe('output 1')
    const [only] = named.outputs
    expect(tensorName({ ...named, outputs: only ? [only] : [] }, 'output')).toBe('output')
    const finding = findingOf({ input: 1, output: 1, part: 'imaginary' })
    expect(tensorsText(finding, named)).toBe('output 1 by weights[1]')
    expect(findingName(finding, named)).toBe('backward, output 1 by weights[1], imaginary part')
    const { input: _input, output: _output, ...whole } = findingOf({ check: 'undefined_grad' })
    expect(findingName(whole, named)).toBe('undefined grad')
    expect(tensorsText({ ...whole, input: 0 }, named)).toBe('x')
  })

  it('the change shows how the error compares with that of the previous build', () => {
    const before = (
      error: number | null,
    ): { build: string; time: number; ok: boolean; error: number | null } => ({
      build: 'b',
      time: 0,
      ok: true,
      error,
    })
    const text = (error: number | null, last: number | null): string =>
      changeText({ error, before: before(last) })
    expect(changeText({ error: 1, before: null })).toBe('')
    expect(text(2, 2)).toBe('the same as in the previous build')
    expect(text(2.005, 2)).toBe('the same as in the previous build')
    expect(text(3, 1)).toBe('3 times larger than in the previous build')
    expect(text(1, 1234)).toBe('1,200 times smaller than in the previous build')
    expect(text(4e3, 1e-9)).toBe('4e12 times larger than in the previous build')
    expect(text(1, 0)).toBe('larger than in the previous build, where it was 0')
    expect(text(null, 1)).toBe('')
    expect(text(NaN, 1)).toBe('')
  })
})
