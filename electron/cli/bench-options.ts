import type { BenchRequest } from '../contract/bench-report'
import { benchDirection } from '../contract/bench-names'
import type { BenchOther } from '../contract/bench-entry'
import type { Argument, Manifest } from '../contract/manifest'
import { err, ok } from '../contract/outcome'
import type { Result } from '../contract/outcome'
import { dtype } from '../contract/tensor'
import { benchmarksOf } from '../engine/bench/bench-entries'
import { argumentsOf, numberOf } from './option-values'

/** As commander gives them. */
export interface GivenBenchOptions {
  op?: string
  args?: string
  against?: string[]
  build?: string[]
  sweep?: string[]
  threads?: string[]
  dtype?: string[]
  direction?: string[]
  cold?: boolean
  sameInputs?: boolean
  measureCeilings?: boolean
  builds?: boolean
  nameBuild?: string
  kernels?: boolean
  seconds?: string
  timeout?: string
  json?: boolean
  markdown?: boolean
  csv?: boolean
  baseline?: string
  saveBaseline?: string
  failAbove?: string
}

export interface BenchCommand {
  /** "" for all of opsmith.json's. */
  op: string
  args?: Argument[]
  /** In place of what a benchmark of opsmith.json has. */
  overrides: Partial<
    Pick<
      BenchRequest,
      'against' | 'threads' | 'dtypes' | 'directions' | 'cold' | 'fresh' | 'seconds' | 'timeout'
    >
  >
  /** By their names; they replace those of the same names only. */
  sizes: Record<string, number[]>
  builds: string[]
  /** What to do with the builds that are kept, in place of timing. */
  keeping: 'list' | 'name' | undefined
  /** "" takes a name away. */
  buildName: string
  measureCeilings: boolean
  /** List what the device does, in place of timing. */
  kernels: boolean
  format: 'text' | 'json' | 'markdown' | 'csv'
  /** Files, "" for none. */
  baseline: string
  saveBaseline: string
  /** A row fails when it is surely more than this many times slower than its baseline. */
  failAbove: number
}

const defaultFailAbove = 1.05

/** `--threads 1 2 4`, `--threads 1,2,4` */
const words = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => text.split(',')).map((word) => word.trim())

/** A name stands for an operator or a function of the program; anything else is an expression. */
function otherOf(text: string): BenchOther {
  return /^[A-Za-z_]\w*(::\w+(\.\w+)?)?$/.test(text) ? { op: text } : text
}

/** `N=1,2,4` */
function sweepOf(text: string): Result<[name: string, values: number[]]> {
  const [, name, list] = /^\s*([A-Za-z_]\w*)\s*=(.*)$/.exec(text) ?? []
  const values = (list ?? '').split(',').map((word) => (word.trim() === '' ? NaN : Number(word)))
  if (name === undefined || !values.every((value) => Number.isInteger(value) && value >= 0)) {
    return err('request.invalid', `--sweep takes a size and its values, not "${text}".`, {
      hint: 'For example --sweep N=1,64,4096, where a shape of opsmith.json’s benchmark names N.',
    })
  }
  return ok([name, values])
}

function namesFrom<T extends string>(
  option: string,
  given: readonly string[],
  known: readonly T[],
): Result<T[]> {
  const names = words(given)
  const unknown = names.find((name) => !known.some((one) => one === name))
  return unknown === undefined
    ? ok(known.filter((one) => names.includes(one)))
    : err('request.invalid', `--${option} does not take "${unknown}".`, {
        hint: `There are ${known.join(', ')}.`,
      })
}

function numbersOf(given: GivenBenchOptions, command: BenchCommand): Result<null> {
  const { overrides } = command
  const numbers = [
    ['seconds', given.seconds, (value: number) => (overrides.seconds = value)],
    ['timeout', given.timeout, (value: number) => (overrides.timeout = value)],
    ['fail-above', given.failAbove, (value: number) => (command.failAbove = value)],
  ] as const
  for (const [option, text, take] of numbers) {
    if (text === undefined) continue
    const value = numberOf(option, text, 0, 'above')
    if (!value.ok) return value
    take(value.value)
  }
  if (overrides.seconds !== undefined && overrides.seconds > 600)
    return err('request.invalid', '--seconds takes a number up to 600.')
  if (given.threads) {
    const threads: number[] = []
    for (const text of words(given.threads)) {
      const value = numberOf('threads', text, 1, 'whole')
      if (!value.ok) return value
      if (value.value > 1024) return err('request.invalid', '--threads takes numbers up to 1024.')
      threads.push(value.value)
    }
    overrides.threads = threads
  }
  return ok(null)
}

