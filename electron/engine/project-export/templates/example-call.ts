import type { Argument, InputSpec } from '../../../contract/manifest'
import type { ExportedProject, RecordedCall } from '../exported-project'
import { pythonName } from './names'

/** A call written out for people to copy: lines that make its inputs, and its arguments. */
export interface ExampleCall {
  call: RecordedCall
  inputs: string[]
  arguments: string[]
}

interface Language {
  /** A tensor like the input; undefined where that takes more than a line. */
  tensor: (name: string, spec: InputSpec) => string | undefined
  name: (name: string) => string
  literal: (value: Argument) => string | undefined
}

/** The first call of an operator that can be written in a few lines. */
function exampleIn(project: ExportedProject, language: Language): ExampleCall | undefined {
  const { inputs } = project.manifest
  for (const call of project.calls.filter((one) => one.isOperator)) {
    const lines = new Map<string, string | undefined>()
    const args = call.call.args.map((value) => {
      const spec = typeof value === 'string' ? inputs[value] : undefined
      if (typeof value !== 'string' || spec === undefined) return language.literal(value)
      lines.set(value, language.tensor(language.name(value), spec))
      return language.name(value)
    })
    const all = [...lines.values(), ...args]
    if (all.some((one) => one === undefined)) continue
    const known = (texts: Iterable<string | undefined>): string[] =>
      [...texts].filter((text) => text !== undefined)
    return { call, inputs: known(lines.values()), arguments: known(args) }
  }
  return undefined
}

const isPlain = ({ layout, device }: InputSpec): boolean => layout === undefined && device === 'cpu'

function pythonTensor(name: string, spec: InputSpec): string | undefined {
  if (!isPlain(spec)) return undefined
  const dtype = `dtype=torch.${spec.dtype}`
  if (spec.values !== undefined) {
    const values = JSON.stringify(spec.values)
    const line = `${name} = torch.tensor(${values.replaceAll(',', ', ')}, ${dtype})`
    return /["a-z]/.test(values) || line.length > 88 ? undefined : line
  }
  const { distribution, shape = [], low = 0, high } = spec
  const size = `(${shape.join(', ')}${shape.length === 1 ? ',' : ''})`
  switch (distribution) {
    case 'randn':
    case 'rand':
    case 'zeros':
    case 'ones':
      return `${name} = torch.${distribution}(${size}, ${dtype})`
    case 'randint':
      return high === undefined
        ? undefined
        : `${name} = torch.randint(${low}, ${high}, ${size}, ${dtype})`
    default:
      return undefined
  }
}

/** In Python, of torch alone. */
export function pythonExample(project: ExportedProject): ExampleCall | undefined {
  return exampleIn(project, {
    tensor: pythonTensor,
    name: pythonName,
    literal: (value) => {
      if (value === null) return 'None'
      if (typeof value === 'boolean') return value ? 'True' : 'False'
      return Array.isArray(value) ? undefined : JSON.stringify(value)
    },
  })
}

const arrays: Partial<Record<InputSpec['dtype'], string>> = {
  float64: 'Float64Array',
  float32: 'Float32Array',
  int32: 'Int32Array',
  int16: 'Int16Array',
  int8: 'Int8Array',
  int64: 'BigInt64Array',
  uint8: 'Uint8Array',
}

/** In JavaScript, as the addon takes tensors; all their elements are 0. */
export function javascriptExample(project: ExportedProject): ExampleCall | undefined {
  return exampleIn(project, {
    tensor: (name, spec) => {
      const array = arrays[spec.dtype]
      const { shape } = spec
      if (!isPlain(spec) || array === undefined || shape === undefined) return undefined
      const count = shape.reduce((product, size) => product * size, 1)
      return `const ${name} = { dtype: '${spec.dtype}', shape: [${shape.join(', ')}], data: new ${array}(${count}) }`
    },
    name: (name) => name,
    literal: (value) => (Array.isArray(value) ? undefined : JSON.stringify(value)),
  })
}
