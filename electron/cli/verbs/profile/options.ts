import type { Argument, Call, Manifest } from '../../../contract/manifest'
import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import { callArguments, flag, jsonFlag, number, text } from '../../options'
import type { OptionValues } from '../../options'

export const profileVerbOptions = {
  function: text('<name>', "a function of the project's TorchScript program"),
  op: text('<name>', "an operator (the project's or libtorch's)"),
  args: callArguments(
    'with --function or --op: arguments of the call, a JSON list as in opsmith.json',
  ),
  call: number(
    '<number>',
    'number of the call in opsmith.json, counted from 1; with --function or --op, only calls of that name count',
    {
      least: 1,
      isWhole: true,
    },
  ),
  backward: flag('also profile the backward of the sum of the outputs'),
  threads: number(
    '<number>',
    "size of libtorch's thread pool",
    { least: 1, isWhole: true, most: 1024 },
    '1',
  ),
  trace: text('<file>', 'write a trace for ui.perfetto.dev or chrome://tracing'),
  timeout: number('<seconds>', 'time limit of the profiled runs', { least: 0, isAbove: true }),
  json: jsonFlag,
}

export interface ProfileCommand {
  /** An operator or a function of the program; "" for the first that opsmith.json calls. */
  op: string
  args?: Argument[]
  /** Which call of opsmith.json, from 1; 0 for the first. */
  call: number
  backward: boolean
  threads: number
  /** A file as given; "" for none. */
  trace: string
  /** Seconds; 0 for what the call or the settings say. */
  timeout: number
}

/** What the options ask for together; an error names the options that do not fit each other. */
export function readProfileOptions(
  given: OptionValues<typeof profileVerbOptions>,
): Result<ProfileCommand> {
  if (given.function !== undefined && given.op !== undefined)
    return err('request.invalid', '--function and --op cannot be given together.')
  if (given.function?.includes('::'))
    return err(
      'request.invalid',
      `--function takes a function of the program, not ${given.function}.`,
      {
        hint: `Use --op ${given.function} for an operator.`,
      },
    )
  const op = given.function ?? given.op ?? ''
  const { args, call = 0 } = given
  if (args && op === '') return err('request.invalid', '--args needs --function NAME or --op NAME.')
  if (args && call > 0)
    return err(
      'request.invalid',
      '--args and --call cannot be given together: both give the arguments.',
    )
  return ok({
    op,
    ...(args && { args }),
    call,
    backward: given.backward,
    threads: given.threads ?? 1,
    trace: given.trace ?? '',
    timeout: given.timeout ?? 0,
  })
}

function callText({ op, args }: Pick<Call, 'op' | 'args'>): string {
  const texts = args.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)))
  return `${op}(${texts.join(', ')})`
}

function numbered(calls: readonly Call[]): string {
  return calls.map((call, index) => `${index + 1} ${callText(call)}`).join('; ')
}

/** The call that a command asks to profile: of opsmith.json, a function of the program before an operator. */
export function selectProfiled(
  manifest: Pick<Manifest, 'calls'>,
  command: ProfileCommand,
): Result<Pick<Call, 'op' | 'args' | 'timeout'>> {
  const { op, args, call } = command
  if (args) return ok({ op, args })
  const calls = manifest.calls.filter((one) => op === '' || one.op === op)
  if (call > 0) {
    const chosen = calls[call - 1]
    if (chosen) return ok(chosen)
    const of = op === '' ? '' : ` of ${op}`
    return err(
      'request.invalid',
      `--call ${call}: opsmith.json has ${calls.length === 0 ? 'no calls' : `${calls.length} call${calls.length === 1 ? '' : 's'}`}${of}.`,
      {
        hint:
          calls.length > 0
            ? `The calls are ${numbered(calls)}.`
            : 'Give the arguments with --args, or add a call to opsmith.json.',
      },
    )
  }
  if (op !== '') return ok(calls[0] ?? { op, args: [] })
  const chosen = calls.find((one) => !one.op.includes('::')) ?? calls[0]
  return chosen
    ? ok(chosen)
    : err('request.invalid', 'There is nothing to profile: opsmith.json has no calls.', {
        hint: 'Add "calls": [{ "op": "…", "args": ["x"] }], or name an operator with --op and its arguments with --args.',
      })
}
