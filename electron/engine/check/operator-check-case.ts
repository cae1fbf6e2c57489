import type { CheckEntry, CheckInput, InputSpec, Manifest } from '../../contract/manifest'
import { operatorCheckName, sanitizerCheck } from '../../contract/operator-check'
import type {
  OperatorCheckCase,
  OperatorCheckName,
  OperatorCheckFinding,
  OperatorCheckRequest,
  PlacedFinding,
  SanitizerCheck,
} from '../../contract/operator-check'
import { operatorChecks } from '../../contract/operator-checks.generated'
import { inputsNamed } from '../project/call-text'
import { isDrawn } from '../project/gradcheck-case'

/** Checks that are only made when they are asked for by name, with what is said when they are not. */
const byNameOnly: Partial<Record<OperatorCheckName, string>> = Object.fromEntries(
  Object.entries(operatorChecks).flatMap(([name, { onlyWhenAsked }]) =>
    onlyWhenAsked === '' ? [] : [[name, onlyWhenAsked]],
  ),
)

/**
 * opsmith.json's `checks`. Where it has none: each operator and function of its calls once, then the
 * project's operators that no call names, to be called with what their schemas suggest.
 */
export function entriesOf(
  manifest: Pick<Manifest, 'calls' | 'checks'>,
  operators: readonly { name: string; overload: string }[] = [],
): CheckEntry[] {
  if (manifest.checks) return manifest.checks
  const seen = new Set<string>()
  const called = manifest.calls.flatMap(({ op, args }) => {
    if (seen.has(op)) return []
    seen.add(op)
    return [{ op, args }]
  })
  const others = operators.flatMap(({ name, overload }) => {
    const op = overload === '' ? name : `${name}.${overload}`
    return seen.has(op) || seen.has(name) ? [] : [{ op, args: [] }]
  })
  return [...called, ...others]
}

/** Whether nothing says how to call it: inputs are then made from the schema. */
export function isFromSchema(entry: CheckEntry): boolean {
  return entry.args.length === 0 && entry.inputs === undefined
}

/** One call and no other, for named checks: what is kept of a failure. */
export function isSingleCase(entry: CheckEntry): boolean {
  return entry.checks !== undefined && entry.shapes === 0
}

/** The given call of a range: small, and different sizes differ, so that none is taken for another. */
function givenSize(place: number, range: { min: number; max: number }): number {
  return Math.min(Math.max(3 + place, range.min), range.max)
}

function givenNumber(range: { min: number; max: number }): number {
  return Math.min(Math.max(1, range.min), range.max)
}

type Ranges = Pick<OperatorCheckRequest, 'sizes' | 'numbers' | 'dtypes'>

function rangesOf(entry: CheckEntry): Ranges {
  const inputs = Object.entries(entry.inputs ?? {})
  const sizes = Object.entries(entry.sizes ?? {}).map(([name, range], place) => ({
    name,
    ...range,
    given: givenSize(place, range),
    places: inputs.flatMap(([input, { shape }]) =>
      (shape ?? []).flatMap((one, dim) => (one === name ? [{ input, dim }] : [])),
    ),
  }))
  const numbers = [
    ...Object.entries(entry.integers ?? {}).map(([name, range]) => ({
      name,
      range,
      integer: true,
    })),
    ...Object.entries(entry.floats ?? {}).map(([name, range]) => ({ name, range, integer: false })),
  ].map(({ name, range, integer }) => ({ name, integer, ...range, given: givenNumber(range) }))
  return { sizes, numbers, dtypes: entry.dtypes ?? [] }
}

/** The input of the given call: named sizes as numbers. */
function givenInput(input: CheckInput, sizes: Ranges['sizes']): InputSpec {
  const { shape, ...rest } = input
  if (shape === undefined) return rest
  const given = new Map(sizes.map((size) => [size.name, size.given]))
  return {
    ...rest,
    shape: shape.map((one) => (typeof one === 'number' ? one : (given.get(one) ?? 0))),
  }
}

type Asked = Omit<OperatorCheckRequest, 'program' | 'edges'>

export interface EntryRequests {
  /** To the op host; undefined when all of its checks are left out. */
  request: Asked | undefined
  /** The checks that a sanitizer makes, [] for none, of these calls. */
  sanitized: SanitizerCheck[]
  calls: Asked
  /** What is left out, with the reason. */
  left: OperatorCheckFinding[]
}

const isSanitizer = (check: OperatorCheckName): check is SanitizerCheck =>
  sanitizerCheck.safeParse(check).success

/** How many other calls are tried where an entry does not say. */
const shapesTried = { usual: 6, thorough: 24 }

