import type { OperatorDetail } from '../../../contract/operators'
import type { ExportedProject } from '../exported-project'
import { parseSchemaType, resultType, typescriptType } from './schema-types'

const types = `/** A call copies its tensors. The typed array depends on the dtype; a complex number is a pair of numbers. */
export type Dtype =
  | 'float64'
  | 'float32'
  | 'float16'
  | 'bfloat16'
  | 'complex64'
  | 'complex128'
  | 'int64'
  | 'int32'
  | 'int16'
  | 'int8'
  | 'uint8'
  | 'bool'

export interface Tensor {
  dtype: Dtype
  shape: number[]
  data:
    | Float64Array
    | Float32Array
    | BigInt64Array
    | Int32Array
    | Int16Array
    | Int8Array
    | Uint8Array
    | Uint16Array
}`

const reserved = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval ' +
    'export extends false finally for function if implements import in instanceof interface let new ' +
    'null package private protected public return static super switch this throw true try typeof var ' +
    'void while with yield'
  ).split(' '),
)

function signature(operator: OperatorDetail): string {
  const parameters = operator.arguments.map(({ name, type, default: fallback }) => {
    const parameter = reserved.has(name) ? `${name}_` : name
    return `${parameter}${fallback === undefined ? '' : '?'}: ${typescriptType(parseSchemaType(type))}`
  })
  const result = resultType(
    operator.returns,
    typescriptType,
    'void',
    (items) => `[${items.join(', ')}]`,
  )
  return `(${parameters.join(', ')}): ${result}`
}

const fullName = ({ name, overload }: OperatorDetail): string =>
  overload === '' ? name : `${name}.${overload}`

/** index.d.ts: what the addon exports, as native/operator_addon makes it. */
export function addonTypes(project: ExportedProject): string {
  const bare = new Map<string, OperatorDetail[]>()
  for (const operator of project.operators) {
    const name = operator.name.split('::')[1] ?? operator.name
    bare.set(name, [...(bare.get(name) ?? []), operator])
  }
  const functions = [...bare].flatMap(([name, operators]) => {
    const one =
      operators.length === 1 ? operators[0] : operators.find(({ overload }) => overload === '')
    return one && !reserved.has(name) && name !== 'ops' && name !== 'schemas'
      ? [`export function ${name}${signature(one)}`]
      : []
  })
  return [
    types,
    '',
    '/** Every operator, by its full name. */',
    'export const ops: {',
    ...project.operators.map((operator) => `  '${fullName(operator)}'${signature(operator)}`),
    '}',
    '',
    '/** The schemas of the operators, as PyTorch writes them. */',
    'export const schemas: string[]',
    ...(functions.length === 0
      ? []
      : ['', '/* Operators whose names are unique without the namespace. */', ...functions]),
  ].join('\n')
}

const testHead = `'use strict'

const assert = require('node:assert/strict')
`

const callSupport = `
const dtypes = {
  F64: ['float64', Float64Array],
  F32: ['float32', Float32Array],
  F16: ['float16', Uint16Array],
  BF16: ['bfloat16', Uint16Array],
  C64: ['complex64', Float32Array],
  C128: ['complex128', Float64Array],
  I64: ['int64', BigInt64Array],
  I32: ['int32', Int32Array],
  I16: ['int16', Int16Array],
  I8: ['int8', Int8Array],
  U8: ['uint8', Uint8Array],
  BOOL: ['bool', Uint8Array],
}

/** A recorded call: safetensors, with the lists of arguments and results in its metadata. */
function readCall(name) {
  const bytes = fs.readFileSync(path.join(__dirname, 'data', \`\${name}.safetensors\`))
  const start = 8 + Number(bytes.readBigUInt64LE(0))
  const header = JSON.parse(bytes.subarray(8, start).toString())
  const tensor = (id) => {
    const { dtype, shape, data_offsets: span } = header[id]
    const [type, Elements] = dtypes[dtype]
    const data = bytes.subarray(start + span[0], start + span[1])
    return { dtype: type, shape, data: new Elements(new Uint8Array(data).buffer) }
  }
  const value = (item) =>
    Array.isArray(item) ? item.map(value) : item?.tensor === undefined ? item : tensor(item.tensor)
  const { arguments: given, results, written = 'null' } = header.__metadata__
  return {
    args: JSON.parse(given).map(value),
    results: JSON.parse(results).map(value),
    written: JSON.parse(written),
  }
}

const tolerances = {
  float64: [1e-7, 1e-7],
  complex128: [1e-7, 1e-7],
  float32: [1.3e-6, 1e-5],
  complex64: [1.3e-6, 1e-5],
}

/** Bit for bit, or within the tolerance of the call or of its dtype. */
function compare(actual, expected, tolerance) {
  if (expected?.dtype === undefined) return assert.deepEqual(actual, expected)
  assert.equal(actual.dtype, expected.dtype)
  assert.deepEqual(actual.shape, expected.shape)
  const [rtol, atol] = tolerance ?? tolerances[expected.dtype] ?? [0, 0]
  for (let i = 0; i < expected.data.length; i += 1) {
    const [one, other] = [actual.data[i], expected.data[i]]
    if (Object.is(one, other) || one === other) continue
    const close = Math.abs(Number(one) - Number(other)) <= atol + rtol * Math.abs(Number(other))
    assert.ok(close, \`element \${i}: \${one}, not \${other}\`)
  }
}

function checkCall(name, operator, tolerance) {
  const { args, results, written } = readCall(name)
  const returned = operator(...args)
  // An operator that returns nothing writes to its arguments.
  const result = written ? written.map((place) => args[place]) : returned
  const actual = Array.isArray(result) ? result : [result]
  assert.equal(actual.length, results.length)
  results.forEach((expected, i) => compare(actual[i], expected, tolerance))
}
`

/** A string as JavaScript of this style has it. */
const quoted = (text: string): string =>
  text.includes("'") ? JSON.stringify(text) : `'${text.replaceAll('\\', '\\\\')}'`

/** Tests of Node's own runner: the operators are there, and each call of one that was recorded is made again. */
export function addonTest(project: ExportedProject): string {
  const tests = project.calls
    .filter((call) => call.isOperator)
    .map(({ name, text, call }) => {
      const { rtol, atol } = call
      const tolerance =
        rtol === undefined && atol === undefined ? '' : `, [${rtol ?? 0}, ${atol ?? 0}]`
      return [
        '',
        `test(${quoted(text)}, () => {`,
        `  checkCall('${name}', ops['${call.op}']${tolerance})`,
        '})',
      ].join('\n')
    })
  const names = project.operators.map((one) => quoted(fullName(one))).sort()
  const line = `const names = [${names.join(', ')}]`
  const listed =
    line.length <= 100
      ? line
      : ['const names = [', ...names.map((name) => `  ${name},`), ']'].join('\n')
  const [files, support] =
    tests.length > 0
      ? [`const fs = require('node:fs')\nconst path = require('node:path')\n`, callSupport]
      : ['', '']
  return [
    testHead,
    files,
    `const { test } = require('node:test')\n\nconst { ops } = require('..')\n\n`,
    `${listed}\n\n`,
    `test('every operator is there', () => {\n  assert.deepEqual(Object.keys(ops).sort(), names)\n})\n`,
    support,
    tests.join('\n'),
  ].join('')
}
