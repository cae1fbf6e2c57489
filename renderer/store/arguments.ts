import type { Argument, InputSpec } from '../../electron/contract/manifest'
import type { OperatorArgument } from '../../electron/contract/operators'
import { splitTop } from './schema-text'

/** How an argument is edited. */
export type ArgumentKind =
  | 'tensor'
  | 'tensors'
  | 'bool'
  | 'int'
  | 'float'
  | 'scalar'
  | 'text'
  | 'json'

export function kindOf(type: string): ArgumentKind {
  const bare = type.replace(/\([a-z][^)]*\)/g, '').replace(/\?$/, '')
  if (bare === 'Tensor') return 'tensor'
  if (/^(Tensor\??\[\d*\]|List\[(Optional\[)?Tensor\]?\])$/.test(bare)) return 'tensors'
  if (bare === 'bool') return 'bool'
  if (bare === 'int' || bare === 'SymInt') return 'int'
  if (bare === 'float') return 'float'
  if (bare === 'Scalar' || bare === 'number') return 'scalar'
  if (bare === 'str') return 'text'
  return 'json'
}

export function isOptional(argument: OperatorArgument): boolean {
  return argument.type.endsWith('?') || argument.type.startsWith('Optional[')
}

/** What an empty field stands for; "" when a value has to be given. */
export function emptyMeaning(argument: OperatorArgument): string {
  if (argument.default !== undefined) return `${argument.default} (default)`
  return isOptional(argument) ? 'None' : ''
}

/** An argument of opsmith.json as the text of its field. */
export function argumentText(value: Argument | undefined): string {
  if (value === undefined) return ''
  if (value === null) return 'None'
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')) {
    return value.join(', ')
  }
  return JSON.stringify(value)
}

export type ParsedArguments =
  | { ok: true; args: Argument[] }
  | { ok: false; problems: Record<string, string> }

/**
 * The fields' texts as the arguments of a call. Arguments are positional, so a default that is
 * followed by a given value is written out; trailing defaults are left to the operator.
 */
export function parseArguments(
  signature: OperatorArgument[],
  texts: Record<string, string>,
  inputs: Record<string, InputSpec>,
): ParsedArguments {
  const problems: Record<string, string> = {}
  const given = signature.map((argument) => (texts[argument.name] ?? '').trim() !== '')
  const needed = Math.max(
    given.lastIndexOf(true) + 1,
    signature.filter((argument) => argument.default === undefined).length === 0
      ? 0
      : lastRequired(signature) + 1,
  )
  const args: Argument[] = []
  for (const argument of signature.slice(0, needed)) {
    const text = (texts[argument.name] ?? '').trim()
    const parsed = parseOne(argument, text, inputs)
    if ('problem' in parsed) problems[argument.name] = parsed.problem
    else args.push(parsed.value)
  }
  return Object.keys(problems).length > 0 ? { ok: false, problems } : { ok: true, args }
}

function lastRequired(signature: OperatorArgument[]): number {
  return signature.map((argument) => argument.default === undefined).lastIndexOf(true)
}

type Parsed = { value: Argument } | { problem: string }

function parseOne(
  argument: OperatorArgument,
  text: string,
  inputs: Record<string, InputSpec>,
): Parsed {
  if (text === '') {
    if (argument.default !== undefined) return { value: parseLoosely(argument.default) }
    if (isOptional(argument)) return { value: null }
    return { problem: kindOf(argument.type) === 'tensor' ? 'choose an input' : 'needs a value' }
  }
  if (text === 'None') {
    return isOptional(argument) ? { value: null } : { problem: `${argument.type} can't be None` }
  }
  switch (kindOf(argument.type)) {
    case 'tensor':
      return text in inputs ? { value: text } : { problem: `there is no input "${text}"` }
    case 'tensors':
      return parseTensors(text, inputs)
    case 'bool':
      if (/^(true|false)$/i.test(text)) return { value: text.toLowerCase() === 'true' }
      return { problem: 'must be true or false' }
    case 'int':
      return /^[+-]?\d+$/.test(text) ? { value: Number(text) } : { problem: 'must be an integer' }
    case 'float':
      return parseNumber(text)
    case 'scalar':
      if (/^(true|false)$/i.test(text)) return { value: text.toLowerCase() === 'true' }
      return parseNumber(text)
    case 'text':
      return { value: /^".*"$/.test(text) ? String(parseLoosely(text)) : text }
    case 'json':
      return { value: parseLoosely(text) }
  }
}

function parseTensors(text: string, inputs: Record<string, InputSpec>): Parsed {
  const names = splitTop(text.replace(/^\[|\]$/g, ''))
  const missing = names.find((name) => !(name in inputs) && name !== 'None')
  if (missing !== undefined) return { problem: `there is no input "${missing}"` }
  return { value: names.map((name) => (name === 'None' ? null : name)) }
}

function parseNumber(text: string): Parsed {
  // JSON has no infinities: they travel as the words that opsmith.json uses.
  if (/^(nan|-?inf)$/i.test(text)) return { value: text.toLowerCase() }
  const value = Number(text)
  return Number.isNaN(value) ? { problem: 'must be a number' } : { value }
}

/** JSON where it is JSON, Python's words for it where they differ, else the text itself. */
function parseLoosely(text: string): Argument {
  const json = text
    .replace(/\bNone\b/g, 'null')
    .replace(/\bTrue\b/g, 'true')
    .replace(/\bFalse\b/g, 'false')
    .replace(/(\d)\.(?=\D|$)/g, '$1.0')
  try {
    return JSON.parse(json) as Argument
  } catch {
    return text
  }
}
