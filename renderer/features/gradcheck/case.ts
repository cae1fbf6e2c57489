import { gradcheckOptions } from '../../../electron/contract/gradcheck'
import type { GradcheckOptions, GradcheckRequest } from '../../../electron/contract/gradcheck'
import type { GradcheckEntry, InputSpec } from '../../../electron/contract/manifest'
import { ok, type Result } from '../../../electron/contract/outcome'
import type { Dtype } from '../../../electron/contract/tensor'
import { argumentListText, parseArgumentList } from '../../store/argument-list'

/** A gradcheck as its fields say it. */
export type GradcheckDraft = {
  /** An operator, libtorch's included, or a function of the program; "" until one is chosen. */
  op: string
  /** "x, [y, None], 2": names of inputs and literals. */
  argsText: string
  /** Whole inputs in place of the project's of the same name. */
  inputs: Record<string, InputSpec>
  secondOrder: boolean
  dtype: Dtype | null
  options: GradcheckOptions
  /** Seconds; 0 takes the settings'. */
  timeout: number
}

export type GradcheckCase = Omit<GradcheckRequest, 'program' | 'keepJacobians'>

const optionNames = Object.keys(gradcheckOptions.shape) as (keyof GradcheckOptions)[]

export const defaultOptions: GradcheckOptions = gradcheckOptions.parse({})

export function emptyDraft(op = '', argsText = ''): GradcheckDraft {
  return {
    op,
    argsText,
    inputs: {},
    secondOrder: false,
    dtype: null,
    options: defaultOptions,
    timeout: 0,
  }
}

/** The fields as an entry of opsmith.json fills them. */
export function draftOf(
  entry: GradcheckEntry,
  inputs: Readonly<Record<string, InputSpec>>,
): GradcheckDraft {
  const given = optionNames.flatMap((name) =>
    entry[name] === undefined ? [] : [[name, entry[name]]],
  )
  const all = { ...inputs, ...entry.inputs }
  return {
    op: entry.op,
    argsText: argumentListText(entry.args, all),
    inputs: entry.inputs ?? {},
    secondOrder: entry.second_order ?? false,
    dtype: entry.dtype ?? null,
    options: gradcheckOptions.parse(Object.fromEntries(given)),
    timeout: entry.timeout ?? 0,
  }
}

/** The fields as what main is asked; an error names the argument that does not read. */
export function caseOf(
  draft: GradcheckDraft,
  inputs: Readonly<Record<string, InputSpec>>,
): Result<GradcheckCase> {
  const all = { ...inputs, ...draft.inputs }
  const args = parseArgumentList(draft.argsText, all)
  if (!args.ok) return args
  return ok({
    op: draft.op,
    args: args.value,
    inputs: all,
    secondOrder: draft.secondOrder,
    ...(draft.dtype === null ? {} : { dtype: draft.dtype }),
    options: draft.options,
  })
}

/** A step or tolerance as people write it: 1e-6, not 0.000001. */
export function powerText(value: number): string {
  return value === 0 ? '0' : value.toExponential()
}

/** The name that opsmith.json gives, else the call, and beside it what differs from torch's defaults. */
export function namesOf(
  entry: GradcheckEntry,
  inputs: Readonly<Record<string, InputSpec>>,
): { title: string; particular: string } {
  const particular: string[] = []
  if (entry.second_order === true) particular.push('second order')
  if (entry.dtype !== undefined) particular.push(entry.dtype)
  for (const name of optionNames) {
    const value = entry[name]
    if (value === undefined || value === defaultOptions[name]) continue
    particular.push(
      typeof value === 'number' ? `${name} ${powerText(value)}` : `${value ? '' : 'no '}${name}`,
    )
  }
  const all = { ...inputs, ...entry.inputs }
  const call = `${entry.op}(${argumentListText(entry.args, all)})`
  return { title: entry.name ?? call, particular: particular.join(', ') }
}
