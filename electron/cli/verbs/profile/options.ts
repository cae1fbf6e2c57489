import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import { callArguments, flag, jsonFlag, number, text } from '../../options'
import type { OptionValues } from '../../options'
import type { NamedCall } from '../../chosen-call'

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

export interface ProfileCommand extends NamedCall {
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
      `--function must name a function of the TorchScript program, not ${given.function}.`,
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
      '--args and --call cannot be given together, because both give the arguments.',
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
