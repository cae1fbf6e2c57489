import fs from 'node:fs/promises'
import path from 'node:path'

import type { WorkbenchError } from '../../contract/outcome'
import { registrationLine } from '../project/scan-source'

interface Meaning {
  message: string
  hint: string
  /** As libtorch names it: relative to the project, and the line of the block. */
  place: { file: string; line: number } | undefined
  /** The operator's name without its namespace. */
  operator: string
}

const places = (text: string): { file: string; line: number }[] =>
  [...text.matchAll(/registered at (\S+?):(\d+)/g)].map((match) => ({
    file: match[1] ?? '',
    line: Number(match[2]),
  }))

const lastName = (operator: string): string => operator.split('::').at(-1) ?? operator

/** A schema's word for a C++ type is not always that type's own. */
function typeHint(expected: string, given: string): string {
  if (expected === 'double' || expected === 'int64_t') {
    return `A schema has its own type names: write ${expected === 'double' ? 'float for a C++ double' : 'int for an int64_t'}.`
  }
  return `Change the type in the schema or in C++. The C++ type ${cppName(expected)} is ${expected} in a schema, and ${cppName(given)} is ${given}.`
}

function cppName(type: string): string {
  const names: Record<string, string> = {
    int: 'int64_t',
    float: 'double',
    bool: 'bool',
    str: 'std::string',
    Tensor: 'at::Tensor',
    Scalar: 'at::Scalar',
    'int[]': 'at::IntArrayRef',
    'Tensor[]': 'at::TensorList',
    'float[]': 'at::ArrayRef<double>',
    SymInt: 'c10::SymInt',
    Device: 'at::Device',
  }
  if (type.endsWith('?')) return `std::optional<${cppName(type.slice(0, -1))}>`
  return names[type] ?? type
}

function mismatch(text: string): Meaning | undefined {
  if (!text.includes("doesn't match the expected function schema")) return undefined
  const operator = /operator: (\S+)/.exec(text)?.[1] ?? ''
  const reason = /reason: ([\s\S]*)$/.exec(text)?.[1]?.trim() ?? ''
  const found = places(text)
  const base = { place: found[0], operator: lastName(operator) }
  const counts = /number of (arguments|returns) is different\. (\d+) vs (\d+)/.exec(reason)
  if (counts) {
    const what = counts[1] === 'returns' ? 'results' : 'arguments'
    const inSchema = counts[2] === '1' ? `1 ${what.slice(0, -1)}` : `${counts[2] ?? ''} ${what}`
    return {
      ...base,
      message: `The schema of ${operator} has ${inSchema}, but its C++ function has ${counts[3] ?? ''}.`,
      hint: `Give the schema and the function the same ${what}, in the same order. Or leave out the schema: libtorch then derives a schema from the function.`,
    }
  }
  const types = /Type mismatch in (argument|return) (\d+): (.+?) vs (.+?)\.?$/.exec(reason)
  if (types) {
    const [, kind = '', number = '', expected = '', given = ''] = types
    const what = kind === 'return' ? 'Result' : 'Argument'
    return {
      ...base,
      message: `${what} ${number} of ${operator} is ${expected} in the schema, but ${given} (${cppName(given)}) in the C++ function.`,
      hint: typeHint(expected, given),
    }
  }
  return {
    ...base,
    message: `The schema of ${operator} and its C++ function do not match: ${reason}`,
    hint: 'The dispatcher passes the arguments of the schema to the function: both must have the same types in the same order.',
  }
}

function signatures(text: string): Meaning | undefined {
  if (!text.includes('Mismatch in kernel C++ signatures')) return undefined
  const operator = /operator: (\S+)/.exec(text)?.[1] ?? ''
  const kernels = [...text.matchAll(/kernel \d: (.+)\n\s*dispatch key: (.+)/g)].map(
    (match) => `${match[2] ?? ''} has ${match[1] ?? ''}`,
  )
  return {
    place: places(text).at(-1),
    operator: lastName(operator),
    message: `The kernels of ${operator} have different C++ signatures: ${kernels.join(', ')}.`,
    hint: 'All kernels of an operator must have the C++ signature that matches its schema.',
  }
}

