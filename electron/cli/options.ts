import { argument } from '../contract/manifest'
import type { Argument } from '../contract/manifest'
import { err, ok } from '../contract/outcome'
import type { Result } from '../contract/outcome'

/** What the command line's parser hands over: texts, a flag, or nothing. */
export type GivenValue = string | string[] | boolean | undefined

/** One option of a verb: how it is written, what it means, and how its text becomes a value. */
export interface Option<Value> {
  /** The value as usage shows it: "<file>", "[file]" where it may be left out, "<names...>"; "" for a flag. */
  placeholder: string
  /** One line for --help and the reference page. */
  description: string
  /** The default as people read it: "1e-6"; "" where there is none to name. */
  defaultText: string
  /** It is written --no-NAME, and switches something off. */
  isNegated: boolean
  /** It may be given several times; the values form one list. */
  isRepeated: boolean
  /** An error names the option and the values that it takes. */
  read: (given: GivenValue, flag: string) => Result<Value>
}

/** The options of a verb. `timeTrace` is written --time-trace. */
export type OptionTable = Record<string, Option<unknown>>

/** The parsed options of a verb, as its declaration says. */
export type OptionValues<Table extends OptionTable> = {
  [Name in keyof Table]: Table[Name] extends Option<infer Value> ? Value : never
}

/** "timeTrace" → "--time-trace", or "--no-time-trace". */
export function flagOf(name: string, { isNegated }: Pick<Option<unknown>, 'isNegated'>): string {
  const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return isNegated ? `--no-${words}` : `--${words}`
}

/** The description with the default, as --help and the reference page show it. */
export function describeOption({ description, defaultText }: Option<unknown>): string {
  return defaultText === '' ? description : `${description} (default: ${defaultText})`
}

/** Turns texts into values, option by option; the first wrong value is the error. */
export function readOptions<Table extends OptionTable>(
  table: Table,
  given: Readonly<Record<string, GivenValue>>,
): Result<OptionValues<Table>> {
  const values: Record<string, unknown> = {}
  for (const [name, option] of Object.entries(table)) {
    const value = option.read(given[name], flagOf(name, option))
    if (!value.ok) return value
    values[name] = value.value
  }
  return ok(values as OptionValues<Table>)
}

/** Of all verbs: it is not for the verb, but says where the verb runs. */
export const targetOption = {
  flag: '--on',
  placeholder: '<target>',
  description:
    'run the command with the Opsmith of another machine: the name of a target in the settings, or ssh:HOST',
} as const

/** With `--on`. */
export const copyOption = {
  flag: '--copy',
  description:
    'with --on: if the machine does not have this version of Opsmith, copy Opsmith to your cache folder there and set it up first',
} as const

const plain = { defaultText: '', isNegated: false, isRepeated: false }

const textOf = (given: GivenValue): string | undefined =>
  typeof given === 'string' ? given : undefined

/** `N 1,2 4` as one list of words. */
export const wordsOf = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => text.split(',')).map((word) => word.trim())

export function flag(description: string): Option<boolean> {
  return { ...plain, placeholder: '', description, read: (given) => ok(given === true) }
}

/** `--no-backward`: the value is true unless the option is given. */
export function switchOff(description: string): Option<boolean> {
  return {
    ...plain,
    placeholder: '',
    description,
    isNegated: true,
    read: (given) => ok(given !== false),
  }
}

/** A text, for example a name or a file; undefined where it is not given. */
export function text(placeholder: string, description: string): Option<string | undefined> {
  return { ...plain, placeholder, description, read: (given) => ok(textOf(given)) }
}

/** A text that may be left out: `--time-trace` is true, `--time-trace FILE` the file. */
export function optionalText(
  placeholder: string,
  description: string,
): Option<string | true | undefined> {
  return {
    ...plain,
    placeholder,
    description,
    read: (given) => ok(given === true ? true : textOf(given)),
  }
}

/** One or more texts: `--build last main`. */
export function texts(placeholder: string, description: string): Option<string[] | undefined> {
  return {
    ...plain,
    placeholder,
    description,
    read: (given) => ok(Array.isArray(given) ? given : undefined),
  }
}

/** Texts that may be left out: `--keep` is true, `--keep A B` the two. */
export function optionalTexts(
  placeholder: string,
  description: string,
): Option<string[] | true | undefined> {
  return {
    ...plain,
    placeholder,
    description,
    read: (given) => ok(given === true || Array.isArray(given) ? given : undefined),
  }
}

