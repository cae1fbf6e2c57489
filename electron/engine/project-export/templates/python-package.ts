import type { AutogradEntry } from '../../../contract/manifest'
import type { ClassDetail, OperatorArgument, OperatorDetail } from '../../../contract/operators'
import { summaryOf } from '../exported-project'
import type { ExportedProject } from '../exported-project'
import { className, nameClasses, nameOperators, pythonName } from './names'
import type { NamedOperator } from './names'
import { pythonAssignment, pythonCall, pythonTargets } from './python-format'
import type { ClassNames, SchemaType } from './schema-types'
import {
  parseMethod,
  parseSchemaType,
  pythonDefault,
  pythonType,
  resultType,
  shortNumbers,
  torchOps,
} from './schema-types'

interface Parameters {
  declared: string[]
  passed: string[]
}

function parameterLists(operator: OperatorDetail, classes: ClassNames): Parameters {
  const declared: string[] = []
  const passed: string[] = []
  let keywords = false
  for (const argument of operator.arguments) {
    if (argument.kwargOnly && !keywords) declared.push('*')
    keywords ||= argument.kwargOnly
    const name = pythonName(argument.name)
    const type = pythonType(parseSchemaType(argument.type), classes)
    const fallback = argument.default === undefined ? '' : ` = ${pythonDefault(argument.default)}`
    declared.push(`${name}: ${type}${fallback}`)
    passed.push(keywords ? `${argument.name}=${name}` : name)
  }
  return { declared, passed }
}

function resultOf(returns: readonly OperatorArgument[], classes: ClassNames): string {
  const write = (type: SchemaType): string => pythonType(type, classes)
  return resultType(returns, write, 'None', (items) => `tuple[${items.join(', ')}]`)
}

const docText = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"')

function wrapper({ operator, name }: NamedOperator, classes: ClassNames): string[] {
  const { declared, passed } = parameterLists(operator, classes)
  const doc = operator.doc === '' ? shortNumbers(operator.schema) : operator.doc.trim()
  return [
    '',
    '',
    ...pythonCall('', `def ${name}`, declared, ` -> ${resultOf(operator.returns, classes)}:`),
    `    """${docText(doc)}"""`,
    ...pythonCall('    ', `return ${torchOps(operator)}`, passed),
  ]
}

function stub({ operator, name }: NamedOperator, classes: ClassNames): string[] {
  const { declared } = parameterLists(operator, classes)
  return pythonCall('', `def ${name}`, declared, ` -> ${resultOf(operator.returns, classes)}: ...`)
}

/** What pickling calls is no part of what people call. */
const ofPickling = new Set(['__getstate__', '__setstate__'])

/** A class of torch::class_ as type checkers see it. */
function classStub({ name, methods }: ClassDetail, classes: ClassNames): string[] {
  const lines = methods
    .filter((method) => !ofPickling.has(method.name))
    .flatMap(({ schema }) => {
      const method = parseMethod(schema)
      if (!method) return []
      const declared = method.parameters.map((one) => {
        const type = pythonType(parseSchemaType(one.type), classes)
        const fallback = one.default === undefined ? '' : ` = ${pythonDefault(one.default)}`
        return `${pythonName(one.name)}: ${type}${fallback}`
      })
      const result = pythonType(method.result, classes)
      return pythonCall('    ', `def ${method.name}`, ['self', ...declared], ` -> ${result}: ...`)
    })
  const named = classes.get(name) ?? name
  return lines.length === 0 ? [`class ${named}: ...`, ''] : [`class ${named}:`, ...lines, '']
}

interface Pair {
  entry: AutogradEntry
  forward: OperatorDetail
  backward: OperatorDetail
  function: string
  module: string
}

/** Forward and backward operators that opsmith.json pairs, as far as both are the project's. */
function pairsOf(project: ExportedProject): Pair[] {
  const find = (entry: AutogradEntry, name: string): OperatorDetail | undefined => {
    const namespace = entry.name.includes('::') ? entry.name.split('::')[0] : project.name
    const whole = name.includes('::') ? name : `${namespace ?? ''}::${name}`
    return project.operators.find((one) => one.name === whole)
  }
  return project.manifest.autograd.flatMap((entry) => {
    const forward = find(entry, entry.forward)
    const backward = find(entry, entry.backward)
    const name = className(entry.name.split('::').at(-1) ?? entry.name)
    return forward && backward
      ? [{ entry, forward, backward, function: `${name}Function`, module: name }]
      : []
  })
}

