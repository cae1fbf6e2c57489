import type { Argument, CheckEntry, Manifest } from '../../../contract/manifest'
import { operatorCheckName } from '../../../contract/operator-check'
import type { OperatorCheckName } from '../../../contract/operator-check'
import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import { callArguments, flag, jsonFlag, number, parsedList, text, wordsOf } from '../../options'
import type { OptionValues } from '../../options'
import { detach, jobs, over, refusedWithOver, runFolder } from '../../shards/options'

/** "nan,meta": names of operator checks. */
function checkNames(given: string): Result<OperatorCheckName[]> {
  const checks: OperatorCheckName[] = []
  for (const name of wordsOf([given])) {
    const check = operatorCheckName.safeParse(name)
    if (!check.success) {
      return err('request.invalid', `There is no check named "${name}".`, {
        hint: `Choose from ${operatorCheckName.options.join(', ')}.`,
      })
    }
    checks.push(check.data)
  }
  return ok(checks)
}

export const checkVerbOptions = {
  op: text(
    '<name>',
    "an operator (the project's or libtorch's), or a function of the project's TorchScript program",
  ),
  args: callArguments("with --op: the operator's arguments, a JSON list as in opsmith.json"),
  check: parsedList(
    '<names...>',
    'run only these checks; the check large_sizes runs only if this option or opsmith.json lists it',
    checkNames,
  ),
  sanitize: flag('also check in a build with ASan and UBSan'),
  thorough: flag(
    'also run checks that take long or suit only some operators, such as second-order gradients; try four times as many shapes',
  ),
  shapes: number(
    '<number>',
    'number of additional calls to try, with other shapes and other values from the ranges in opsmith.json',
    { least: 0, isWhole: true, most: 1000 },
    '6',
  ),
  seed: number('<number>', 'seed of the additional calls', { least: 0, isWhole: true }, '0'),
  timeout: number('<seconds>', 'time limit of each operator', { least: 0, isAbove: true }, '120'),
  over,
  jobs,
  detach,
  runFolder,
  keep: flag('add each failed check to opsmith.json, with the simplest inputs that make it fail'),
  json: jsonFlag,
  junit: text('<file>', 'also write JUnit XML'),
  html: text('<file>', 'also write an HTML report'),
}

export interface CheckCommand {
  /** "" for all of opsmith.json's. */
  op: string
  /** Absent when the user named none. */
  args?: Argument[]
  /** Absent for what opsmith.json asks for; all of them must be made. */
  checks?: OperatorCheckName[]
  shapes?: number
  seed?: number
  /** Seconds for each operator; 0 takes the default. */
  timeout: number
  /** Failures go into opsmith.json, as simple as they were found. */
  keep: boolean
  /** The sanitizers' checks too, of every operator. */
  sanitize: boolean
  /** The checks too that are made only when they are asked for, of every operator. */
  thorough: boolean
  json: boolean
  /** Files, "" for none. */
  junit: string
  html: string
}

/** What the options ask for together; an error names the options that do not fit each other. */
export function readCheckOptions(
  given: OptionValues<typeof checkVerbOptions>,
): Result<CheckCommand> {
  const { op = '', args, check, shapes, seed } = given
  if (args && op === '') return err('request.invalid', '--args needs --op NAME.')
  const refused = refusedWithOver(given, ['keep', 'junit', 'html'])
  if (!refused.ok) return refused
  return ok({
    op,
    ...(args && { args }),
    ...(check && { checks: check.flat() }),
    ...(shapes === undefined ? {} : { shapes }),
    ...(seed === undefined ? {} : { seed }),
    timeout: given.timeout ?? 0,
    keep: given.keep,
    sanitize: given.sanitize,
    thorough: given.thorough,
    json: given.json,
    junit: given.junit ?? '',
    html: given.html ?? '',
  })
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
    return err(
      'request.invalid',
      'There is nothing to check: "checks" in opsmith.json is empty, or the project has no operators and no calls.',
      {
        hint: 'Choose an operator with --op. If "checks" in opsmith.json is an empty list, remove the list: then Opsmith checks all operators of the project.',
      },
    )
  }
  return ok(entries.map((entry) => overridden(entry, command)))
}
