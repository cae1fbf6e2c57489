import type { GradcheckOptions } from '../../../contract/gradcheck'
import type { Argument, GradcheckEntry, Manifest } from '../../../contract/manifest'
import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import { dtype as dtypeShape } from '../../../contract/tensor'
import type { Dtype } from '../../../contract/tensor'
import { callArguments, flag, jsonFlag, number, parsed, switchOff, text } from '../../options'
import type { OptionValues } from '../../options'
import { detach, jobs, over, refusedWithOver, runFolder } from '../../shards/options'

/** A dtype that has gradients. */
function floatingDtype(given: string, flagText: string): Result<Dtype> {
  const found = dtypeShape.safeParse(given)
  return found.success && /^(float|bfloat|complex)/.test(found.data)
    ? ok(found.data)
    : err(
        'request.invalid',
        `${flagText} must be a floating-point or complex dtype, not "${given}".`,
        {
          hint: 'Choose from float64, float32, float16, bfloat16, complex64 or complex128.',
        },
      )
}

export const gradcheckVerbOptions = {
  op: text(
    '<name>',
    "an operator (the project's or libtorch's), or a function of the project's TorchScript program",
  ),
  args: callArguments("with --op: the operator's arguments, a JSON list as in opsmith.json"),
  eps: number('<step>', 'step of finite differences', { least: 0, isAbove: true }, '1e-6'),
  atol: number('<tolerance>', 'absolute tolerance', { least: 0 }, '1e-5'),
  rtol: number('<tolerance>', 'relative tolerance', { least: 0 }, '1e-3'),
  nondetTol: number(
    '<tolerance>',
    'largest allowed difference between two runs of the same backward',
    { least: 0 },
    '0',
  ),
  dtype: parsed(
    '<type>',
    'dtype for all floating and complex inputs, instead of their own dtypes',
    floatingDtype,
  ),
  fast: flag('use one random projection instead of whole Jacobians'),
  masked: flag('ignore gradients at the unspecified elements of sparse inputs'),
  secondOrder: flag('check gradients of gradients, as gradgradcheck does'),
  forward: flag('also check forward-mode AD'),
  backward: switchOff('do not check backward-mode AD'),
  batched: flag('also check gradients under vmap'),
  batchedForward: flag('also check forward-mode AD under vmap'),
  gradDtypes: flag("check that gradients have exactly their inputs' dtypes"),
  undefinedGrad: switchOff('do not check undefined gradients'),
  nonContiguous: flag('with --second-order: use grad_outputs that are not contiguous'),
  timeout: number('<seconds>', 'time limit of each gradcheck, if opsmith.json sets none', {
    least: 0,
    isAbove: true,
  }),
  sweep: flag('show the error at many values of eps, in float32 and float64, and recommend an eps'),
  search: number(
    '<points>',
    'repeat the gradcheck at this many points (random values of the inputs), and report the worst point',
    { least: 1, isWhole: true },
  ),
  seed: number(
    '<number>',
    'with --search: the seed of the first point; later points use the next seeds',
    { least: 0, isWhole: true },
    '0',
  ),
  over,
  jobs,
  detach,
  runFolder,
  keep: flag('with --search: if a point fails, add the worst point to opsmith.json'),
  json: jsonFlag,
  junit: text('<file>', 'also write JUnit XML'),
  html: text('<file>', 'also write an HTML report with pictures of the errors in the Jacobians'),
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

/** What the options ask for together; an error names the options that do not fit each other. */
export function readGradcheckOptions(
  given: OptionValues<typeof gradcheckVerbOptions>,
): Result<GradcheckCommand> {
  const { op = '', args, dtype, eps, atol, rtol, nondetTol, search = 0 } = given
  if (args && op === '') return err('request.invalid', '--args needs --op NAME.')
  if (given.keep && search === 0)
    return err(
      'request.invalid',
      '--keep needs --search, because --keep adds the worst point of the search to opsmith.json.',
    )
  const refused = refusedWithOver(given, ['sweep', 'keep', 'junit', 'html'])
  if (!refused.ok) return refused
  return ok({
    op,
    ...(args && { args }),
    ...(dtype && { dtype }),
    secondOrder: given.secondOrder,
    forward: given.forward,
    backward: given.backward,
    options: {
      ...(eps === undefined ? {} : { eps }),
      ...(atol === undefined ? {} : { atol }),
      ...(rtol === undefined ? {} : { rtol }),
      ...(nondetTol === undefined ? {} : { nondet_tol: nondetTol }),
      ...(given.fast ? { fast_mode: true } : {}),
      ...(given.masked ? { masked: true } : {}),
      ...(given.batched ? { check_batched_grad: true } : {}),
      ...(given.batchedForward ? { check_batched_forward_grad: true } : {}),
      ...(given.gradDtypes ? { check_grad_dtypes: true } : {}),
      ...(given.undefinedGrad ? {} : { check_undefined_grad: false }),
      ...(given.nonContiguous ? { gen_non_contig_grad_outputs: true } : {}),
    },
    timeout: given.timeout ?? 0,
    sweep: given.sweep,
    search,
    firstSeed: given.seed ?? 0,
    keep: given.keep,
    json: given.json,
    junit: given.junit ?? '',
    html: given.html ?? '',
  })
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
        hint: `Give the arguments of the operator: --args '["x", "y"]', where x and y are inputs of opsmith.json.`,
      })
    }
  }
  if (entries.length === 0) {
    return err('request.invalid', `opsmith.json of ${manifest.name} has no gradchecks.`, {
      hint: `${example} Or choose the operator of a call in opsmith.json with --op.`,
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