/** 001's _TestFunction and its module: what torch.ops does in C++, written in Python. */
function pairLines({ entry, forward, backward, ...names }: Pair): string[] {
  const inputs = forward.arguments.map((one) => pythonName(one.name))
  const count = forward.returns.length
  const outputs = Array.from({ length: count }, (_, i) => (count === 1 ? 'output' : `output_${i}`))
  const grads = Array.from({ length: count }, (_, i) => (count === 1 ? 'grad' : `grad_${i}`))
  // A name of an input, an output or a gradient, as backwardArgs has it.
  const source = (text: string): string => {
    const [kind, index] = text.split(':')
    if (kind === 'grad' && index !== undefined) return grads[Number(index)] ?? text
    if (kind === 'output' && index !== undefined) return outputs[Number(index)] ?? text
    return pythonName(text)
  }
  const wanted = entry.backwardArgs.map(source)
  const kept = [...new Set(wanted.filter((name) => !grads.includes(name)))]
  const isTensor = (name: string): boolean =>
    outputs.includes(name) ||
    forward.arguments.some((one) => pythonName(one.name) === name && /^Tensor\??/.test(one.type))
  const tensors = kept.filter(isTensor)
  const values = kept.filter((name) => !isTensor(name))
  const results = entry.gradients.map((name, i) =>
    name === null ? `_${i}` : `grad_of_${pythonName(name)}`,
  )
  // Backward gives a list where C++ returns a vector, else one tensor or several.
  const isList = backward.returns[0]?.type.includes('[]') === true
  const several = backward.returns.length > 1 || isList
  const target = several ? pythonTargets(results) : results.join(', ')
  const given = inputs.map((name) =>
    entry.gradients.some((one) => one !== null && pythonName(one) === name)
      ? `grad_of_${name}`
      : 'None',
  )
  const scheme = forward.arguments.map(
    (one) =>
      `${pythonName(one.name)}${one.default === undefined ? '' : `=${pythonDefault(one.default)}`}`,
  )
  return [
    '',
    '',
    `class ${names.function}(torch.autograd.Function):`,
    `    """${entry.forward} and ${entry.backward} as one differentiable function."""`,
    '',
    '    @staticmethod',
    ...pythonCall('    ', 'def forward', ['ctx', ...inputs], ':'),
    ...pythonAssignment('        ', outputs.join(', '), torchOps(forward), inputs),
    ...(tensors.length > 0 ? pythonCall('        ', 'ctx.save_for_backward', tensors) : []),
    ...values.map((name) => `        ctx.${name} = ${name}`),
    `        return ${outputs.join(', ')}`,
    '',
    '    @staticmethod',
    ...pythonCall('    ', 'def backward', ['ctx', ...grads], ':'),
    ...(tensors.length > 0 ? [`        ${pythonTargets(tensors)} = ctx.saved_tensors`] : []),
    ...values.map((name) => `        ${name} = ctx.${name}`),
    ...pythonAssignment('        ', target, torchOps(backward), wanted),
    `        return ${given.join(', ')}`,
    '',
    '',
    `class ${names.module}(torch.nn.Module):`,
    `    """${names.function} as a layer without parameters."""`,
    '',
    ...pythonCall('    ', 'def forward', ['self', ...scheme], ':'),
    ...pythonCall('        ', `return ${names.function}.apply`, inputs),
  ]
}

/** The dispatcher leaves out what has its default; apply() takes all. */
function autogradCall(operator: OperatorDetail, functionName: string): string {
  const names = operator.arguments.map((one) => pythonName(one.name))
  const parameters = operator.arguments.map((one, index) => {
    const fallback = one.default === undefined ? '' : `=${pythonDefault(one.default)}`
    return `${names[index] ?? ''}${fallback}`
  })
  return `lambda ${parameters.join(', ')}: ${functionName}.apply(${names.join(', ')})`
}

