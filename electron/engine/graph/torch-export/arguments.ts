import type { z } from 'zod'

import { fail } from '../../../contract/outcome'
import { argumentShapes, exportHint } from './shapes'
import type { ExportedGraph } from './shapes'
import { deviceText, layoutName, memoryFormatName, scalarTypeName } from './values'

/** A constant as an attribute shows it; `use` stands for a value among constants: [%n, -1]. */
export type ConstantValue = string | number | boolean | null | { use: string } | ConstantValue[]

/** What one argument of a node, or one input or output, says. */
export interface ArgumentReading {
  /** Values it names, in order; the type where it is no tensor. */
  values: { name: string; type?: string | undefined }[]
  constant?: { value: ConstantValue; type: string }
  /** Of a higher-order operator. */
  subgraph?: { name: string; graph: ExportedGraph }
  /** Arguments by key: those of a dictionary. */
  named: Record<string, ArgumentReading>
}

type Read = (value: unknown, where: string) => Partial<ArgumentReading>

function parse<S extends z.ZodType>(shape: S, value: unknown, where: string): z.output<S> {
  const parsed = shape.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const inside = (issue?.path ?? []).map((key) => `.${String(key)}`).join('')
  return fail(
    'input.invalid',
    `Opsmith cannot read ${where}${inside} of the exported program: ${issue?.message ?? 'the value is not valid'}`,
    { hint: exportHint },
  )
}

function unexpected(where: string, expected: string): never {
  return fail('input.invalid', `${where}: expected ${expected}.`, { hint: exportHint })
}

/** Numbers, texts and lists of them, as they are. Floats that JSON cannot write are "Infinity", "NaN". */
function plain(value: unknown, where: string): ConstantValue {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) {
    return value as ConstantValue
  }
  if (Array.isArray(value)) return value.map((item, index) => plain(item, `${where}[${index}]`))
  return unexpected(where, 'a number, a string or a list of these')
}

const constantOf =
  (type: string): Read =>
  (value, where) => ({ constant: { value: plain(value, where), type } })

const valueOf =
  (type: string | undefined): Read =>
  (value, where) => ({ values: [{ name: parse(argumentShapes.named, value, where).name, type }] })

const numbered =
  (name: (number: number) => string): Read =>
  (value, where) => {
    if (typeof value !== 'number') return unexpected(where, 'a number')
    return { constant: { value: name(value), type: 'int' } }
  }

/** A symbolic number: a value by its name, or a number. */
const symbol =
  (type: string): Read =>
  (value, where) => {
    const read = parse(argumentShapes.symbol, value, where)
    if (typeof read.as_name === 'string') return { values: [{ name: read.as_name, type }] }
    const known = Object.entries(read).find(([key, item]) => key !== 'as_name' && item !== null)
    return { constant: { value: plain(known?.[1] ?? null, where), type } }
  }

/** A list in which values and constants may stand together. */
const listOf =
  (one: Read, type: string): Read =>
  (value, where) => {
    if (!Array.isArray(value)) return unexpected(where, 'a list')
    const items = value.map((item: unknown, index) => one(item, `${where}[${index}]`))
    const values = items.flatMap((item) => item.values ?? [])
    if (values.length === items.length && items.length > 0) return { values }
    const list = items.map((item): ConstantValue => {
      const [first] = item.values ?? []
      return first ? { use: first.name } : (item.constant?.value ?? null)
    })
    return { values, constant: { value: list, type } }
  }

const tensors = listOf(valueOf(undefined), 'Tensor[]')
const optionalTensor: Read = (value, where) => {
  const read = parse(argumentShapes.optionalTensor, value, where)
  return read.as_tensor
    ? { values: [{ name: read.as_tensor.name }] }
    : { constant: { value: null, type: 'NoneType' } }
}

const readers: Record<string, Read> = {
  as_none: () => ({ constant: { value: null, type: 'NoneType' } }),
  as_tensor: valueOf(undefined),
  as_tensors: tensors,
  as_int: constantOf('int'),
  as_ints: constantOf('int[]'),
  as_float: constantOf('float'),
  as_floats: constantOf('float[]'),
  as_string: constantOf('str'),
  as_strings: constantOf('str[]'),
  as_bool: constantOf('bool'),
  as_bools: constantOf('bool[]'),
  as_int_lists: constantOf('int[][]'),
  as_float_lists: constantOf('float[][]'),
  as_operator: constantOf('str'),
  as_sym_int: symbol('int'),
  as_sym_ints: listOf(symbol('int'), 'int[]'),
  as_sym_float: symbol('float'),
  as_sym_floats: listOf(symbol('float'), 'float[]'),
  as_sym_bool: symbol('bool'),
  as_sym_bools: listOf(symbol('bool'), 'bool[]'),
  as_optional_tensor: optionalTensor,
  as_optional_tensors: listOf(optionalTensor, 'Tensor?[]'),
  as_nested_tensors: listOf((value, where) => tensors(value, where), 'Tensor[][]'),
  as_scalar_type: numbered(scalarTypeName),
  as_layout: numbered(layoutName),
  as_memory_format: numbered(memoryFormatName),
  as_device: (value, where) => ({
    constant: { value: deviceText(parse(argumentShapes.device, value, where)), type: 'Device' },
  }),
  as_complex: (value, where) => {
    const { real, imag } = parse(argumentShapes.complex, value, where)
    return { constant: { value: `${real}${imag < 0 ? '' : '+'}${imag}j`, type: 'complex' } }
  },
  as_custom_obj: (value, where) => {
    const { name, class_fqn } = parse(argumentShapes.customObject, value, where)
    return { values: [{ name, type: class_fqn }] }
  },
  as_token: valueOf('Token'),
  as_graph: (value, where) => ({ subgraph: parse(argumentShapes.subgraph, value, where) }),
  as_string_to_argument: (value, where) => {
    const entries = Object.entries(parse(argumentShapes.dictionary, value, where))
    return {
      named: Object.fromEntries(
        entries.map(([key, item]) => [key, readArgument(item, `${where}.${key}`)]),
      ),
    }
  },
}

/**
 * Reads one of torch.export's argument unions: {"as_tensor": {"name": "x"}}. A kind of argument that
 * a later PyTorch added is shown as its JSON.
 */
export function readArgument(union: Record<string, unknown>, where: string): ArgumentReading {
  // Writers differ in whether the unused alternatives are left out or null.
  const [kind, value] =
    Object.entries(union).find(([, item]) => item !== null && item !== undefined) ?? []
  if (kind === undefined) return { values: [], named: {} }
  const reader = readers[kind]
  const read: Partial<ArgumentReading> = reader
    ? reader(value, `${where}.${kind}`)
    : { constant: { value: JSON.stringify(value), type: kind } }
  return { values: [], named: {}, ...read }
}
