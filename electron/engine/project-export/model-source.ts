import type { OperatorDetail } from '../../contract/operators'
import type { ProgramSource } from '../../contract/run'
import { pythonName } from './templates/names'
import { parseSchemaType } from './templates/schema-types'
import type { SchemaType } from './templates/schema-types'

const scriptNames: Record<string, string> = {
  Tensor: 'Tensor',
  int: 'int',
  SymInt: 'int',
  float: 'float',
  bool: 'bool',
  str: 'str',
  complex: 'complex',
  Device: 'Device',
  // TorchScript knows these as the numbers of C++'s enumerations.
  ScalarType: 'int',
  Layout: 'int',
  MemoryFormat: 'int',
}

/** As TorchScript's annotations have it; undefined for what they cannot say. */
function annotation(type: SchemaType): string | undefined {
  switch (type.kind) {
    case 'name':
      return scriptNames[type.name]
    case 'list':
    case 'optional': {
      const element = annotation(type.element)
      if (element === undefined) return undefined
      return `${type.kind === 'list' ? 'List' : 'Optional'}[${element}]`
    }
    case 'tuple': {
      const elements = type.elements.map(annotation)
      return elements.includes(undefined) ? undefined : `Tuple[${elements.join(', ')}]`
    }
    case 'dict': {
      const parts = [annotation(type.key), annotation(type.value)]
      return parts.includes(undefined) ? undefined : `Dict[${parts.join(', ')}]`
    }
  }
}

/**
 * A TorchScript function that calls an operator with all its arguments, in the schema's order:
 * operators have no TorchScript of their own that could be saved. Undefined where an argument's type
 * has no name there.
 */
export function operatorProgram(
  operator: OperatorDetail,
): { program: ProgramSource; entry: string } | undefined {
  const [namespace = '', name = ''] = operator.name.split('::')
  const entry = `call_${name.replace(/\W/g, '_')}`
  const parameters: string[] = []
  const passed: string[] = []
  for (const argument of operator.arguments) {
    const type = annotation(parseSchemaType(argument.type))
    if (type === undefined) return undefined
    const parameter = pythonName(argument.name)
    parameters.push(`${parameter}: ${type}`)
    passed.push(argument.kwargOnly ? `${argument.name}=${parameter}` : parameter)
  }
  const call = `torch.ops.${namespace}.${name}(${passed.join(', ')})`
  const body = operator.returns.length === 0 ? `    ${call}` : `    return ${call}`
  const source = `def ${entry}(${parameters.join(', ')}):\n${body}\n`
  return { program: { file: `${name}.py`, source }, entry }
}
