import type { TimingRequest } from '../../../contract/timing-report'
import { timingDirection } from '../../../contract/timing-names'
import type { TimingOther } from '../../../contract/timing-entry'
import type { Argument, Manifest } from '../../../contract/manifest'
import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import { dtype } from '../../../contract/tensor'
import { benchmarksOf } from '../../../engine/timing/entries'
import {
  callArguments,
  flag,
  jsonFlag,
  names,
  number,
  numbers,
  parsedList,
  text,
  texts,
} from '../../options'
import type { OptionValues } from '../../options'
import { detach, jobs, over, refusedWithOver, runFolder } from '../../shards/options'

export interface TimingCommand {
  /** "" for all of opsmith.json's. */
  op: string
  args?: Argument[]
  /** Instead of what a benchmark of opsmith.json has. */
  overrides: Partial<
    Pick<
      TimingRequest,
      'against' | 'threads' | 'dtypes' | 'directions' | 'cold' | 'fresh' | 'seconds' | 'timeout'
    >
  >
  /** By their names; they replace those of the same names only. */
  sizes: Record<string, number[]>
  builds: string[]
  /** What to do with the builds that are kept, instead of timing. */
  keeping: 'list' | 'name' | undefined
  /** "" takes a name away. */
  buildName: string
  measureCeilings: boolean
  /** List what the device does, instead of timing. */
  kernels: boolean
  format: 'text' | 'json' | 'markdown' | 'csv'
  /** Files, "" for none. */
  baseline: string
  saveBaseline: string
  /** A row fails when it is surely more than this many times slower than its baseline. */
  failAbove: number
}

const defaultFailAbove = 1.05

/** A name stands for an operator or a function of the program; anything else is an expression. */
function otherOf(text: string): TimingOther {
  return /^[A-Za-z_]\w*(::\w+(\.\w+)?)?$/.test(text) ? { op: text } : text
}

/** `N=1,2,4` */
function sweepOf(text: string): Result<[name: string, values: number[]]> {
  const [, name, list] = /^\s*([A-Za-z_]\w*)\s*=(.*)$/.exec(text) ?? []
  const values = (list ?? '').split(',').map((word) => (word.trim() === '' ? NaN : Number(word)))
  if (name === undefined || !values.every((value) => Number.isInteger(value) && value >= 0)) {
    return err(
      'request.invalid',
      `--sweep must be the name of a size and its values, not "${text}".`,
      {
        hint: 'Example: --sweep N=1,64,4096. A shape of the benchmark in opsmith.json must use the name N.',
      },
    )
  }
  return ok([name, values])
}

const aboveZero = { least: 0, isAbove: true }

export const timingVerbOptions = {
  op: text(
    '<name>',
    "an operator (the project's or libtorch's), or a function of the project's TorchScript program",
  ),
  args: callArguments("with --op: the operator's arguments, a JSON list as in opsmith.json"),
  against: texts('<calls...>', 'operators or TorchScript expressions to compare with'),
  build: texts(
    '<builds...>',
    'earlier builds to compare this build with: their names or keys, as --builds lists them, or "last"',
  ),
  sweep: parsedList(
    '<sizes...>',
    'values of a named size that a shape in opsmith.json uses: N=1,64,4096',
    sweepOf,
  ),
  threads: numbers(
    '<numbers...>',
    "sizes of libtorch's thread pool; each size is timed separately",
    { least: 1, isWhole: true, most: 1024 },
    '1',
  ),
  dtype: names(
    '<types...>',
    'dtypes for all floating and complex inputs; each dtype is timed separately',
    dtype.options,
  ),
  direction: names('<names...>', timingDirection.options.join(', '), timingDirection.options),
  cold: flag('also time calls with caches flushed before each call'),
  sameInputs: flag('use the same inputs in the same memory for all samples'),
  seconds: number(
    '<number>',
    'seconds of timing for each row; up to twice as long if times are noisy, longer if calls are slow',
    { least: 0, isAbove: true, most: 600 },
    '0.5',
  ),
  timeout: number(
    '<seconds>',
    'time limit, in seconds, for one request to the op host (the process that runs operators)',
    aboveZero,
    '120',
  ),
  measureCeilings: flag('measure the memory bandwidth and FLOP/s of this machine again'),
  kernels: flag('list the GPU kernels of one forward call, instead of timing'),
  builds: flag('list the builds that --build accepts, instead of timing'),
  nameBuild: text(
    '<name>',
    'give a name to this build (or to the build of --build), instead of timing; "" removes the name',
  ),
  json: jsonFlag,
  markdown: flag('print tables in Markdown'),
  csv: flag('print CSV: a line for each row, with times in seconds'),
  baseline: text(
    '<file>',
    'compare with the times in this file, which an earlier --save-baseline wrote',
  ),
  saveBaseline: text('<file>', 'save the times in this file, for a later --baseline'),
  over,
  jobs,
  detach,
  runFolder,
  failAbove: number(
    '<ratio>',
    'with --baseline: a row fails if its time is certainly (95 % intervals) more than this factor times the time in the baseline',
    aboveZero,
    String(defaultFailAbove),
  ),
}

