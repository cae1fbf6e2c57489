import { z } from 'zod'

import { distribution, nestedNumbers } from './manifest-values'
import { deviceName, dtype } from './tensor'

/** An input as opsmith.json writes it: small ones and indices with their values, others by their distribution. */
const recordedTensor = z.strictObject({
  shape: z.array(z.int().nonnegative()),
  dtype,
  device: deviceName.optional(),
  requires_grad: z.boolean().optional(),
  distribution: distribution.optional(),
  low: z.number().optional(),
  high: z.number().optional(),
  mean: z.number().optional(),
  std: z.number().optional(),
  values: nestedNumbers.optional(),
})
export type RecordedTensor = z.infer<typeof recordedTensor>

export type RecordedValue =
  | { tensor: RecordedTensor }
  | { value: string | number | boolean | null }
  | { list: RecordedValue[] }

const recordedValue: z.ZodType<RecordedValue> = z.lazy(() =>
  z.union([
    z.object({ tensor: recordedTensor }),
    z.object({ value: z.union([z.string(), z.number(), z.boolean(), z.null()]) }),
    z.object({ list: z.array(recordedValue) }),
  ]),
)

/** A call that a test made of an operator of the project. */
export const recordedCall = z.object({
  /** `namespace::name` or `namespace::name.overload`. */
  op: z.string().min(1),
  /** In the order of the schema; [] where `why` is not "". */
  arguments: z.array(z.object({ name: z.string(), given: recordedValue })),
  /** The node id of the first test that made it. */
  test: z.string(),
  /** The part that opsmith.json cannot express; "" if it can express the call. */
  why: z.string(),
})
export type RecordedCall = z.infer<typeof recordedCall>

/** Lists of opsmith.json that a recorded call can be added to. */
export const recordedCallList = z.enum(['calls', 'gradchecks', 'checks', 'benchmarks'])
export type RecordedCallList = z.infer<typeof recordedCallList>

export const keepCallsRequest = z.object({
  calls: z.array(recordedCall),
  lists: z.array(recordedCallList).min(1),
})
export type KeepCallsRequest = z.infer<typeof keepCallsRequest>

/** The result of adding calls to opsmith.json. */
export const keptCalls = z.object({
  /** Entries that were added to each list that was asked for. */
  added: z.partialRecord(recordedCallList, z.int()),
  /** Entries that opsmith.json has already. */
  there: z.int(),
  /** Calls that opsmith.json cannot hold. */
  leftOut: z.int(),
})
export type KeptCalls = z.infer<typeof keptCalls>

function valueText(given: RecordedValue): string {
  if ('list' in given) return `[${given.list.map(valueText).join(', ')}]`
  if ('value' in given) return JSON.stringify(given.value)
  const { dtype: type, shape, device = '' } = given.tensor
  return `${type}[${shape.join(', ')}]${device === '' ? '' : ` on ${device}`}`
}

/** "x float32[4, 8], idx int64[3], 2.5": the arguments of a call, tensors by dtype and shape. */
export function argumentsText({ arguments: given }: RecordedCall): string {
  return given
    .map((one) => ('tensor' in one.given ? `${one.name} ` : '') + valueText(one.given))
    .join(', ')
}

const isGradcheckable = (given: RecordedValue): boolean =>
  'list' in given
    ? given.list.some(isGradcheckable)
    : 'tensor' in given && given.tensor.requires_grad === true

/** Whether the test asked for gradients: an input requires them. */
export function requiresGrad(call: RecordedCall): boolean {
  return call.arguments.some(({ given }) => isGradcheckable(given))
}

const listNames: Record<RecordedCallList, [one: string, more: string]> = {
  calls: ['call', 'calls'],
  gradchecks: ['gradcheck', 'gradchecks'],
  checks: ['operator check', 'operator checks'],
  benchmarks: ['benchmark', 'benchmarks'],
}

/** "2 calls and 1 gradcheck were added to opsmith.json; 3 entries were already in opsmith.json." */
export function keptText({ added, there, leftOut }: KeptCalls): string {
  const parts = recordedCallList.options.flatMap((list) => {
    const count = added[list] ?? 0
    return count === 0 ? [] : [`${count} ${listNames[list][count === 1 ? 0 : 1]}`]
  })
  const last = parts.at(-1) ?? 'Nothing'
  const what = parts.length > 1 ? `${parts.slice(0, -1).join(', ')} and ${last}` : last
  const total = recordedCallList.options.reduce((sum, list) => sum + (added[list] ?? 0), 0)
  const verb = total > 1 ? 'were' : 'was'
  return [
    `${what} ${verb} added to opsmith.json`,
    ...(there === 0
      ? []
      : [`${there} ${there === 1 ? 'entry was' : 'entries were'} already in opsmith.json`]),
    ...(leftOut === 0
      ? []
      : [
          `${leftOut} ${leftOut === 1 ? 'call was' : 'calls were'} left out, because opsmith.json cannot express an argument, or because a string argument is the name of an input`,
        ]),
  ].join('; ')
}
