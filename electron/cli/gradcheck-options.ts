import type { GradcheckOptions } from '../contract/gradcheck'
import type { Argument, GradcheckEntry, Manifest } from '../contract/manifest'
import { err, ok } from '../contract/outcome'
import type { Result } from '../contract/outcome'
import { dtype as dtypeShape } from '../contract/tensor'
import type { Dtype } from '../contract/tensor'
import { argumentsOf, numberOf } from './option-values'

/** As commander gives them. */
export interface GivenGradcheckOptions {
  op?: string
  args?: string
  eps?: string
  atol?: string
  rtol?: string
  nondetTol?: string
  dtype?: string
  fast?: boolean
  masked?: boolean
  secondOrder?: boolean
  forward?: boolean
  /** False after --no-backward. */
  backward?: boolean
  batched?: boolean
  batchedForward?: boolean
  gradDtypes?: boolean
  /** False after --no-undefined-grad. */
  undefinedGrad?: boolean
  nonContiguous?: boolean
  timeout?: string
  sweep?: boolean
  search?: string
  seed?: string
  keep?: boolean
  json?: boolean
  junit?: string
  html?: string
}

export interface GradcheckCommand {
  /** "" for all of opsmith.json's. */
  op: string
  /** Absent when the user named none. */
  args?: Argument[]
  dtype?: Dtype
  secondOrder: boolean
  forward: boolean
  backward: boolean
  /** The user's own options, over an entry's. */
  options: Partial<GradcheckOptions>
  /** Seconds; 0 takes the settings'. */
  timeout: number
  sweep: boolean
  /** Random points to look at; 0 for none. */
  search: number
  firstSeed: number
  keep: boolean
  json: boolean
  /** Files, "" for none. */
  junit: string
  html: string
}

/** Sentences name the option and what it takes. */
export function readGradcheckOptions(given: GivenGradcheckOptions): Result<GradcheckCommand> {
  const command: GradcheckCommand = {
    op: given.op ?? '',
    secondOrder: given.secondOrder ?? false,
    forward: given.forward ?? false,
    backward: given.backward ?? true,
    options: {
      ...(given.fast ? { fast_mode: true } : {}),
      ...(given.masked ? { masked: true } : {}),
      ...(given.batched ? { check_batched_grad: true } : {}),
      ...(given.batchedForward ? { check_batched_forward_grad: true } : {}),
      ...(given.gradDtypes ? { check_grad_dtypes: true } : {}),
      ...(given.undefinedGrad === false ? { check_undefined_grad: false } : {}),
      ...(given.nonContiguous ? { gen_non_contig_grad_outputs: true } : {}),
    },
    timeout: 0,
    sweep: given.sweep ?? false,
    search: 0,
    firstSeed: 0,
    keep: given.keep ?? false,
    json: given.json ?? false,
    junit: given.junit ?? '',
    html: given.html ?? '',
  }
  const numbers = [
    ['eps', given.eps, 'above', (value: number) => (command.options.eps = value)],
    ['atol', given.atol, 'from', (value: number) => (command.options.atol = value)],
    ['rtol', given.rtol, 'from', (value: number) => (command.options.rtol = value)],
    [
      'nondet-tol',
      given.nondetTol,
      'from',
      (value: number) => (command.options.nondet_tol = value),
    ],
    ['timeout', given.timeout, 'above', (value: number) => (command.timeout = value)],
    ['search', given.search, 'whole', (value: number) => (command.search = value)],
    ['seed', given.seed, 'whole', (value: number) => (command.firstSeed = value)],
  ] as const
  for (const [option, text, kind, take] of numbers) {
    if (text === undefined) continue
    const value = numberOf(option, text, option === 'search' ? 1 : 0, kind)
    if (!value.ok) return value
    take(value.value)
  }
  if (given.dtype !== undefined) {
    const parsed = dtypeShape.safeParse(given.dtype)
    if (!parsed.success || !/^(float|bfloat|complex)/.test(parsed.data)) {
      return err(
        'request.invalid',
        `--dtype takes a floating or complex type, not "${given.dtype}".`,
        {
          hint: 'float64, float32, float16, bfloat16, complex64 or complex128.',
        },
      )
    }
    command.dtype = parsed.data
  }
  if (given.args !== undefined) {
    if (command.op === '')
      return err('request.invalid', '--args needs --op: whose arguments are they?')
    const args = argumentsOf(given.args)
    if (!args.ok) return args
    command.args = args.value
  }
  if (command.keep && command.search === 0)
    return err('request.invalid', '--keep needs --search: it keeps the worst point that was found.')
  return ok(command)
}

/** An entry with what the user asked for in its place; then the verdict is to be "passed". */
function overridden(entry: GradcheckEntry, command: GradcheckCommand): GradcheckEntry {
  const second = command.secondOrder || (entry.second_order ?? false)
  const changes: Partial<GradcheckEntry> = {
    ...command.options,
    ...(command.dtype === undefined ? {} : { dtype: command.dtype }),
    ...(command.secondOrder ? { second_order: true } : {}),
    ...(command.forward
      ? second
        ? { check_fwd_over_rev: true }
        : { check_forward_ad: true }
      : {}),
    ...(command.backward
      ? {}
      : second
        ? { check_rev_over_rev: false }
        : { check_backward_ad: false }),
  }
  if (Object.keys(changes).length === 0) return entry
  const { name: _name, expect: _expect, ...rest } = entry
  return { ...rest, ...changes }
}

const example =
  'Add, for example, "gradchecks": [{ "op": "my_op::my_op", "args": ["x", "y"] }] to opsmith.json.'

/**
 * The checks that a command is about: all of opsmith.json's, those of one operator, or, where the
 * file has none of it or arguments are given, one of that operator.
 */
export function selectEntries(
  manifest: Manifest,
  command: GradcheckCommand,
): Result<GradcheckEntry[]> {
  const { op, args } = command
  let entries: GradcheckEntry[]
  if (op === '') entries = manifest.gradchecks
  else if (args) entries = [{ op, args }]
  else {
    entries = manifest.gradchecks.filter((entry) => entry.op === op)
    const call = manifest.calls.find((one) => one.op === op)
    if (entries.length === 0 && call) entries = [{ op, args: call.args }]
    if (entries.length === 0) {
      return err('request.invalid', `opsmith.json has neither a gradcheck nor a call of ${op}.`, {
        hint: `Say what to call it with: --args '["x", "y"]', where x and y are inputs of opsmith.json.`,
      })
    }
  }
  if (entries.length === 0) {
    return err('request.invalid', `opsmith.json of ${manifest.name} has no gradchecks.`, {
      hint: `${example} Or name an operator with --op.`,
    })
  }
  // The same call with the same options twice over is one check.
  const seen = new Set<string>()
  const distinct = entries
    .map((entry) => overridden(entry, command))
    .filter((entry) => {
      const text = JSON.stringify(entry)
      if (seen.has(text)) return false
      seen.add(text)
      return true
    })
  return ok(distinct)
}
