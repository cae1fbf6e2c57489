import type { TimedCall } from '../../contract/timing'
import type { TimingInput, TimingOther } from '../../contract/timing-entry'
import type { TimingDirection } from '../../contract/timing-names'
import type { TimingPoint, TimingRequest } from '../../contract/timing-report'
import type { Argument, InputSpec, Manifest, NestedNumbers } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { callText, inputsNamed } from '../project/call-text'
import { evaluateFormula } from './formula'
import type { FormulaScope } from './formula'
import { deviceOf } from './timed-devices'

/** What is timed next to each other at one point: without what a direction and a point add. */
export type Variant =
  | { kind: 'operator' | 'other'; label: string; op: string; args: Argument[] }
  | { kind: 'expression'; label: string; expression: string }
  | { kind: 'build'; label: string; build: string }

/** One point of a sweep, with the inputs that it gives. */
export interface PlannedPoint {
  point: TimingPoint
  inputs: Record<string, InputSpec>
  /** By the entry's formulas. */
  bytes?: number
  flops?: number
}

export interface TimingPlan {
  points: PlannedPoint[]
  directions: TimingDirection[]
  /** Nobody asked for them in so many words: what has no derivative leaves them out. */
  directionsByDefault: boolean
  /** Of others and expressions; builds come after them. */
  variants: Variant[]
}

const elementBytes: Record<InputSpec['dtype'], number> = {
  float64: 8,
  float32: 4,
  float16: 2,
  bfloat16: 2,
  complex64: 8,
  complex128: 16,
  int64: 8,
  int32: 4,
  int16: 2,
  int8: 1,
  uint8: 1,
  bool: 1,
}

/** Whether an input of a point has elements of one byte: of these devices multiply the most. */
export function isNarrow({ inputs }: PlannedPoint): boolean {
  return Object.values(inputs).some(({ dtype }) => elementBytes[dtype] === 1)
}

const isFloating = (spec: InputSpec): boolean => /^(b?float|complex)/.test(spec.dtype)

/** Every combination of one value of each list. */
function combinations(
  lists: Readonly<Record<string, readonly number[]>>,
): Record<string, number>[] {
  return Object.entries(lists).reduce<Record<string, number>[]>(
    (all, [name, values]) =>
      all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  )
}

function shapeOf(
  name: string,
  input: TimingInput,
  sizes: Readonly<Record<string, number>>,
): Result<InputSpec> {
  const { shape, ...rest } = input
  if (shape === undefined) return ok(rest)
  const numbers: number[] = []
  for (const [dim, size] of shape.entries()) {
    const value = typeof size === 'number' ? size : sizes[size]
    if (value === undefined) {
      return err(
        'input.invalid',
        `The shape of ${name} uses the size "${size}", which the benchmark does not define.`,
        { hint: `Add "sizes": { "${size}": [64, 256] }.`, path: `inputs.${name}.shape[${dim}]` },
      )
    }
    numbers.push(value)
  }
  return ok({ ...rest, shape: numbers })
}

function elementsOf(spec: InputSpec): number {
  const count = (values: NestedNumbers): number =>
    Array.isArray(values) ? values.reduce<number>((sum, one) => sum + count(one), 0) : 1
  if (spec.shape) return spec.shape.reduce((product, size) => product * size, 1)
  return spec.values === undefined ? 1 : count(spec.values)
}

function scopeOf(
  sizes: Readonly<Record<string, number>>,
  inputs: Readonly<Record<string, InputSpec>>,
): FormulaScope {
  const measured = Object.entries(inputs).map(([name, spec]) => {
    const elements = elementsOf(spec)
    return [name, { elements, bytes: elements * elementBytes[spec.dtype] }] as const
  })
  return { sizes, inputs: Object.fromEntries(measured) }
}

/** Names of sizes become numbers; an input of the same name goes first. */
function withSizes(
  args: readonly Argument[],
  sizes: Readonly<Record<string, number>>,
  inputs: Readonly<Record<string, InputSpec>>,
): Argument[] {
  return args.map((value) => {
    if (Array.isArray(value)) return withSizes(value, sizes, inputs)
    if (typeof value !== 'string' || Object.hasOwn(inputs, value)) return value
    return Object.hasOwn(sizes, value) ? (sizes[value] ?? value) : value
  })
}

/** An expression with the names of sizes replaced; `x.N` is an attribute and stays. */
function expressionWithSizes(text: string, sizes: Readonly<Record<string, number>>): string {
  return text.replaceAll(/(?<![.\w])[A-Za-z_]\w*/g, (word) =>
    Object.hasOwn(sizes, word) ? String(sizes[word]) : word,
  )
}

function variantOf(other: TimingOther, request: TimingRequest): Variant {
  if (typeof other === 'string') return { kind: 'expression', label: other, expression: other }
  const label =
    other.args === undefined || JSON.stringify(other.args) === JSON.stringify(request.args)
      ? other.op
      : callText(other.op, other.args)
  return { kind: 'other', label, op: other.op, args: other.args ?? request.args }
}