function formatOf(given: GivenBenchOptions): Result<BenchCommand['format']> {
  const asked = (['json', 'markdown', 'csv'] as const).filter((name) => given[name])
  return asked.length > 1
    ? err('request.invalid', `--${asked.join(' and --')} cannot be given together.`)
    : ok(asked[0] ?? 'text')
}

/** Sentences name the option and what it takes. */
export function readBenchOptions(given: GivenBenchOptions): Result<BenchCommand> {
  const format = formatOf(given)
  if (!format.ok) return format
  const command: BenchCommand = {
    op: given.op ?? '',
    overrides: {},
    sizes: {},
    builds: given.build ?? [],
    keeping: given.nameBuild !== undefined ? 'name' : given.builds ? 'list' : undefined,
    buildName: given.nameBuild ?? '',
    measureCeilings: given.measureCeilings ?? false,
    kernels: given.kernels ?? false,
    format: format.value,
    baseline: given.baseline ?? '',
    saveBaseline: given.saveBaseline ?? '',
    failAbove: defaultFailAbove,
  }
  if (command.keeping === 'name' && command.builds.length > 1)
    return err('request.invalid', '--name-build names one build: give --build one.')
  const numbers = numbersOf(given, command)
  if (!numbers.ok) return numbers
  if (given.failAbove !== undefined && command.baseline === '')
    return err('request.invalid', '--fail-above needs --baseline: slower than what?')
  const { overrides } = command
  if (given.cold === true) overrides.cold = true
  if (given.sameInputs === true) overrides.fresh = false
  if (given.against) overrides.against = given.against.map(otherOf)
  if (given.dtype) {
    const names = namesFrom('dtype', given.dtype, dtype.options)
    if (!names.ok) return names
    overrides.dtypes = names.value
  }
  if (given.direction) {
    const names = namesFrom('direction', given.direction, benchDirection.options)
    if (!names.ok) return names
    overrides.directions = names.value
  }
  for (const text of given.sweep ?? []) {
    const sweep = sweepOf(text)
    if (!sweep.ok) return sweep
    const [name, values] = sweep.value
    command.sizes[name] = values
  }
  if (given.args !== undefined) {
    if (command.op === '')
      return err('request.invalid', '--args needs --op: whose arguments are they?')
    const args = argumentsOf(given.args)
    if (!args.ok) return args
    command.args = args.value
  }
  return ok(command)
}

/** opsmith.json's benchmarks of an operator; where it has none, a call as in `calls`, or the arguments given. */
function requestsFor(
  { op, args }: BenchCommand,
  manifest: Pick<Manifest, 'benchmarks' | 'calls'>,
): BenchRequest[] {
  if (op === '') return benchmarksOf(manifest)
  if (args) return [{ op, args, builds: [] }]
  const listed = manifest.benchmarks.filter((entry) => entry.op === op)
  if (listed.length > 0) return listed.map((entry) => ({ ...entry, builds: [] }))
  const call = manifest.calls.find((one) => one.op === op)
  return [{ op, args: call?.args ?? [], builds: [] }]
}

/** Whether a shape, an argument or an expression of a benchmark names a size. */
function namesSize(request: BenchRequest, name: string): boolean {
  const inArgs = (value: Argument): boolean =>
    Array.isArray(value) ? value.some(inArgs) : value === name
  const inputs = Object.values(request.inputs ?? {})
  const inText = (other: BenchOther): boolean =>
    typeof other === 'string' ? other.split(/\W+/).includes(name) : (other.args ?? []).some(inArgs)
  return (
    inputs.some(({ shape }) => shape?.includes(name)) ||
    request.args.some(inArgs) ||
    (request.against ?? []).some(inText)
  )
}

/** What a command asks to be timed. */
export function selectBenchmarks(
  manifest: Pick<Manifest, 'benchmarks' | 'calls'>,
  command: BenchCommand,
): Result<BenchRequest[]> {
  if (command.keeping) return ok([])
  const requests = requestsFor(command, manifest).map((request) => ({
    ...request,
    ...command.overrides,
    builds: command.builds,
  }))
  if (requests.length === 0) {
    return err('request.invalid', 'There is nothing to time: opsmith.json has no benchmarks.', {
      hint: 'Add "benchmarks": [{ "op": "…", "args": ["x"] }], or name an operator with --op.',
    })
  }
  for (const [name, values] of Object.entries(command.sizes)) {
    const swept = requests.filter((request) => namesSize(request, name))
    if (swept.length === 0) {
      return err('request.invalid', `--sweep: no benchmark names the size ${name}.`, {
        hint: `Let a shape name it: "inputs": { "x": { "shape": ["${name}", 64] } } in opsmith.json's benchmark.`,
      })
    }
    for (const request of swept) request.sizes = { ...request.sizes, [name]: values }
  }
  return ok(requests)
}
