import type {
  GradcheckOptions,
  SweepBranch,
  SweepCurve,
  SweepDtype,
  SweepPoint,
} from '../../contract/gradcheck'
import type { InputSpec } from '../../contract/manifest'

/** Two steps a decade, from 1e-1 down to 1e-12. */
export const defaultEps: readonly number[] = Array.from({ length: 23 }, (_, i) =>
  Number(i % 2 === 0 ? `1e-${i / 2 + 1}` : `3e-${(i + 3) / 2}`),
)

export const defaultDtypes: readonly SweepDtype[] = ['float32', 'float64']

/** Distance from 1 to the next number of that type. */
const precision: Readonly<Record<SweepDtype, number>> = {
  float64: 2 ** -52,
  float32: 2 ** -23,
  float16: 2 ** -10,
  bfloat16: 2 ** -7,
}

/** libtorch's half of a complex type has no kernels to speak of: half types keep complex64. */
const complexOf: Readonly<Record<SweepDtype, InputSpec['dtype']>> = {
  float64: 'complex128',
  float32: 'complex64',
  float16: 'complex64',
  bfloat16: 'complex64',
}

const floating = new Set(['float64', 'float32', 'float16', 'bfloat16'])

/** The same inputs in another precision; integers stay as they are. */
export function withPrecision(
  inputs: Readonly<Record<string, InputSpec>>,
  dtype: SweepDtype,
): Record<string, InputSpec> {
  const change = (spec: InputSpec): InputSpec => {
    if (floating.has(spec.dtype)) return { ...spec, dtype }
    return spec.dtype.startsWith('complex') ? { ...spec, dtype: complexOf[dtype] } : spec
  }
  return Object.fromEntries(Object.entries(inputs).map(([name, spec]) => [name, change(spec)]))
}

/** Only what depends on eps: Jacobians by backward, or by forward mode where backward is off. */
export function sweepOptions(
  options: GradcheckOptions,
  eps: number,
  secondOrder: boolean,
): GradcheckOptions {
  const backward = secondOrder ? options.check_rev_over_rev : options.check_backward_ad
  return {
    ...options,
    eps,
    fast_mode: false,
    check_undefined_grad: false,
    check_batched_grad: false,
    check_batched_forward_grad: false,
    check_forward_ad: !backward,
    check_backward_ad: backward,
    check_fwd_over_rev: !backward,
    check_rev_over_rev: backward,
  }
}

function errorAt(point: SweepPoint): number {
  return Number.isNaN(point.maxAbsolute) ? Infinity : point.maxAbsolute
}

/**
 * The step with the smallest error; undefined where no error is finite. Of equal errors, the one
 * nearest to the cube root of the precision, where truncation and rounding balance for central differences of a function whose
 * derivatives are all of one size (Numerical Recipes, "Numerical Derivatives").
 */
function bestOf(dtype: SweepDtype, points: readonly SweepPoint[]): number | undefined {
  const balance = Math.cbrt(precision[dtype])
  const distance = (point: SweepPoint): number => Math.abs(Math.log(point.eps / balance))
  let best: number | undefined
  for (const [index, point] of points.entries()) {
    if (errorAt(point) === Infinity) continue
    const held = best === undefined ? undefined : points[best]
    const better =
      !held ||
      errorAt(point) < errorAt(held) ||
      (errorAt(point) === errorAt(held) && distance(point) < distance(held))
    if (better) best = index
  }
  return best
}

/** Errors within this factor of the smallest one are as good as it: rounding scatters that much. */
const scatter = 3

/**
 * Above the best step what is added to the error is truncation, below it rounding; what is within
 * the scatter of the smallest error, or no larger than rounding explains at that step, is neither.
 */
function branchOf(
  dtype: SweepDtype,
  points: readonly SweepPoint[],
  index: number,
  best: number,
): SweepBranch {
  const point = points[index]
  const smallest = points[best]
  if (!point || !smallest) return 'flat'
  const scale = point.maxRelative > 0 ? point.maxAbsolute / point.maxRelative : 1
  const unit = precision[dtype] * (Number.isFinite(scale) ? scale : 1)
  if (errorAt(point) <= scatter * Math.max(errorAt(smallest), unit)) return 'flat'
  if (index > best) return 'rounding'
  return errorAt(point) > (8 * unit) / point.eps ? 'truncation' : 'flat'
}

/** A curve out of its points, in any order. */
export function curveOf(
  dtype: SweepDtype,
  found: readonly SweepPoint[],
  reason: string,
): SweepCurve {
  const points = [...found].sort((a, b) => b.eps - a.eps)
  const best = bestOf(dtype, points)
  return {
    dtype,
    points: points.map((point, index) => ({
      ...point,
      branch: best === undefined ? 'flat' : branchOf(dtype, points, index, best),
    })),
    ...(best === undefined ? {} : { recommended: best }),
    reason:
      best === undefined && points.length > 0 && reason === ''
        ? 'the error is infinite or NaN at every eps'
        : reason,
  }
}