/** Inputs of one point, and what the formulas give for them. */
function pointOf(
  request: TimingRequest,
  given: Readonly<Record<string, InputSpec>>,
  point: TimingPoint,
): Result<PlannedPoint> {
  const inputs: Record<string, InputSpec> = { ...given }
  for (const [name, input] of Object.entries(request.inputs ?? {})) {
    const spec = shapeOf(name, input, point.sizes)
    if (!spec.ok) return spec
    inputs[name] = spec.value
  }
  if (point.dtype !== '') {
    for (const [name, spec] of Object.entries(inputs)) {
      if (isFloating(spec)) inputs[name] = { ...spec, dtype: point.dtype as InputSpec['dtype'] }
    }
  }
  const planned: PlannedPoint = { point, inputs }
  for (const field of ['bytes', 'flops'] as const) {
    const text = request[field]
    if (text === undefined) continue
    const value = evaluateFormula(text, field, scopeOf(point.sizes, inputs))
    if (!value.ok) return value
    planned[field] = value.value
  }
  return ok(planned)
}

/** Inputs that the call or what it is timed against names. */
function usedInputs(request: TimingRequest, { inputs }: PlannedPoint): Record<string, InputSpec> {
  const named = new Set(inputsNamed(request.args, inputs))
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => named.has(name)))
}

/** Where a planned point's call is made: "cpu", "cuda". */
export function deviceAt(request: TimingRequest, planned: PlannedPoint): string {
  return deviceOf(usedInputs(request, planned))
}

/** The points and variants of a benchmark; inputs that it does not give are the project's. */
export function planOf(
  request: TimingRequest,
  project: Pick<Manifest, 'inputs'>,
): Result<TimingPlan> {
  const both = { ...project.inputs, ...request.inputs }
  const clash = Object.keys(request.sizes ?? {}).find((name) => Object.hasOwn(both, name))
  if (clash !== undefined) {
    return err(
      'input.invalid',
      `"${clash}" is the name of both a size and an input. A name can be used only once.`,
      {
        hint: 'Rename the size or the input.',
        path: `sizes.${clash}`,
      },
    )
  }
  const points: PlannedPoint[] = []
  for (const sizes of combinations(request.sizes ?? {})) {
    for (const dtype of request.dtypes ?? ['']) {
      for (const threads of request.threads ?? [1]) {
        for (const cold of [false, true]) {
          const point = pointOf(request, project.inputs, { sizes, dtype, threads, cold })
          if (!point.ok) return point
          // On a GPU the difference is large, and which of the two a program has is not known.
          const wanted = request.cold ?? deviceOf(usedInputs(request, point.value)) !== 'cpu'
          if (!cold || wanted) points.push(point.value)
        }
      }
    }
  }
  const others = (request.against ?? []).map((other) => variantOf(other, request))
  const own: Variant = { kind: 'operator', label: request.op, op: request.op, args: request.args }
  const first = points[0]?.inputs ?? {}
  const derives = inputsNamed(request.args, first).some((name) => first[name]?.requires_grad)
  return ok({
    points,
    directions: request.directions ?? (derives ? ['forward', 'backward', 'both'] : ['forward']),
    directionsByDefault: request.directions === undefined,
    variants: [own, ...others],
  })
}

/** The call that times a variant; a build's is the benchmark's own. */
export function timedCallOf(
  variant: Variant,
  request: Pick<TimingRequest, 'op' | 'args' | 'fresh'>,
  { point, inputs }: PlannedPoint,
  direction: TimingDirection,
): Omit<TimedCall, 'program'> {
  const { threads, cold } = point
  const more = { inputs, direction, threads, cold, fresh: request.fresh ?? true }
  if (variant.kind === 'expression')
    return {
      op: '',
      args: [],
      expression: expressionWithSizes(variant.expression, point.sizes),
      ...more,
    }
  const called = variant.kind === 'build' ? request : variant
  return { op: called.op, args: withSizes(called.args, point.sizes, inputs), ...more }
}

/** A benchmark's name for people: its own, else its call. */
export function timingNameOf(entry: Pick<TimingRequest, 'name' | 'op' | 'args'>): string {
  return entry.name ?? callText(entry.op, entry.args)
}

/** "N 64, float64, 4 threads": a point of a sweep, for people. */
export function pointText({ sizes, dtype, threads, cold }: TimingPoint): string {
  return [
    ...Object.entries(sizes).map(([name, value]) => `${name} ${value}`),
    ...(dtype === '' ? [] : [dtype]),
    ...(threads === 1 ? [] : [`${threads} threads`]),
    ...(cold ? ['cold'] : []),
  ].join(', ')
}

export function isSamePoint(one: TimingPoint, other: TimingPoint): boolean {
  const text = ({ sizes, dtype, threads, cold }: TimingPoint): string =>
    JSON.stringify([Object.entries(sizes).sort(), dtype, threads, cold])
  return text(one) === text(other)
}

/** All points of benchmarks that could be planned, and where their calls are made. */
export function plannedPoints(
  entries: readonly TimingRequest[],
  plans: readonly Result<TimingPlan>[],
): { planned: PlannedPoint; device: string }[] {
  return plans.flatMap((plan, index) => {
    const entry = entries[index]
    if (!plan.ok || !entry) return []
    return plan.value.points.map((planned) => ({ planned, device: deviceAt(entry, planned) }))
  })
}
