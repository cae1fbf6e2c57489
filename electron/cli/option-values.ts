import { argument } from '../contract/manifest'
import type { Argument } from '../contract/manifest'
import { err, ok } from '../contract/outcome'
import type { Result } from '../contract/outcome'

/** A number from `least` on; "above" excludes it. */
export function numberOf(
  option: string,
  text: string,
  least: number,
  kind: 'from' | 'above' | 'whole',
): Result<number> {
  const value = text.trim() === '' ? NaN : Number(text)
  const fits =
    Number.isFinite(value) &&
    (kind === 'above' ? value > least : value >= least) &&
    (kind !== 'whole' || Number.isInteger(value))
  if (fits) return ok(value)
  const what = kind === 'whole' ? 'a whole number' : 'a number'
  const bound = kind === 'above' ? `above ${least}` : `from ${least} on`
  return err('request.invalid', `--${option} takes ${what} ${bound}, not "${text}".`)
}

/** What --args gives, as in opsmith.json. */
export function argumentsOf(text: string): Result<Argument[]> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  const parsed = argument.array().safeParse(value)
  return parsed.success
    ? ok(parsed.data)
    : err('request.invalid', '--args takes a JSON list: names of inputs, numbers, texts, lists.', {
        hint: `For example --args '["x", "y", 2]'.`,
      })
}