/** What opsmith.json pairs, registered by Python: for libraries that hold no autograd. */
function registrations(pairs: readonly Pair[], operators: readonly OperatorDetail[]): string[] {
  const namespaceOf = (one: OperatorDetail): string => one.name.split('::')[0] ?? ''
  const registered = pairs.flatMap((pair) => {
    const name = pair.entry.name.split('::').at(-1) ?? pair.entry.name
    const operator = operators.find((one) => one.name === `${namespaceOf(pair.forward)}::${name}`)
    return operator ? [{ ...pair, name, operator }] : []
  })
  const namespaces = [...new Set(registered.map(({ forward }) => namespaceOf(forward)))]
  return namespaces.flatMap((namespace, index) => {
    const library = `_library_${index}`
    return [
      '',
      ...(index === 0
        ? ['', '# Differentiable operators: each joins a forward and a backward operator.']
        : []),
      `${library} = torch.library.Library("${namespace}", "FRAGMENT")`,
      ...registered
        .filter(({ forward }) => namespaceOf(forward) === namespace)
        .flatMap(({ name, forward, operator, ...names }) => [
          `${library}.define("${shortNumbers(operator.schema).replace(/^\w+::/, '')}")`,
          `${library}.impl("${name}", ${torchOps(forward)}, "CompositeExplicitAutograd")`,
          `${library}.impl("${name}", ${autogradCall(operator, names.function)}, "Autograd")`,
        ]),
    ]
  })
}

export interface PackageNames {
  functions: string[]
  classes: string[]
  pairs: { op: string; function: string; module: string }[]
}

/** What the package offers by name. */
export function packageNames(project: ExportedProject): PackageNames {
  return {
    functions: nameOperators(project.operators).map(({ name }) => name),
    classes: [...nameClasses(project.classes, project.operators).values()],
    pairs: pairsOf(project).map(({ entry, ...names }) => ({
      op: entry.name.includes('::') ? entry.name : `${project.name}::${entry.name}`,
      function: names.function,
      module: names.module,
    })),
  }
}

/**
 * __init__.py: the operators by name.
 *
 * @param library the file name of the library beside it
 * @param registersPairs differentiable operators are not in the library, and are registered here
 */
export function packageSource(
  project: ExportedProject,
  library: string,
  registersPairs = false,
): string {
  const operators = nameOperators(project.operators)
  const pairs = pairsOf(project)
  const names = packageNames(project)
  const listed = [
    ...names.functions,
    ...names.classes,
    ...names.pairs.flatMap((pair) => [pair.function, pair.module]),
  ].sort()
  const classes = nameClasses(project.classes, project.operators)
  const wrappers = operators.flatMap((one) => wrapper(one, classes))
  const usesAny = /\bAny\b/.test(wrappers.join('\n'))
  return [
    `"""${docText(summaryOf(project.manifest))}."""`,
    '',
    // Annotations such as `Tensor | None` are of a newer Python than this package needs.
    'from __future__ import annotations',
    '',
    'from pathlib import Path',
    ...(usesAny ? ['from typing import Any'] : []),
    '',
    'import torch',
    ...(/\bTensor\b/.test(wrappers.join('\n')) ? ['from torch import Tensor'] : []),
    '',
    `torch.ops.load_library(Path(__file__).parent / "${library}")`,
    '',
    '__all__ = [',
    ...listed.map((name) => `    "${name}",`),
    ']',
    ...[...classes].flatMap(([name, named]) => ['', `${named} = torch.classes.${name}`]),
    ...wrappers,
    ...pairs.flatMap(pairLines),
    ...(registersPairs ? registrations(pairs, project.operators) : []),
  ].join('\n')
}

/** __init__.pyi: the same for type checkers. */
export function packageStubs(project: ExportedProject): string {
  const classes = nameClasses(project.classes, project.operators)
  const operators = nameOperators(project.operators).flatMap((one) => stub(one, classes))
  const pairs = pairsOf(project).flatMap(({ forward, ...names }) => {
    const { declared } = parameterLists(forward, classes)
    const result = resultOf(forward.returns, classes)
    return [
      '',
      `class ${names.function}(torch.autograd.Function): ...`,
      '',
      `class ${names.module}(torch.nn.Module):`,
      ...pythonCall('    ', 'def forward', ['self', ...declared], ` -> ${result}: ...`),
    ]
  })
  const stubs = project.classes.flatMap((one) => classStub(one, classes))
  const body = [...stubs, ...operators, ...pairs].join('\n')
  return [
    ...(/\bAny\b/.test(body) ? ['from typing import Any', ''] : []),
    ...(/\btorch\./.test(body) ? ['import torch'] : []),
    ...(/\bTensor\b/.test(body) ? ['from torch import Tensor'] : []),
    '',
    body,
  ].join('\n')
}
