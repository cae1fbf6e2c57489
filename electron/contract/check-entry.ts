import { z } from 'zod'

import { argument, inputName, inputSpec } from './manifest-values'
import type { Argument } from './manifest-values'
import { operatorCheckName } from './operator-check-names'
import { dtype } from './tensor'

/** More elements along one dimension than any check is meant for. */
const largestSize = 1_000_000

const size = z.int().min(0).max(largestSize)
const wholeNumber = z.int()

const sizeRange = z.strictObject({ min: size, max: size })
const integerRange = z.strictObject({ min: wholeNumber, max: wholeNumber })
const floatRange = z.strictObject({ min: z.number(), max: z.number() })
export type NumberRange = z.infer<typeof floatRange>

/** An input of a check: its shape may name sizes, as in `["B", "N", 3]`. */
export const checkInput = inputSpec.extend({
  shape: z
    .array(
      z.union([z.int().nonnegative(), inputName], {
        error: 'expected a size, or the name of one of the check’s `sizes`',
      }),
    )
    .optional(),
})
export type CheckInput = z.infer<typeof checkInput>

/** Strings among arguments, in lists too: those that may name inputs, sizes and numbers. */
function namesAmong(args: readonly Argument[]): string[] {
  return args.flatMap((value) =>
    Array.isArray(value) ? namesAmong(value) : typeof value === 'string' ? [value] : [],
  )
}

const rangeKinds = ['sizes', 'integers', 'floats'] as const

/** The operator checks of one operator, libtorch's included, or of a function of the program. */
export const checkEntry = z
  .strictObject({
    /** For people; by default the call itself. */
    name: z.string().optional(),
    op: z.string().min(1),
    /** Without arguments and inputs, they are made from the schema. */
    args: z.array(argument).default([]),
    /** Inputs that replace those of the same name. */
    inputs: z.record(inputName, checkInput).optional(),
    /** Sizes that shapes and arguments name: one number wherever the name stands. */
    sizes: z.record(inputName, sizeRange).optional(),
    /** Whole numbers that arguments name. */
    integers: z.record(inputName, integerRange).optional(),
    floats: z.record(inputName, floatRange).optional(),
    /** The dtypes of every floating or complex input, one after the other, instead of its own. */
    dtypes: z.array(dtype).min(1).optional(),
    /** Only these. */
    checks: z.array(operatorCheckName).min(1).optional(),
    /** Checks that do not apply here, each with the reason. */
    skip: z.partialRecord(operatorCheckName, z.string().min(1)).optional(),
    /** How many other calls are tried: other shapes, and other values of what has a range. */
    shapes: z.int().min(0).max(1000).optional(),
    /** The seed of the other calls. */
    seed: z.int().nonnegative().optional(),
    /** Seconds after which the checks are ended. */
    timeout: z.number().positive().optional(),
    expect: z.enum(['passed', 'failed']).optional(),
  })
  .superRefine((entry, context) => {
    const say = (path: (string | number)[], message: string): void => {
      context.addIssue({ code: 'custom', path, message })
    }
    const inputs = Object.entries(entry.inputs ?? {})
    const named = new Set(namesAmong(entry.args))
    const owner = new Map<string, string>(inputs.map(([name]) => [name, 'inputs']))
    for (const kind of rangeKinds) {
      for (const [name, range] of Object.entries(entry[kind] ?? {})) {
        if (range.max < range.min) say([kind, name, 'max'], `${range.max} is less than min`)
        const other = owner.get(name)
        if (other !== undefined) say([kind, name], `"${name}" is already a name in \`${other}\``)
        owner.set(name, kind)
        const inShape =
          kind === 'sizes' && inputs.some(([, input]) => input.shape?.includes(name) === true)
        if (named.has(name) || inShape) continue
        say(
          [kind, name],
          kind === 'sizes'
            ? `the size "${name}" is not used: no shape in \`inputs\` and no argument refers to this size`
            : `"${name}" is not used: no argument refers to this name`,
        )
      }
    }
    for (const [input, { shape, values }] of inputs) {
      if (shape?.some((one) => typeof one === 'string') !== true) continue
      if (values !== undefined)
        say(
          ['inputs', input, 'shape'],
          'an input with `values` has a fixed shape: leave out `shape`, or write numbers instead of names of sizes',
        )
      for (const [dim, one] of shape.entries()) {
        if (typeof one !== 'string' || entry.sizes?.[one] !== undefined) continue
        say(
          ['inputs', input, 'shape', dim],
          `there is no size "${one}": give the range of the size, for example "sizes": { "${one}": { "min": 1, "max": 8 } }`,
        )
      }
    }
  })
export type CheckEntry = z.infer<typeof checkEntry>
