import { describe, expect, it } from 'vitest'

import { gradcheckOptions } from '../../electron/contract/gradcheck'
import type { GradcheckReport, SweepDtype, SweepPoint } from '../../electron/contract/gradcheck'
import {
  curveOf,
  defaultEps,
  sweepOptions,
  withPrecision,
} from '../../electron/engine/check/eps-sweep'
import { errorsOf } from '../../electron/engine/check/jacobian-errors'
import { inputSpec } from '../../electron/contract/manifest'
import { findingOf, jacobian, reportOf } from './gradcheck-samples'

/** Points of the default steps with that error; gradients are of size `scale`. */
function points(dtype: SweepDtype, error: (eps: number) => number, scale = 1): SweepPoint[] {
  return defaultEps.map((eps) => {
    const maxAbsolute = error(eps)
    return { dtype, eps, ok: maxAbsolute < 1e-3, maxAbsolute, maxRelative: maxAbsolute / scale }
  })
}

/** eps of the branch, from the largest on. */
function stepsOn(branch: string, found: SweepPoint[], dtype: SweepDtype): number[] {
  return curveOf(dtype, found, '')
    .points.filter((point) => point.branch === branch)
    .map((point) => point.eps)
}

describe('a sweep over eps', () => {
  it('a sweep has two steps a decade from 1e-1 to 1e-12', () => {
    expect(defaultEps).toHaveLength(23)
    expect(defaultEps.slice(0, 4)).toEqual([1e-1, 3e-2, 1e-2, 3e-3])
    expect(defaultEps.at(-1)).toBe(1e-12)
  })

  it.each([
    ['float64', 2 ** -52, 1e-5],
    ['float32', 2 ** -23, 1e-2],
  ] as const)(
    'a sweep of %s recommends the bottom of the V, with a branch on each side',
    (dtype, u, best) => {
      // What central differences of exp at 0 err by: Taylor's third term, and rounding over the step.
      const found = points(dtype, (eps) => eps ** 2 / 6 + u / eps)
      const curve = curveOf(dtype, found, '')
      expect(curve.points[curve.recommended ?? -1]?.eps).toBe(best)
      const truncation = stepsOn('truncation', found, dtype)
      const rounding = stepsOn('rounding', found, dtype)
      expect(Math.min(...truncation)).toBeGreaterThan(best)
      expect(Math.max(...rounding)).toBeLessThan(best)
      expect(truncation).toContain(1e-1)
      expect(rounding).toContain(1e-12)
      // Between them no more than the few steps around the bottom.
      expect(23 - truncation.length - rounding.length).toBeLessThanOrEqual(4)
    },
  )

  it('a wrong formula is flat, because no eps helps it', () => {
    const found = points('float64', (eps) => 0.5 + eps ** 2 / 6)
    expect(stepsOn('flat', found, 'float64')).toHaveLength(23)
  })

  it('a linear function has no truncation branch, because its only error is rounding', () => {
    const noise = [0.3, 1, 0.6, 0]
    let at = 0
    const found = points('float64', (eps) => ((noise[at++ % 4] ?? 0) * 2 ** -52) / eps)
    expect(stepsOn('truncation', found, 'float64')).toEqual([])
    expect(stepsOn('rounding', found, 'float64')).toContain(1e-12)
  })

  it('a step that no longer changes the input is on the rounding branch', () => {
    const found = points('float32', (eps) => (eps < 1e-8 ? 0.25 : eps ** 2 + 1e-7 / eps))
    expect(stepsOn('rounding', found, 'float32')).toContain(1e-12)
  })

  it('NaN counts as the largest error', () => {
    const found = points('float64', (eps) => (eps > 1e-4 ? NaN : 1e-16 / eps))
    const curve = curveOf('float64', found, '')
    expect(curve.points[curve.recommended ?? -1]?.eps).toBe(1e-4)
  })

  it('where no error is finite, no step is recommended, and the reason is given', () => {
    const found = points('float64', (eps) => (eps > 1e-4 ? NaN : Infinity))
    const curve = curveOf('float64', found, '')
    expect(curve.recommended).toBeUndefined()
    expect(curve.reason).toBe('the error is infinite or NaN at every eps')
    expect(curve.points).toHaveLength(23)
  })

  it('among equal errors the step where both errors balance is recommended', () => {
    const curve = curveOf(
      'float64',
      points('float64', () => 0),
      '',
    )
    expect(curve.points[curve.recommended ?? -1]?.eps).toBe(1e-5)
    expect(
      stepsOn(
        'flat',
        points('float64', () => 0),
        'float64',
      ),
    ).toHaveLength(23)
  })

  it('the points are sorted, and a curve without points has a reason', () => {
    const found = points('float64', (eps) => eps).reverse()
    expect(curveOf('float64', found, '').points[0]?.eps).toBe(1e-1)
    const empty = curveOf('float16', [], 'not implemented for Half')
    expect(empty).toEqual({ dtype: 'float16', points: [], reason: 'not implemented for Half' })
  })

  it('the precision of floating and complex inputs changes, and of nothing else', () => {
    const spec = (dtype: string): ReturnType<typeof inputSpec.parse> =>
      inputSpec.parse({ shape: [2], dtype, requires_grad: true })
    const inputs = { a: spec('float64'), b: spec('complex128'), c: spec('int64'), d: spec('bool') }
    const changed = withPrecision(inputs, 'float32')
    expect(Object.values(changed).map((one) => one.dtype)).toEqual([
      'float32',
      'complex64',
      'int64',
      'bool',
    ])
    expect(changed['a']?.requires_grad).toBe(true)
    expect(inputs.a.dtype).toBe('float64')
  })

  it('a sweep computes backward Jacobians only, or forward ones where backward is off', () => {
    const all = gradcheckOptions.parse({
      fast_mode: true,
      check_forward_ad: true,
      check_batched_grad: true,
      rtol: 0.5,
    })
    expect(sweepOptions(all, 1e-3, false)).toMatchObject({
      eps: 1e-3,
      rtol: 0.5,
      fast_mode: false,
      check_backward_ad: true,
      check_forward_ad: false,
      check_batched_grad: false,
      check_undefined_grad: false,
    })
    const forward = gradcheckOptions.parse({ check_backward_ad: false })
    expect(sweepOptions(forward, 1e-3, false)).toMatchObject({
      check_backward_ad: false,
      check_forward_ad: true,
    })
    const second = gradcheckOptions.parse({ check_rev_over_rev: false, check_fwd_over_rev: true })
    expect(sweepOptions(second, 1e-3, true)).toMatchObject({
      check_rev_over_rev: false,
      check_fwd_over_rev: true,
    })
  })
})

describe('the errors of a report', () => {
  it('the errors are the largest of all Jacobians, absolute and relative', () => {
    const report = reportOf([
      findingOf({ ...jacobian(1e-9, 0.001, 0.001) }),
      findingOf({ ...jacobian(1e-8, 4, 4) }),
    ])
    const errors = errorsOf(report)
    expect(errors?.maxAbsolute).toBe(1e-8)
    expect(errors?.maxRelative).toBeCloseTo(1e-6, 12)
  })

  it('a relative error divides by the larger of both, so that a wrong gradient of zero is wrong by 1', () => {
    expect(errorsOf(reportOf([findingOf(jacobian(2, 0, 2))]))?.maxRelative).toBe(1)
    expect(errorsOf(reportOf([findingOf(jacobian(0, 0, 0))]))?.maxRelative).toBe(0)
  })

  it('the error is NaN where one element is NaN, and absent where nothing was compared', () => {
    const report = reportOf([findingOf(jacobian(1, 1, 1)), findingOf(jacobian(NaN, 1, 1))])
    expect(errorsOf(report)?.maxAbsolute).toBeNaN()
    const none: GradcheckReport = reportOf([findingOf({ status: 'skipped' })])
    expect(errorsOf(none)).toBeUndefined()
  })
})
