/** The one call that a command is about, by what options name. */
import type { Argument, Call, Manifest } from '../contract/manifest'
import { err, ok } from '../contract/outcome'
import type { Result } from '../contract/outcome'

export interface NamedCall {
  /** An operator or a function of the program; "" for the first that opsmith.json calls. */
  op: string
  args?: Argument[]
  /** Which call of opsmith.json, from 1; 0 for the first. */
  call: number
}

function callText({ op, args }: Pick<Call, 'op' | 'args'>): string {
  const texts = args.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)))
  return `${op}(${texts.join(', ')})`
}

function numbered(calls: readonly Call[]): string {
  return calls.map((call, index) => `${index + 1} ${callText(call)}`).join('; ')
}

/** The call that a command is about: of opsmith.json, a function of the program before an operator. */
export function chooseCall(
  manifest: Pick<Manifest, 'calls'>,
  command: NamedCall,
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
            : 'Add a call to opsmith.json. Or give an operator with --op, and its arguments with --args.',
      },
    )
  }
  if (op !== '') return ok(calls[0] ?? { op, args: [] })
  const chosen = calls.find((one) => !one.op.includes('::')) ?? calls[0]
  return chosen
    ? ok(chosen)
    : err('request.invalid', 'There is nothing to call: opsmith.json has no calls.', {
        hint: 'Add "calls": [{ "op": "…", "args": ["x"] }] to opsmith.json. Or give an operator with --op, and its arguments with --args.',
      })
}
