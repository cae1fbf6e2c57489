import type { Argument, CheckEntry, Manifest } from '../contract/manifest'
import { opcheckCheck } from '../contract/opcheck'
import type { OpcheckCheck } from '../contract/opcheck'
import { err, ok } from '../contract/outcome'
import type { Result } from '../contract/outcome'
import { argumentsOf, numberOf } from './option-values'

/** As commander gives them. */
export interface GivenCheckOptions {
  op?: string
  args?: string
  check?: string[]
  shapes?: string
  seed?: string
  timeout?: string
  keep?: boolean
  sanitize?: boolean
  json?: boolean
  junit?: string
  html?: string
}

export interface CheckCommand {
  /** "" for all of opsmith.json's. */
  op: string
  /** Absent when the user named none. */
  args?: Argument[]
  /** Absent for what opsmith.json asks for; all of them must be made. */
  checks?: OpcheckCheck[]
  shapes?: number
  seed?: number
  /** Seconds for each operator; 0 takes the default. */
  timeout: number
  /** Failures go into opsmith.json, as simple as they were found. */
  keep: boolean
  /** The sanitizers' checks too, of every operator. */
  sanitize: boolean
  json: boolean
  /** Files, "" for none. */
  junit: string
  html: string
}

/** Sentences name the option and what it takes. */
export function readCheckOptions(given: GivenCheckOptions): Result<CheckCommand> {
  const command: CheckCommand = {
    op: given.op ?? '',
    timeout: 0,
    keep: given.keep ?? false,
    sanitize: given.sanitize ?? false,
    json: given.json ?? false,
    junit: given.junit ?? '',
    html: given.html ?? '',
  }
  const numbers = [
    ['shapes', given.shapes, 'whole', (value: number) => (command.shapes = value)],
    ['seed', given.seed, 'whole', (value: number) => (command.seed = value)],
    ['timeout', given.timeout, 'above', (value: number) => (command.timeout = value)],
  ] as const
  for (const [option, text, kind, take] of numbers) {
    if (text === undefined) continue
    const value = numberOf(option, text, 0, kind)
    if (!value.ok) return value
    take(value.value)
  }
  if (command.shapes !== undefined && command.shapes > 1000)
    return err('request.invalid', '--shapes takes a whole number up to 1000.')
  if (given.check) {
    const names = given.check.flatMap((text) => text.split(','))
    const parsed = opcheckCheck.array().safeParse(names)
    if (!parsed.success) {
      const unknown = names.find((name) => !opcheckCheck.safeParse(name).success) ?? ''
      return err('request.invalid', `There is no check named "${unknown}".`, {
        hint: `There are ${opcheckCheck.options.join(', ')}.`,
      })
    }
    command.checks = parsed.data
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

/** An entry with what the user asked for in its place; then all that is asked for is to pass. */
function overridden(entry: CheckEntry, command: CheckCommand): CheckEntry {
  const { checks, shapes, seed } = command
  const own = checks !== undefined || shapes !== undefined || seed !== undefined
  if (!own) return entry
  const { expect: _expect, skip, ...rest } = entry
  return {
    ...rest,
    // What is asked for by name is made, whatever the reason against it.
    ...(checks ? { checks } : skip ? { skip } : {}),
    ...(shapes === undefined ? {} : { shapes }),
    ...(seed === undefined ? {} : { seed }),
  }
}

/**
 * The entries of one operator: opsmith.json's; where it has none, a call as in `calls`, with the
 * arguments given, or with what the schema suggests.
 */
export function entriesFor(
  op: string,
  manifest: Pick<Manifest, 'calls' | 'checks'>,
  args?: Argument[],
): CheckEntry[] {
  if (args) return [{ op, args }]
  const listed = (manifest.checks ?? []).filter((entry) => entry.op === op)
  if (listed.length > 0) return listed
  const call = manifest.calls.find((one) => one.op === op)
  return [{ op, args: call?.args ?? [] }]
}

/** What a command asks of the entries that it is about. */
export function selectChecks(
  entries: readonly CheckEntry[],
  command: CheckCommand,
): Result<CheckEntry[]> {
  if (entries.length === 0) {
    return err('request.invalid', 'There is nothing to check: no operator, and no call.', {
      hint: 'Register an operator, or take the empty list "checks": [] out of opsmith.json. Or name an operator with --op.',
    })
  }
  return ok(entries.map((entry) => overridden(entry, command)))
}
