import {
  timingEntry,
  type TimingEntry,
  type TimingInput,
} from '../../../electron/contract/timing-entry'
import type { TimingDirection } from '../../../electron/contract/timing-names'
import type { Argument, Call, InputSpec, Manifest } from '../../../electron/contract/manifest'
import { err, ok, type Result } from '../../../electron/contract/outcome'
import type { Dtype } from '../../../electron/contract/tensor'
import { argumentListText, inputsNamed, parseArgumentList } from '../../store/argument-list'

/** What an operator is timed against, as its fields say it. */
export type OtherDraft =
  | { kind: 'expression'; text: string }
  /** `argsText` "" takes the arguments of the benchmark itself, "()" none. */
  | { kind: 'operator'; op: string; argsText: string }

/** A benchmark as its fields say it. */
export type TimingDraft = {
  /** An operator, libtorch's included, or a function of the program; "" until one is chosen. */
  op: string
  argsText: string
  /** Whole inputs instead of the project's of the same name; shapes may name sizes. */
  inputs: Record<string, TimingInput>
  against: OtherDraft[]
  /** Builds to compare with: "last", a name or a key. */
  builds: string[]
  /** null: forward, and backward and both where an input requires grad. */
  directions: TimingDirection[] | null
  sizes: Record<string, number[]>
  dtypes: Dtype[]
  threads: number[]
  cold: boolean
  fresh: boolean
  bytes: string
  flops: string
  /** Of samples, for each row; null takes the default. */
  seconds: number | null
  /** What else the entry of opsmith.json says, as it is. */
  rest: Pick<TimingEntry, 'name' | 'rtol' | 'atol' | 'timeout'>
}

type Inputs = Readonly<Record<string, InputSpec>>

export function emptyTimingDraft(op = '', argsText = ''): TimingDraft {
  return {
    op,
    argsText,
    inputs: {},
    against: [],
    builds: [],
    directions: null,
    sizes: {},
    dtypes: [],
    threads: [],
    cold: false,
    fresh: true,
    bytes: '',
    flops: '',
    seconds: null,
    rest: {},
  }
}

/** The fields as an entry of opsmith.json fills them. */
export function timingDraftOf(entry: TimingEntry, inputs: Inputs): TimingDraft {
  const all = { ...inputs, ...entry.inputs, ...entry.sizes }
  const { name, rtol, atol, timeout } = entry
  return {
    op: entry.op,
    argsText: argumentListText(entry.args, all),
    inputs: entry.inputs ?? {},
    against: (entry.against ?? []).map((other): OtherDraft => {
      if (typeof other === 'string') return { kind: 'expression', text: other }
      const text = other.args === undefined ? '' : argumentListText(other.args, all)
      const argsText = other.args?.length === 0 ? '()' : text
      return { kind: 'operator', op: other.op, argsText }
    }),
    builds: [],
    directions: entry.directions ?? null,
    sizes: entry.sizes ?? {},
    dtypes: entry.dtypes ?? [],
    threads: entry.threads ?? [],
    cold: entry.cold ?? false,
    fresh: entry.fresh ?? true,
    bytes: entry.bytes ?? '',
    flops: entry.flops ?? '',
    seconds: entry.seconds ?? null,
    rest: {
      ...(name === undefined ? {} : { name }),
      ...(rtol === undefined ? {} : { rtol }),
      ...(atol === undefined ? {} : { atol }),
      ...(timeout === undefined ? {} : { timeout }),
    },
  }
}

/** The inputs that the calls and expressions take, the project's filled in. */
export function timingInputs(draft: TimingDraft, inputs: Inputs): [string, TimingInput][] {
  const all: Record<string, TimingInput> = { ...inputs, ...draft.inputs }
  return inputsNamed(callTexts(draft).join(', '), all).flatMap((name) => {
    const spec = all[name]
    return spec ? [[name, spec]] : []
  })
}

