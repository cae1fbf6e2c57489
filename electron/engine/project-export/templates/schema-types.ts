import type { OperatorArgument, OperatorDetail } from '../../../contract/operators'

/** A type of a schema, taken apart: "Tensor?[]" is a list of optional tensors. */
export type SchemaType =
  | { kind: 'name'; name: string }
  | { kind: 'list' | 'optional'; element: SchemaType }
  | { kind: 'tuple'; elements: SchemaType[] }
  | { kind: 'dict'; key: SchemaType; value: SchemaType }

/** Splits at commas that stand in no brackets. */
function splitTop(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? ''
    if ('([{'.includes(character)) depth += 1
    if (')]}'.includes(character)) depth -= 1
    if (character === ',' && depth === 0) {
      parts.push(text.slice(start, index))
      start = index + 1
    }
  }
  parts.push(text.slice(start))
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

/** As FunctionSchema prints types; what it cannot read is a name. */
export function parseSchemaType(text: string): SchemaType {
  // An alias says nothing about the type: Tensor(a!).
  const plain = text.trim().replace(/\((?:[a-z*]!?|\s|->|\|)+\)/g, '')
  if (plain.endsWith('?')) return { kind: 'optional', element: parseSchemaType(plain.slice(0, -1)) }
  const list = /^(.*)\[\d*\]$/.exec(plain)
  if (list?.[1]) return { kind: 'list', element: parseSchemaType(list[1]) }
  const called = /^(\w+)[[(](.*)[\])]$/.exec(plain)
  const inner = splitTop(called?.[2] ?? '')
  const [first, second] = inner
  if (called?.[1] === 'Dict' && first !== undefined && second !== undefined) {
    return { kind: 'dict', key: parseSchemaType(first), value: parseSchemaType(second) }
  }
  if ((called?.[1] === 'List' || called?.[1] === 'Optional') && first !== undefined) {
    const kind = called[1] === 'List' ? 'list' : 'optional'
    return { kind, element: parseSchemaType(first) }
  }
  const tuple = /^\((.*)\)$/.exec(plain)?.[1] ?? (called?.[1] === 'Tuple' ? called[2] : undefined)
  if (tuple !== undefined) {
    return { kind: 'tuple', elements: splitTop(tuple).map((one) => parseSchemaType(one)) }
  }
  return { kind: 'name', name: plain }
}

const pythonTypes: Record<string, string> = {
  Tensor: 'Tensor',
  NoneType: 'None',
  int: 'int',
  SymInt: 'int',
  float: 'float',
  bool: 'bool',
  str: 'str',
  complex: 'complex',
  Scalar: 'float',
  number: 'float',
  ScalarType: 'torch.dtype',
  Layout: 'torch.layout',
  MemoryFormat: 'torch.memory_format',
  Device: 'torch.device',
  Generator: 'torch.Generator',
}

/** Python's names for the classes of a project, by "namespace.Name". */
export type ClassNames = ReadonlyMap<string, string>

/** In Python's annotations; what has no type there, an object of a class not named among it, is Any. */
export function pythonType(type: SchemaType, classes: ClassNames = new Map()): string {
  const written = (part: SchemaType): string => pythonType(part, classes)
  switch (type.kind) {
    case 'list':
      return `list[${written(type.element)}]`
    case 'optional':
      return `${written(type.element)} | None`
    case 'tuple':
      return `tuple[${type.elements.map(written).join(', ')}]`
    case 'dict':
      return `dict[${written(type.key)}, ${written(type.value)}]`
    case 'name':
      return pythonTypes[type.name] ?? classes.get(classOf(type.name)) ?? 'Any'
  }
}

/** "running.Statistics" of "__torch__.torch.classes.running.Statistics"; other names as they are. */
function classOf(name: string): string {
  return name.replace(/^__torch__\.torch\.classes\./, '')
}

export interface ClassMethod {
  name: string
  /** Without self. */
  parameters: { type: string; name: string; default?: string }[]
  result: SchemaType
}

/** A method of torch::class_ by its schema: "update(__torch__.torch.classes.a.B _0, Tensor batch) -> NoneType _0". */
export function parseMethod(schema: string): ClassMethod | undefined {
  const parts = /^(\w+)\((.*)\) -> (.+)$/.exec(schema)
  const [, name, given, returned] = parts ?? []
  if (name === undefined || given === undefined || returned === undefined) return undefined
  const named = (text: string): string => text.replace(/\s+\w+$/, '')
  // A result of several values stands in brackets of its own: "((int, Tensor) _0)".
  const bracketed = /^\((.*\s\w+)\)$/.exec(returned)?.[1]
  const parameters = splitTop(given)
    .slice(1)
    .map((text) => {
      const [, type = text, parameter = '', fallback] = /^(.*)\s(\w+)(?:=(.*))?$/.exec(text) ?? []
      return { type, name: parameter, ...(fallback === undefined ? {} : { default: fallback }) }
    })
  return { name, parameters, result: parseSchemaType(named(bracketed ?? returned)) }
}

const scriptTypes: Record<string, string> = {
  Tensor: 'Tensor',
  int: 'number | bigint',
  SymInt: 'number | bigint',
  float: 'number',
  bool: 'boolean',
  str: 'string',
  Scalar: 'number',
  number: 'number',
  ScalarType: 'Dtype',
  Layout: 'string',
  MemoryFormat: 'string',
  Device: 'string',
}

/** In TypeScript, as operator_addon.node takes and gives values. */
export function typescriptType(type: SchemaType): string {
  switch (type.kind) {
    case 'list': {
      const element = typescriptType(type.element)
      return element.includes('|') ? `(${element})[]` : `${element}[]`
    }
    case 'optional':
      return `${typescriptType(type.element)} | null`
    case 'tuple':
      return `[${type.elements.map(typescriptType).join(', ')}]`
    case 'dict':
      return 'unknown'
    case 'name':
      return scriptTypes[type.name] ?? 'unknown'
  }
}

/** Numbers as people write them: TorchScript prints 1e-5 with seventeen digits. */
export function shortNumbers(text: string): string {
  return text.replace(/\b\d+\.\d{8,}(e[+-]?\d+)?\b|\b\d+\.\d+e[+-]?\d+\b/g, (number) =>
    Number(number).toString(),
  )
}

/** A default as TorchScript prints it, in Python: None, True, 1e-05, "mean", [1, 1]. */
export function pythonDefault(text: string): string {
  return text === '' ? 'None' : shortNumbers(text)
}

/** The type of what a call gives: None, one value, or a tuple. */
export function resultType(
  returns: readonly OperatorArgument[],
  write: (type: SchemaType) => string,
  none: string,
  tuple: (items: string[]) => string,
): string {
  const types = returns.map((one) => write(parseSchemaType(one.type)))
  const [only] = types
  return types.length === 0 ? none : types.length === 1 && only ? only : tuple(types)
}

/** "my_op::forward.out" as Python reaches it: torch.ops.my_op.forward.out, `.default` for none. */
export function torchOps(operator: Pick<OperatorDetail, 'name' | 'overload'>): string {
  const [namespace = '', name = ''] = operator.name.split('::')
  return `torch.ops.${namespace}.${name}.${operator.overload === '' ? 'default' : operator.overload}`
}