/** What is asked of every entry, whatever it names itself. */
export interface AskedOfAll {
  /** The sanitizers' checks too. */
  sanitize?: boolean
  /** The checks that take long or are for some operators only, at more shapes. */
  thorough?: boolean
}

export function requestOf(
  entry: CheckEntry,
  inputs: Readonly<Record<string, InputSpec>>,
  { sanitize = false, thorough = false }: AskedOfAll = {},
): EntryRequests {
  const named = entry.checks
  const reasons = named ? { ...entry.skip } : { ...byNameOnly, ...entry.skip }
  for (const check of thorough ? operatorCheckName.options : []) {
    if (operatorChecks[check].thorough && entry.skip?.[check] === undefined) delete reasons[check]
  }
  if (sanitize) {
    for (const check of sanitizerCheck.options) {
      if (entry.skip?.[check] === undefined) delete reasons[check]
    }
  }
  const asked = named
    ? [...new Set([...named, ...(sanitize ? sanitizerCheck.options : [])])]
    : operatorCheckName.options
  const wanted = asked.filter((check) => reasons[check] === undefined)
  const checks = wanted.filter((check) => !isSanitizer(check))
  const left = asked.flatMap((check) => {
    const reason = reasons[check]
    return reason === undefined ? [] : [skippedFinding(check, reason)]
  })
  const ranges = rangesOf(entry)
  const own = Object.entries(entry.inputs ?? {}).map(
    ([name, input]) => [name, givenInput(input, ranges.sizes)] as const,
  )
  const calls = {
    op: entry.op,
    args: entry.args,
    inputs: { ...inputs, ...Object.fromEntries(own) },
    fromSchema: isFromSchema(entry),
    ...ranges,
    checks: [],
    shapes: entry.shapes ?? (thorough ? shapesTried.thorough : shapesTried.usual),
    seed: entry.seed ?? 0,
  }
  const request = checks.length === 0 ? undefined : { ...calls, checks }
  return { request, sanitized: wanted.filter(isSanitizer), calls, left }
}

export function skippedFinding(check: OperatorCheckName, reason: string): OperatorCheckFinding {
  return { check, status: 'skipped', reason, advice: '', input: '', index: [], shownBy: '' }
}

/** Without what opsmith.json takes for granted. */
function written(spec: InputSpec): InputSpec {
  const { dtype, device, distribution, requires_grad, values, shape, ...numbers } = spec
  return {
    ...(values === undefined ? { ...(shape === undefined ? {} : { shape }) } : { values }),
    // Nested lists cannot tell [0, 3] from [0].
    ...(values !== undefined && shape?.includes(0) === true ? { shape } : {}),
    ...(dtype === 'float32' ? {} : { dtype }),
    ...(device === 'cpu' ? {} : { device }),
    ...(values !== undefined || distribution === 'randn' ? {} : { distribution }),
    ...(requires_grad ? { requires_grad } : {}),
    ...numbers,
  } as InputSpec
}

/** The entry of opsmith.json that makes one check of one call again, seeds written out. */
export function entryOfFailure(
  check: OperatorCheckName,
  op: string,
  shown: OperatorCheckCase,
): CheckEntry {
  const inputs = Object.entries(shown.inputs).map(([name, spec], place) => {
    const seeded = isDrawn(spec) ? { ...spec, seed: spec.seed ?? place } : spec
    return [name, written(seeded)] as const
  })
  return {
    op,
    args: shown.args,
    ...(inputs.length === 0 ? {} : { inputs: Object.fromEntries(inputs) }),
    checks: [check],
    shapes: 0,
  }
}

/** Equal for entries that check the same. */
export function meaningOf(entry: CheckEntry, inputs: Readonly<Record<string, InputSpec>>): string {
  const { request, left } = requestOf(entry, inputs)
  const all = { ...inputs, ...request?.inputs }
  const used = inputsNamed(entry.args, all).map((name) => {
    const { dtype, device, distribution, requires_grad, ...rest } = all[name] ?? {}
    const made = [
      dtype ?? 'float32',
      device ?? 'cpu',
      distribution ?? 'randn',
      requires_grad ?? false,
    ]
    return [name, made, Object.entries(rest).sort()]
  })
  const { inputs: _named, ...asked } = request ?? {}
  return JSON.stringify([used, asked, left, entry.expect ?? 'passed'])
}

/** In the order in which people read them: schema first, memory last. */
export function inOrder(findings: readonly PlacedFinding[]): PlacedFinding[] {
  const place = new Map(operatorCheckName.options.map((check, index) => [check, index]))
  return [...findings].sort((a, b) => (place.get(a.check) ?? 0) - (place.get(b.check) ?? 0))
}
