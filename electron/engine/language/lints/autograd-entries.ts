import { lastWord } from '../syntax/functions'
import type { CppFunction } from '../syntax/functions'
import { above, childOf, findAll, partsOf } from '../syntax/syntax-tree'
import type { SyntaxNode } from '../syntax/syntax-tree'
import type { LintFinding } from './lint'
import type { PlacedEntry, LintedSources } from './project-sources'

/** The list a return statement gives, written out; undefined where it is a variable or a call. */
function returnedList(fn: CppFunction, statement: SyntaxNode): SyntaxNode | undefined {
  const value = partsOf(statement)[0]
  if (value?.type === 'initializer_list') return value
  if (value?.type !== 'compound_literal_expression') return undefined
  const type = lastWord(fn.source.textOf(childOf(value, 'type')).replace(/<.*>$/, ''))
  return /^(variable_list|tensor_list|vector)$/.test(type) ? childOf(value, 'value') : undefined
}

/** Lists that a function's own return statements write out, those with packs in them excepted. */
export function returnedLists(fn: CppFunction): SyntaxNode[] {
  return findAll(fn.body, 'return_statement')
    .filter((statement) => above(statement, 'lambda_expression') === undefined)
    .map((statement) => returnedList(fn, statement))
    .filter((list) => list !== undefined)
    .filter((list) => !partsOf(list).some((one) => one.type.includes('expansion')))
}

export const counted = (number: number, word: string): string =>
  `${number} ${word}${number === 1 ? '' : 's'}`

/** The function behind a name of an entry: an operator's, registered under it, or the C++ function itself. */
function functionOf(project: LintedSources, name: string): CppFunction | undefined {
  const word = name.split('::').at(-1) ?? name
  const registered = project.registrations.filter(
    (one) => one.kind === 'def' && (one.name === word || `${one.namespace}::${one.name}` === name),
  )
  if (registered.length > 1) return undefined
  const [operator] = registered
  if (!operator) return project.definition(name)
  if (operator.lambda) return operator.lambda
  return operator.functionName === undefined
    ? undefined
    : project.definition(operator.functionName, operator.source)
}

/** Where results are counted, and how many there are; nothing where that cannot be seen. */
function resultsOf(backward: CppFunction): { node: SyntaxNode; count: number }[] {
  const { returnType, returnNode } = backward
  if (!returnNode) return []
  const type = returnType.replace(/^const /, '').replace(/[&\s]+$/, '')
  if (lastWord(type) === 'Tensor' && !type.includes('<')) return [{ node: returnNode, count: 1 }]
  if (/\btuple\s*</.test(type)) {
    const list = findAll(returnNode, 'template_argument_list')[0]
    return list ? [{ node: returnNode, count: partsOf(list).length }] : []
  }
  if (!/^(?:\w+::)*(?:variable_list|tensor_list|vector\s*<\s*(?:\w+::)*Tensor\s*>)$/.test(type)) {
    return []
  }
  return returnedLists(backward).map((list) => ({ node: list, count: partsOf(list).length }))
}

/** A list of tensors is one input, whatever number of them it has. */
const isList = (type: string): boolean =>
  /vector\s*<|variable_list|TensorList|ArrayRef\s*</.test(type)

/**
 * `autograd` of opsmith.json against the C++ functions that it joins: as many results as `gradients`
 * places, as many arguments as `backwardArgs` gives, and inputs that there are.
 */
export function checkAutogradEntry(project: LintedSources, entry: PlacedEntry): LintFinding[] {
  const forward = functionOf(project, entry.forward)
  const backward = functionOf(project, entry.backward)
  const found: LintFinding[] = []
  const note = {
    severity: 'note' as const,
    file: entry.file,
    line: entry.line,
    column: 1,
    message: `${entry.name} is declared here`,
  }
  const inputs = forward?.parameters ?? []
  if (forward && inputs.every((one) => one.name !== '')) {
    const names = inputs.map((one) => one.name)
    const schemas = project.registrations.filter((one) => one.schema?.includes('('))
    const named = (name: string): boolean =>
      names.includes(name) ||
      // A schema has names of its own.
      schemas.some((one) => new RegExp(`\\b${name}\\b`).test(one.schema ?? ''))
    const asked = [
      ...entry.gradients.filter((name) => name !== null),
      ...entry.backwardArgs.filter((name) => /^[A-Za-z_]\w*$/.test(name)),
    ]
    for (const name of new Set(asked.filter((one) => !named(one)))) {
      found.push({
        source: forward.source,
        node: forward.returnNode ?? forward.node,
        message: `autograd entry ${entry.name} names the input ${name}, but the inputs of ${entry.forward} are ${names.join(', ')}.`,
        notes: [note],
      })
    }
  }
  if (!backward) return found
  const takesList = inputs.some((one) => entry.gradients.includes(one.name) && isList(one.type))
  for (const { node, count } of takesList ? [] : resultsOf(backward)) {
    if (count === entry.gradients.length) continue
    found.push({
      source: backward.source,
      node,
      message: `${entry.backward} returns ${counted(count, 'result')}, but "gradients" of autograd entry ${entry.name} lists ${entry.gradients.length}.`,
      notes: [note],
    })
  }
  const { parameters } = backward
  const needed = parameters.filter((one) => one.node.type === 'parameter_declaration').length
  const given = entry.backwardArgs.length
  if (given < needed || given > parameters.length) {
    found.push({
      source: backward.source,
      node: backward.returnNode ?? backward.node,
      message: `${entry.backward} takes ${counted(parameters.length, 'argument')}, but "backwardArgs" of autograd entry ${entry.name} has ${given}.`,
      notes: [note],
    })
  }
  return found
}
