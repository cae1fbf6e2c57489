import type { Argument } from '../../electron/contract/manifest'
import { err, ok, type Result } from '../../electron/contract/outcome'
import { splitTop } from './schema-text'

/** The arguments of a call as one text: "x, [y, None], 2" are names of inputs and literals. */

/** The inputs that the text names, in the order in which they first appear. */
export function inputsNamed(text: string, inputs: Readonly<Record<string, unknown>>): string[] {
  const words = text.replace(/"[^"]*"/g, '').split(/[\s,[\]()]+/)
  return [...new Set(words.filter((word) => Object.hasOwn(inputs, word)))]
}

/** An error names the argument that is neither an input's name nor a literal. */
export function parseArgumentList(
  text: string,
  inputs: Readonly<Record<string, unknown>>,
): Result<Argument[]> {
  const args: Argument[] = []
  for (const part of splitTop(text.trim())) {
    const parsed = parseArgument(part, inputs)
    if (!parsed.ok) return parsed
    args.push(parsed.value)
  }
  return ok(args)
}

function parseArgument(text: string, inputs: Readonly<Record<string, unknown>>): Result<Argument> {
  if (Object.hasOwn(inputs, text)) return ok(text)
  if (/^[[(].*[\])]$/.test(text)) return parseArgumentList(text.slice(1, -1), inputs)
  if (text === 'None' || text === 'null') return ok(null)
  if (/^(true|false)$/i.test(text)) return ok(text.toLowerCase() === 'true')
  // JSON has no infinities: they travel as the words that opsmith.json uses.
  if (/^(nan|-?inf)$/i.test(text)) return ok(text.toLowerCase())
  if (/^".*"$/.test(text)) return ok(text.slice(1, -1))
  const number = Number(text)
  if (text !== '' && !Number.isNaN(number)) return ok(number)
  const known = Object.keys(inputs).slice(0, 6).join(', ')
  return err('input.invalid', `There is no input "${text}".`, {
    hint: `Arguments are names of inputs${known === '' ? '' : ` (${known})`}, literals such as 2, true, None or "text", and lists such as [2, 3].`,
  })
}

/** The text that parseArgumentList reads as these arguments. */
export function argumentListText(
  args: readonly Argument[],
  inputs: Readonly<Record<string, unknown>>,
): string {
  return args.map((value) => literalText(value, inputs)).join(', ')
}

function literalText(value: Argument, inputs: Readonly<Record<string, unknown>>): string {
  if (Array.isArray(value)) return `[${argumentListText(value, inputs)}]`
  if (value === null) return 'None'
  if (typeof value !== 'string') return String(value)
  return Object.hasOwn(inputs, value) || /^(nan|-?inf)$/.test(value) ? value : `"${value}"`
}