type TimingVerbOptions = OptionValues<typeof timingVerbOptions>

function formatOf(given: TimingVerbOptions): Result<TimingCommand['format']> {
  const asked = (['json', 'markdown', 'csv'] as const).filter((name) => given[name])
  return asked.length > 1
    ? err('request.invalid', `--${asked.join(' and --')} cannot be given together.`)
    : ok(asked[0] ?? 'text')
}

/** What the options ask for together; an error names the options that do not fit each other. */
export function readTimingOptions(given: TimingVerbOptions): Result<TimingCommand> {
  const format = formatOf(given)
  if (!format.ok) return format
  const { op = '', args, build = [], baseline = '', failAbove } = given
  if (given.nameBuild !== undefined && build.length > 1)
    return err(
      'request.invalid',
      '--name-build can name only one build. Give --build a single build, or remove --name-build.',
    )
  if (failAbove !== undefined && baseline === '')
    return err('request.invalid', '--fail-above needs --baseline FILE.')
  if (args && op === '') return err('request.invalid', '--args needs --op NAME.')
  const refused = refusedWithOver(given, [
    'kernels',
    'builds',
    'nameBuild',
    'saveBaseline',
    'measureCeilings',
  ])
  if (!refused.ok) return refused
  const { seconds, timeout, threads, dtype: dtypes, direction: directions, against } = given
  return ok({
    op,
    ...(args && { args }),
    overrides: {
      ...(seconds === undefined ? {} : { seconds }),
      ...(timeout === undefined ? {} : { timeout }),
      ...(threads && { threads }),
      ...(given.cold ? { cold: true } : {}),
      ...(given.sameInputs ? { fresh: false } : {}),
      ...(against && { against: against.map(otherOf) }),
      ...(dtypes && { dtypes }),
      ...(directions && { directions }),
    },
    sizes: Object.fromEntries(given.sweep ?? []),
    builds: build,
    keeping: given.nameBuild !== undefined ? 'name' : given.builds ? 'list' : undefined,
    buildName: given.nameBuild ?? '',
    measureCeilings: given.measureCeilings,
    kernels: given.kernels,
    format: format.value,
    baseline,
    saveBaseline: given.saveBaseline ?? '',
    failAbove: failAbove ?? defaultFailAbove,
  })
}

/** opsmith.json's benchmarks of an operator; where it has none, a call as in `calls`, or the arguments given. */
function requestsFor(
  { op, args }: TimingCommand,
  manifest: Pick<Manifest, 'benchmarks' | 'calls'>,
): TimingRequest[] {
  if (op === '') return benchmarksOf(manifest)
  if (args) return [{ op, args, builds: [] }]
  const listed = manifest.benchmarks.filter((entry) => entry.op === op)
  if (listed.length > 0) return listed.map((entry) => ({ ...entry, builds: [] }))
  const call = manifest.calls.find((one) => one.op === op)
  return [{ op, args: call?.args ?? [], builds: [] }]
}

/** Whether a shape, an argument or an expression of a benchmark names a size. */
function namesSize(request: TimingRequest, name: string): boolean {
  const inArgs = (value: Argument): boolean =>
    Array.isArray(value) ? value.some(inArgs) : value === name
  const inputs = Object.values(request.inputs ?? {})
  const inText = (other: TimingOther): boolean =>
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
  command: TimingCommand,
): Result<TimingRequest[]> {
  if (command.keeping) return ok([])
  const requests = requestsFor(command, manifest).map((request) => ({
    ...request,
    ...command.overrides,
    builds: command.builds,
  }))
  if (requests.length === 0) {
    return err(
      'request.invalid',
      'There is nothing to time: opsmith.json has no benchmarks and no calls.',
      {
        hint: 'Add "benchmarks": [{ "op": "…", "args": ["x"] }] to opsmith.json, or choose an operator with --op.',
      },
    )
  }
  for (const [name, values] of Object.entries(command.sizes)) {
    const swept = requests.filter((request) => namesSize(request, name))
    if (swept.length === 0) {
      return err('request.invalid', `--sweep: no benchmark uses a size with the name ${name}.`, {
        hint: `Use the name in a shape of the benchmark in opsmith.json: "inputs": { "x": { "shape": ["${name}", 64] } }.`,
      })
    }
    for (const request of swept) request.sizes = { ...request.sizes, [name]: values }
  }
  return ok(requests)
}
