import { checkEntry } from '../../../electron/contract/manifest'
import type { CheckEntry, CheckInput, InputSpec } from '../../../electron/contract/manifest'
import type { OperatorCheckName } from '../../../electron/contract/operator-check'
import { err, ok, type Result } from '../../../electron/contract/outcome'
import type { Dtype } from '../../../electron/contract/tensor'
import { argumentListText, inputsNamed, parseArgumentList } from '../../store/argument-list'

export type SizeRange = { min: number; max: number }
export type Ranges = Record<string, SizeRange>

/** The operator checks of one operator as the fields say them. */
export type OperatorCheckDraft = {
  /** An operator, libtorch's included, or a function of the program; "" until one is chosen. */
  op: string
  /** "x, [y, None], k": names of inputs, sizes and numbers, and literals; "" lets the schema say. */
  argsText: string
  /** Whole inputs instead of the project's of the same name; shapes may name sizes. */
  inputs: Record<string, CheckInput>
  sizes: Ranges
  integers: Ranges
  floats: Ranges
  dtypes: Dtype[]
  shapes: number
  seed: number
  /** null: all but those that must be asked for. */
  checks: OperatorCheckName[] | null
  /** What else the entry of opsmith.json says, as it is. */
  rest: Pick<CheckEntry, 'name' | 'skip' | 'timeout' | 'expect'>
}

export const defaultShapes = 6

/** The range that a size gets when a shape names it first. */
export const firstRange: SizeRange = { min: 1, max: 8 }

export function emptyOperatorCheckDraft(op = '', argsText = ''): OperatorCheckDraft {
  return {
    op,
    argsText,
    inputs: {},
    sizes: {},
    integers: {},
    floats: {},
    dtypes: [],
    shapes: defaultShapes,
    seed: 0,
    checks: null,
    rest: {},
  }
}

function namesOf(
  draft: Pick<OperatorCheckDraft, 'inputs' | 'sizes' | 'integers' | 'floats'>,
  inputs: Readonly<Record<string, InputSpec>>,
): Record<string, unknown> {
  return { ...inputs, ...draft.inputs, ...draft.sizes, ...draft.integers, ...draft.floats }
}

/** The fields as an entry of opsmith.json fills them. */
export function operatorCheckDraftOf(
  entry: CheckEntry,
  inputs: Readonly<Record<string, InputSpec>>,
): OperatorCheckDraft {
  const { name, skip, timeout, expect } = entry
  const draft: OperatorCheckDraft = {
    ...emptyOperatorCheckDraft(entry.op),
    inputs: entry.inputs ?? {},
    sizes: entry.sizes ?? {},
    integers: entry.integers ?? {},
    floats: entry.floats ?? {},
    dtypes: entry.dtypes ?? [],
    shapes: entry.shapes ?? defaultShapes,
    seed: entry.seed ?? 0,
    checks: entry.checks ?? null,
    rest: {
      ...(name === undefined ? {} : { name }),
      ...(skip === undefined ? {} : { skip }),
      ...(timeout === undefined ? {} : { timeout }),
      ...(expect === undefined ? {} : { expect }),
    },
  }
  return { ...draft, argsText: argumentListText(entry.args, namesOf(draft, inputs)) }
}

/** "my_op::f(x, y)"; the bare name where its schema says what it is called on. */
export function calledText(op: string, argsText: string): string {
  return argsText === '' ? op : `${op}(${argsText})`
}

/** The inputs that the call takes, with the project's filled in. */
export function operatorCheckInputs(
  draft: OperatorCheckDraft,
  inputs: Readonly<Record<string, InputSpec>>,
): [string, CheckInput][] {
  const all: Record<string, CheckInput> = { ...inputs, ...draft.inputs }
  return inputsNamed(draft.argsText, all).flatMap((name) => {
    const spec = all[name]
    return spec ? [[name, spec]] : []
  })
}

/** The fields as the entry that opsmith.json would hold; an error names what does not read. */
export function operatorCheckEntryOf(
  draft: OperatorCheckDraft,
  inputs: Readonly<Record<string, InputSpec>>,
): Result<CheckEntry> {
  const args = parseArgumentList(draft.argsText, namesOf(draft, inputs))
  if (!args.ok) return args
  const used = operatorCheckInputs(draft, inputs).map(([name]) => name)
  const own = Object.entries(draft.inputs).filter(([name]) => used.includes(name))
  const words = new Set(draft.argsText.split(/[\s,[\]()]+/))
  const inShapes = new Set(own.flatMap(([, { shape }]) => shape ?? []))
  // What nothing names any more is left out.
  const named = (kind: 'sizes' | 'integers' | 'floats'): Partial<CheckEntry> => {
    const ranges = Object.entries(draft[kind]).filter(
      ([name]) => words.has(name) || (kind === 'sizes' && inShapes.has(name)),
    )
    return ranges.length === 0 ? {} : { [kind]: Object.fromEntries(ranges) }
  }
  const { name, ...rest } = draft.rest
  const parsed = checkEntry.safeParse({
    ...(name === undefined ? {} : { name }),
    op: draft.op,
    args: args.value,
    ...(own.length === 0 ? {} : { inputs: Object.fromEntries(own) }),
    ...named('sizes'),
    ...named('integers'),
    ...named('floats'),
    ...(draft.dtypes.length === 0 ? {} : { dtypes: draft.dtypes }),
    ...(draft.checks === null ? {} : { checks: draft.checks }),
    ...(draft.shapes === defaultShapes ? {} : { shapes: draft.shapes }),
    ...(draft.seed === 0 ? {} : { seed: draft.seed }),
    ...rest,
  })
  if (parsed.success) return ok(parsed.data)
  const [issue] = parsed.error.issues
  return err('input.invalid', `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}.`)
}

/** "B 1..8, N 0..64" */
export function rangesText(ranges: Readonly<Ranges>): string {
  return Object.entries(ranges)
    .map(([name, { min, max }]) => (min === max ? `${name} ${min}` : `${name} ${min}..${max}`))
    .join(', ')
}

const rangePattern =
  /^([A-Za-z_]\w*)\s*[=:]?\s+(-?[\d.]+?(?:e[-+]?\d+)?)(?:\s*(?:\.\.|–|to)\s*(-?[\d.]+(?:e[-+]?\d+)?))?$/i

/** What rangesText writes; "–" and "to" are taken for "..", too. */
export function parseRanges(
  text: string,
  kind: 'sizes' | 'integers' | 'floats',
): { value: Ranges } | { problem: string } {
  const ranges: Ranges = {}
  for (const part of text.split(',').map((one) => one.trim())) {
    if (part === '') continue
    const match = rangePattern.exec(part)
    const name = match?.[1] ?? ''
    const min = Number(match?.[2])
    const max = match?.[3] === undefined ? min : Number(match[3])
    if (name === '' || Number.isNaN(min) || Number.isNaN(max))
      return {
        problem:
          kind === 'floats'
            ? 'write ranges such as alpha -1..1'
            : 'write ranges such as B 1..8, N 0..64',
      }
    if (kind !== 'floats' && !(Number.isInteger(min) && Number.isInteger(max)))
      return { problem: 'must be integers' }
    if (kind === 'sizes' && min < 0) return { problem: 'a size must not be negative' }
    if (max < min) return { problem: `${name}: the end is less than the start` }
    ranges[name] = { min, max }
  }
  return { value: ranges }
}
