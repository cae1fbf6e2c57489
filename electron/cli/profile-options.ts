import type { Argument, Call, Manifest } from '../contract/manifest'
import { err, ok } from '../contract/outcome'
import type { Result } from '../contract/outcome'
import { argumentsOf, numberOf } from './option-values'

/** As commander gives them. */
export interface GivenProfileOptions {
  function?: string
  op?: string
  args?: string
  call?: string
  backward?: boolean
  threads?: string
  trace?: string
  timeout?: string
  json?: boolean
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

/** Sentences name the option and what it takes. */
export function readProfileOptions(given: GivenProfileOptions): Result<ProfileCommand> {
  if (given.function !== undefined && given.op !== undefined)
    return err('request.invalid', '--function and --op cannot be given together.')
  if (given.function?.includes('::'))
    return err(
      'request.invalid',
      `--function takes a function of the program, not ${given.function}.`,
      {
        hint: `Operators are named by --op ${given.function}.`,
      },
    )
  const command: ProfileCommand = {
    op: given.function ?? given.op ?? '',
    call: 0,
    backward: given.backward ?? false,
    threads: 1,
    trace: given.trace ?? '',
    timeout: 0,
  }
  const numbers = [
    ['call', given.call, 1, 'whole', (value: number) => (command.call = value)],
    ['threads', given.threads, 1, 'whole', (value: number) => (command.threads = value)],
    ['timeout', given.timeout, 0, 'above', (value: number) => (command.timeout = value)],
  ] as const
  for (const [option, text, least, kind, take] of numbers) {
    if (text === undefined) continue
    const value = numberOf(option, text, least, kind)
    if (!value.ok) return value
    take(value.value)
  }
  if (command.threads > 1024) return err('request.invalid', '--threads takes a number up to 1024.')
  if (given.args !== undefined) {
    if (command.op === '')
      return err('request.invalid', '--args needs --function or --op: whose arguments are they?')
    if (command.call > 0)
      return err(
        'request.invalid',
        '--args and --call cannot be given together: both say what it is called with.',
      )
    const args = argumentsOf(given.args)
    if (!args.ok) return args
    command.args = args.value
  }
  return ok(command)
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
            ? `They are ${numbered(calls)}.`
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
