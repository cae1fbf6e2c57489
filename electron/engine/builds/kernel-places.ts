import fs from 'node:fs/promises'
import path from 'node:path'

import type { OperatorDetail } from '../../contract/operators'
import { parameterNames, registeredFunctions, registrationLine } from '../project/scan-source'
import type { RegisteredFunction } from '../project/scan-source'
import { manifestFileOf } from '../project/manifest-place'

/** What operators are placed by. */
export interface OperatorSources {
  folder: string
  /** Of opsmith.json, whose `autograd` entries register kernels too; undefined reads it. */
  manifestText: string | undefined
  /** Asked where a library does not say enough itself: the project's sources, relative. */
  sources: () => Promise<readonly string[]>
}

interface ScannedSource {
  file: string
  text: string
  registered: RegisteredFunction[]
}

/** libtorch's names for the arguments of a schema that it infers from a C++ function. */
const isInferredName = (name: string): boolean => /^_\d+$/.test(name)
const hasInferredNames = ({ arguments: all }: OperatorDetail): boolean =>
  all.length > 0 && all.every(({ name }) => isInferredName(name))

/** Where the operator is registered, in the first source that registers it. */
function registrationOf(
  { name }: OperatorDetail,
  sources: readonly ScannedSource[],
): { source: ScannedSource; found: RegisteredFunction } | undefined {
  const short = name.split('::').at(-1) ?? name
  for (const source of sources) {
    const found =
      source.registered.find((one) => one.operator === name) ??
      source.registered.find((one) => one.operator === short)
    if (found) return { source, found }
  }
  return undefined
}

/** The operator with the names that its C++ function gives its parameters, in arguments and schema. */
function withParameterNames(
  operator: OperatorDetail,
  sources: readonly ScannedSource[],
): OperatorDetail {
  if (!hasInferredNames(operator)) return operator
  const registration = registrationOf(operator, sources)
  if (!registration) return operator
  const { cppName, parameters } = registration.found
  const names =
    cppName === ''
      ? parameters
      : sources.map(({ text }) => parameterNames(text, cppName)).find((found) => found)
  const fits =
    names?.length === operator.arguments.length &&
    names.every((name) => name !== '') &&
    new Set(names).size === names.length
  if (!fits) return operator
  const end = operator.schema.indexOf(') ->')
  const taken = operator.schema
    .slice(0, end)
    .replace(/ _(\d+)(?=[,=]|$)/g, (whole, index) => ` ${names[Number(index)] ?? whole.trim()}`)
  return {
    ...operator,
    schema: end < 0 ? operator.schema : taken + operator.schema.slice(end),
    arguments: operator.arguments.map((one, index) => ({ ...one, name: names[index] ?? one.name })),
  }
}

/**
 * Operators as their project's sources have them: each kernel with the absolute file and the line, arguments with
 * the names of the C++ parameters. A library names its sources relative to the project, and a registration macro
 * records the line of its whole block; torch::RegisterOperators records no place, and inferred schemas no names.
 */
export async function withKernelPlaces(
  operators: OperatorDetail[],
  { folder, manifestText, sources }: OperatorSources,
): Promise<OperatorDetail[]> {
  const texts = new Map<string, Promise<string>>()
  if (manifestText !== undefined) {
    texts.set(manifestFileOf(folder), Promise.resolve(manifestText))
  }
  const read = (file: string): Promise<string> => {
    const known = texts.get(file) ?? fs.readFile(file, 'utf8').catch(() => '')
    texts.set(file, known)
    return known
  }
  const isIncomplete = (operator: OperatorDetail): boolean =>
    hasInferredNames(operator) || operator.kernels.some(({ file }) => file === '')
  const scan = async (relative: string): Promise<ScannedSource> => {
    const file = path.resolve(folder, relative)
    const text = await read(file)
    return { file, text, registered: registeredFunctions(text) }
  }
  const scanned = operators.some(isIncomplete) ? await Promise.all((await sources()).map(scan)) : []
  const placed = async (operator: OperatorDetail): Promise<OperatorDetail> => {
    const name = operator.name.split('::').at(-1) ?? operator.name
    const kernels = operator.kernels.map(async (kernel) => {
      if (kernel.file === '') {
        const registration = registrationOf(operator, scanned)
        return registration
          ? { ...kernel, file: registration.source.file, line: registration.found.line }
          : kernel
      }
      const file = path.resolve(folder, kernel.file)
      const text = await read(file)
      return text === ''
        ? kernel
        : { ...kernel, file, line: registrationLine(text, kernel.line, name) }
    })
    return { ...withParameterNames(operator, scanned), kernels: await Promise.all(kernels) }
  }
  return await Promise.all(operators.map(placed))
}