/** What a number may be. */
export interface NumberLimits {
  least: number
  /** `least` itself does not fit. */
  isAbove?: boolean
  isWhole?: boolean
  most?: number
}

function numberOf(given: string, flagText: string, limits: NumberLimits): Result<number> {
  const { least, isAbove = false, isWhole = false, most = Infinity } = limits
  const value = given.trim() === '' ? NaN : Number(given)
  const what = isWhole ? 'an integer' : 'a number'
  const fits =
    Number.isFinite(value) &&
    (isAbove ? value > least : value >= least) &&
    (!isWhole || Number.isInteger(value))
  if (!fits) {
    const bound = isAbove ? `above ${least}` : `of at least ${least}`
    return err('request.invalid', `${flagText} must be ${what} ${bound}, not "${given}".`)
  }
  return value <= most
    ? ok(value)
    : err('request.invalid', `${flagText} must be ${what} up to ${most}, not "${given}".`)
}

/** @param defaultText what happens without the option, for people: `read` gives undefined then */
export function number(
  placeholder: string,
  description: string,
  limits: NumberLimits,
  defaultText = '',
): Option<number | undefined> {
  return {
    ...plain,
    placeholder,
    description,
    defaultText,
    read: (given, flagText) => {
      const value = textOf(given)
      return value === undefined ? ok(undefined) : numberOf(value, flagText, limits)
    },
  }
}

/** Several numbers: `--threads 1 2 4` or `--threads 1,2,4`. */
export function numbers(
  placeholder: string,
  description: string,
  limits: NumberLimits,
  defaultText = '',
): Option<number[] | undefined> {
  return {
    ...plain,
    placeholder,
    description,
    defaultText,
    read: (given, flagText) => {
      if (!Array.isArray(given)) return ok(undefined)
      const values: number[] = []
      for (const word of wordsOf(given)) {
        const value = numberOf(word, flagText, limits)
        if (!value.ok) return value
        values.push(value.value)
      }
      return ok(values)
    },
  }
}

/** Some of a fixed set of names, in the order of the set. */
export function names<Name extends string>(
  placeholder: string,
  description: string,
  known: readonly Name[],
): Option<Name[] | undefined> {
  return {
    ...plain,
    placeholder,
    description,
    read: (given, flagText) => {
      if (!Array.isArray(given)) return ok(undefined)
      const words = wordsOf(given)
      const unknown = words.find((word) => !known.some((one) => one === word))
      return unknown === undefined
        ? ok(known.filter((one) => words.includes(one)))
        : err('request.invalid', `"${unknown}" is not a possible value of ${flagText}.`, {
            hint: `Choose from ${known.join(', ')}.`,
          })
    },
  }
}

/** Texts of a form of their own: `read` gets each of them. */
export function parsed<Value>(
  placeholder: string,
  description: string,
  read: (given: string, flagText: string) => Result<Value>,
): Option<Value | undefined> {
  return {
    ...plain,
    placeholder,
    description,
    read: (given, flagText) => {
      const value = textOf(given)
      return value === undefined ? ok(undefined) : read(value, flagText)
    },
  }
}

/** The same of several texts; `isRepeated` where each follows the option again. */
export function parsedList<Value>(
  placeholder: string,
  description: string,
  read: (given: string, flagText: string) => Result<Value>,
  { isRepeated = false, defaultText = '' } = {},
): Option<Value[] | undefined> {
  return {
    ...plain,
    placeholder,
    description,
    defaultText,
    isRepeated,
    read: (given, flagText) => {
      if (!Array.isArray(given)) return ok(undefined)
      const values: Value[] = []
      for (const one of given) {
        const value = read(one, flagText)
        if (!value.ok) return value
        values.push(value.value)
      }
      return ok(values)
    },
  }
}

const argumentList = argument.array()

/** The arguments of a call, as in opsmith.json. */
export function callArguments(description: string): Option<Argument[] | undefined> {
  return parsed('<json>', description, (given, flagText) => {
    let list: ReturnType<typeof argumentList.safeParse> | undefined
    try {
      list = argumentList.safeParse(JSON.parse(given))
    } catch {
      // No JSON, or JSON that is nested too deeply to be read.
      list = undefined
    }
    return list?.success
      ? ok(list.data)
      : err(
          'request.invalid',
          `${flagText} must be a JSON list of input names, numbers, strings and lists.`,
          { hint: `Example: ${flagText} '["x", "y", 2]'.` },
        )
  })
}

/** What most verbs have. */
export const jsonFlag = flag('print the result as JSON to stdout; progress goes to stderr')