function twice(text: string): Meaning | undefined {
  const operator = /Tried to register an operator \(([^(]+)\(/.exec(text)?.[1]
  if (operator === undefined) return undefined
  const [again, first] = places(text)
  return {
    place: again,
    operator: lastName(operator),
    message: `${operator} is defined twice; the first time at ${first?.file ?? ''}:${first?.line ?? 0}.`,
    hint: 'Define the operator once, and register its kernels with m.impl. Overloads need different names: name.overload(...).',
  }
}

function libraryTwice(text: string): Meaning | undefined {
  const namespace = /Only a single TORCH_LIBRARY can be used to register the namespace (\w+)/.exec(
    text,
  )?.[1]
  if (namespace === undefined) return undefined
  const [first, again] = places(text)
  return {
    place: again,
    operator: '',
    message: `${namespace} has two TORCH_LIBRARY blocks; the other is at ${first?.file ?? ''}:${first?.line ?? 0}.`,
    hint: `Put all definitions into one block, or change this block to TORCH_LIBRARY_FRAGMENT(${namespace}, m).`,
  }
}

/** libtorch's parser calls a name "ident", an arrow "arrow", and the end of the schema "eof". */
function whyNoSchema(schema: string, part: string, next: string): string {
  if (part === 'eof') return `This schema goes on after its results: "${schema}".`
  if (part === 'a valid token') return `A schema cannot contain "${next}": "${schema}".`
  const words: Record<string, string> = { ident: 'a name', arrow: '"->"', eof: 'the end' }
  const before = words[next] ?? `"${next}"`
  const parts: Record<string, string> = {
    arrow: '-> with its results',
    ident: `name before ${before}`,
    ')': `"," or ")" before ${before}`,
  }
  return `This schema is not complete: "${schema}" has no ${parts[part] ?? part}.`
}

function badSchema(text: string): Meaning | undefined {
  const found = /expected (.+?) but found '?(.+?)'? here:\n([\s\S]*)$/.exec(text)
  const unknown = /[Uu]nknown type specifier:?\s*([\s\S]*)$/.exec(text)
  if (!found && !unknown) return undefined
  const schema = (found?.[3] ?? unknown?.[1] ?? '').split('\n')[0]?.trim() ?? ''
  return {
    place: undefined,
    operator: /^(?:\w+::)?(\w+)/.exec(schema)?.[1] ?? '',
    message: found
      ? whyNoSchema(schema, found[1] ?? '', found[2] ?? '')
      : `The schema "${schema}" names a type that libtorch does not know.`,
    hint: 'Write a schema like this: name(Tensor x, float factor, int[] sizes) -> Tensor. If there are several results, write -> (Tensor, Tensor). If there are none, write -> ().',
  }
}

/**
 * What libtorch's dispatcher says of a library that it will not load, in plain words and at the
 * operator's own line; its own text stays as `detail`. What is not known comes back as it was.
 */
export async function explainLoadError(
  error: WorkbenchError,
  folder: string,
): Promise<WorkbenchError> {
  const text = error.message
  const meaning =
    mismatch(text) ?? signatures(text) ?? twice(text) ?? libraryTwice(text) ?? badSchema(text)
  if (!meaning) return error
  const frame = error.exit?.stack.find((one) => one.isUser && one.file !== undefined)
  const place =
    meaning.place ?? (frame?.file ? { file: frame.file, line: frame.line ?? 0 } : undefined)
  const told = { ...error, message: meaning.message, hint: meaning.hint, detail: text }
  if (!place) return told
  const file = path.resolve(folder, place.file)
  const source = await fs.readFile(file, 'utf8').catch(() => '')
  const line =
    source === '' || meaning.operator === ''
      ? place.line
      : registrationLine(source, place.line, meaning.operator)
  return { ...told, file, line }
}