/** The arguments of every call, and the words of every expression. */
function callTexts(draft: TimingDraft): string[] {
  const others = draft.against.map((other) =>
    // In an expression a name also stands next to operators and dots.
    other.kind === 'expression' ? other.text.replace(/[^\w"]+/g, ' ') : other.argsText,
  )
  return [draft.argsText, ...others]
}

/** The fields as the entry that opsmith.json would hold; an error names what does not read. */
export function timingEntryOf(draft: TimingDraft, inputs: Inputs): Result<TimingEntry> {
  const names = { ...inputs, ...draft.inputs, ...draft.sizes }
  const args = parseArgumentList(draft.argsText, names)
  if (!args.ok) return args
  const against: (string | { op: string; args?: Argument[] })[] = []
  for (const other of draft.against) {
    if (other.kind === 'expression') {
      if (other.text.trim() !== '') against.push(other.text.trim())
      continue
    }
    if (other.op.trim() === '') continue
    const text = other.argsText.trim()
    const parsed = text === '()' ? ok([]) : parseArgumentList(text, names)
    if (!parsed.ok) return parsed
    against.push(text === '' ? { op: other.op } : { op: other.op, args: parsed.value })
  }
  const used = new Set(timingInputs(draft, inputs).map(([name]) => name))
  const own = Object.entries(draft.inputs).filter(([name]) => used.has(name))
  // A size that nothing names any more would only repeat every point.
  const inShapes = new Set(own.flatMap(([, { shape }]) => shape ?? []))
  const words = new Set(callTexts(draft).join(' ').split(/\W+/))
  const sizes = Object.entries(draft.sizes).filter(
    ([name]) => inShapes.has(name) || words.has(name),
  )
  const { name, ...rest } = draft.rest
  const parsed = timingEntry.safeParse({
    ...(name === undefined ? {} : { name }),
    op: draft.op,
    args: args.value,
    ...(own.length === 0 ? {} : { inputs: Object.fromEntries(own) }),
    ...(draft.directions === null ? {} : { directions: draft.directions }),
    ...(against.length === 0 ? {} : { against }),
    ...(sizes.length === 0 ? {} : { sizes: Object.fromEntries(sizes) }),
    ...(draft.dtypes.length === 0 ? {} : { dtypes: draft.dtypes }),
    ...(draft.threads.length === 0 ? {} : { threads: draft.threads }),
    ...(draft.cold ? { cold: true } : {}),
    ...(draft.fresh ? {} : { fresh: false }),
    ...(draft.bytes.trim() === '' ? {} : { bytes: draft.bytes.trim() }),
    ...(draft.flops.trim() === '' ? {} : { flops: draft.flops.trim() }),
    ...(draft.seconds === null ? {} : { seconds: draft.seconds }),
    ...rest,
  })
  if (parsed.success) return ok(parsed.data)
  const [issue] = parsed.error.issues
  return err('input.invalid', `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}.`)
}

/** The directions that are timed where none are named. */
export function defaultDirections(draft: TimingDraft, inputs: Inputs): TimingDirection[] {
  const differentiates = timingInputs(draft, inputs).some(([, spec]) => spec.requires_grad)
  return differentiates ? ['forward', 'backward', 'both'] : ['forward']
}

/** The calls that stand in where opsmith.json has no benchmarks: each operator and function once. */
export function calledOnce(calls: readonly Call[]): Call[] {
  const seen = new Set<string>()
  return calls.filter(({ op }) => !seen.has(op) && seen.add(op).has(op))
}

/** What "all benchmarks" times, in the order of the rows' `entry`. */
export function listedBenchmarks(manifest: Manifest | null | undefined): TimingEntry[] {
  if (!manifest) return []
  if (manifest.benchmarks.length > 0) return manifest.benchmarks
  return calledOnce(manifest.calls).map(({ op, args }) => ({ op, args, directions: ['forward'] }))
}

/** A call as a benchmark, next to what it is compared with. */
export function draftOfCall({ op, args, reference }: Call, inputs: Inputs): TimingDraft {
  return timingDraftOf({ op, args, ...(reference ? { against: [reference] } : {}) }, inputs)
}

/** The name that opsmith.json gives, else the call, and next to it what it sweeps. */
export function timingNames(
  entry: TimingEntry,
  inputs: Inputs,
): { title: string; particular: string } {
  const all = { ...inputs, ...entry.inputs, ...entry.sizes }
  const swept = Object.entries(entry.sizes ?? {}).flatMap(([name, values]) =>
    values.length > 1 ? [name] : [],
  )
  if ((entry.dtypes?.length ?? 0) > 1) swept.push('dtypes')
  if ((entry.threads?.length ?? 0) > 1) swept.push('threads')
  const against = (entry.against ?? []).map((one) => (typeof one === 'string' ? one : one.op))
  const particular = [
    ...(against.length === 0 ? [] : [`against ${against.join(', ')}`]),
    ...(swept.length === 0 ? [] : [`over ${swept.join(', ')}`]),
    ...(entry.cold === true ? ['cold'] : []),
  ]
  return {
    title: entry.name ?? `${entry.op}(${argumentListText(entry.args, all)})`,
    particular: particular.join(', '),
  }
}

type Parsed<T> = { value: T } | { problem: string }

/** The most points that one list of a sweep may have. */
const mostPoints = 100

/** "N 16 64 256, B 1..8": lists by name; `a..b` doubles from a to b. */
export function parseSizes(text: string): Parsed<Record<string, number[]>> {
  const sizes: Record<string, number[]> = {}
  for (const part of text.split(',').map((one) => one.trim())) {
    if (part === '') continue
    const [name = '', ...words] = part.replace(/\s*\.\.\s*/g, '..').split(/[\s=:]+/)
    if (!/^[A-Za-z_]\w*$/.test(name) || words.length === 0)
      return { problem: 'write sizes such as N 64 256 1024, or N 16..4096' }
    const numbers = parseNumbers(words, 0)
    if ('problem' in numbers) return { problem: `${name}: ${numbers.problem}` }
    sizes[name] = numbers.value
  }
  return { value: sizes }
}

/** "1 2 4", "1, 2, 4" and "1..4" all mean the same. */
export function parseThreads(text: string): Parsed<number[]> {
  const numbers = parseNumbers(
    text
      .replace(/\s*\.\.\s*/g, '..')
      .split(/[\s,]+/)
      .filter(Boolean),
    1,
  )
  if ('value' in numbers && numbers.value.some((one) => one > 1024))
    return { problem: 'must be at most 1024' }
  return numbers
}

function parseNumbers(words: readonly string[], least: number): Parsed<number[]> {
  const numbers: number[] = []
  for (const word of words) {
    const range = /^(\d+)\.\.(\d+)$/.exec(word)
    if (!range && !/^\d+$/.test(word)) return { problem: 'must be integers' }
    const first = Number(range?.[1] ?? word)
    const last = Number(range?.[2] ?? word)
    if (first < least) return { problem: `must be at least ${least}` }
    if (last < first) return { problem: 'the end is less than the start' }
    if (range && first === 0) return { problem: 'a range such as 1..8 must start above 0' }
    for (let one = first; one <= last; one = one === 0 ? 1 : one * 2) numbers.push(one)
    if (numbers.length > mostPoints) return { problem: `at most ${mostPoints} values` }
  }
  return { value: [...new Set(numbers)] }
}

/** What parseSizes reads as these. */
export function sizesText(sizes: Readonly<Record<string, readonly number[]>>): string {
  return Object.entries(sizes)
    .map(([name, values]) => `${name} ${listText(values)}`)
    .join(', ')
}

/** Doublings are written as they were typed. */
export function listText(values: readonly number[]): string {
  const first = values[0]
  const last = values.at(-1)
  const doubles = values.every(
    (value, index) => index === 0 || value === 2 * Number(values[index - 1]),
  )
  if (values.length > 2 && doubles && first !== undefined && last !== undefined && first > 0)
    return `${first}..${last}`
  return values.join(' ')
}
