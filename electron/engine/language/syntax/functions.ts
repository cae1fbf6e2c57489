import type { SourceFile } from './source-file'
import { above, childOf, findAll, partsOf } from './syntax-tree'
import type { SyntaxNode } from './syntax-tree'

export interface CppParameter {
  /** "" when it has none. */
  name: string
  /** As written with qualifiers, references and pointers, without the name: "const at::Tensor&". */
  type: string
  node: SyntaxNode
  /** The type's own node, without const and &. */
  typeNode: SyntaxNode | undefined
}

export interface CppFunction {
  source: SourceFile
  /** With its namespaces and class: "calc_ops::check_shapes"; "" for a lambda. */
  name: string
  parameters: CppParameter[]
  /** As written; "" where it is left out or `auto`. */
  returnType: string
  returnNode: SyntaxNode | undefined
  /** Definition, declaration or lambda. */
  node: SyntaxNode
  /** Absent for a declaration. */
  body: SyntaxNode | undefined
}

const declarators = [
  'identifier',
  'field_identifier',
  'qualified_identifier',
  'template_function',
  'destructor_name',
  'operator_name',
]

function nameIn(source: SourceFile, declarator: SyntaxNode | undefined): string {
  let at = declarator
  while (at && !declarators.includes(at.type)) {
    at = childOf(at, 'declarator') ?? partsOf(at).at(-1)
  }
  return source.textOf(at)
}

/** A reference or pointer around the name is part of the type. */
function marksOf(declarator: SyntaxNode | undefined): string {
  let marks = ''
  for (let at = declarator; at; at = childOf(at, 'declarator') ?? partsOf(at).at(-1)) {
    if (at.type.includes('reference_declarator')) {
      marks += at.children.some((child) => child.type === '&&') ? '&&' : '&'
    }
    if (at.type.includes('pointer_declarator')) marks += '*'
    if (declarators.includes(at.type)) break
  }
  return marks
}

function parametersOf(source: SourceFile, list: SyntaxNode | undefined): CppParameter[] {
  return partsOf(list)
    .filter((node) => node.type.includes('parameter_declaration'))
    .map((node): CppParameter => {
      const typeNode = childOf(node, 'type')
      const declarator = childOf(node, 'declarator')
      const isAbstract = declarator?.type.startsWith('abstract_') ?? true
      const isConst = node.children.some(
        (child) => child.type === 'type_qualifier' && source.textOf(child) === 'const',
      )
      return {
        name: isAbstract ? '' : nameIn(source, declarator),
        type: `${isConst ? 'const ' : ''}${source.textOf(typeNode)}${marksOf(declarator)}`,
        node,
        typeNode,
      }
    })
    .filter((parameter) => parameter.type !== 'void')
}

/** The namespaces and classes around a node, each with "::" behind it. */
export function scopeOf(source: SourceFile, node: SyntaxNode): string {
  const names: string[] = []
  let at = above(node, 'namespace_definition', 'class_specifier', 'struct_specifier')
  while (at) {
    const name = source.textOf(childOf(at, 'name'))
    if (name !== '') names.unshift(name)
    at = above(at, 'namespace_definition', 'class_specifier', 'struct_specifier')
  }
  return names.map((name) => `${name}::`).join('')
}

function functionDeclarator(node: SyntaxNode): SyntaxNode | undefined {
  let at = childOf(node, 'declarator')
  while (at && at.type !== 'function_declarator') {
    at = childOf(at, 'declarator') ?? partsOf(at).find((part) => part.type.includes('declarator'))
  }
  return at
}

/** What a file defines and declares, functions of classes included. */
export function functionsOf(source: SourceFile): CppFunction[] {
  const found: CppFunction[] = []
  const nodes = findAll(source.root, 'function_definition', 'declaration', 'field_declaration')
  for (const node of nodes) {
    const declarator = functionDeclarator(node)
    // `at::Tensor x(y);` in a body reads like a declaration; functions are declared outside.
    if (!declarator || (node.type !== 'function_definition' && above(node, 'compound_statement')))
      continue
    const typeNode = childOf(node, 'type')
    const name = nameIn(source, childOf(declarator, 'declarator'))
    const returnType = source.textOf(typeNode)
    found.push({
      source,
      name: `${scopeOf(source, node)}${name}`,
      parameters: parametersOf(source, childOf(declarator, 'parameters')),
      returnType: returnType === 'auto' ? '' : returnType + marksOf(childOf(node, 'declarator')),
      returnNode: typeNode,
      node,
      body: childOf(node, 'body'),
    })
  }
  return found
}

export function lambdaFunction(source: SourceFile, node: SyntaxNode): CppFunction {
  const declarator = childOf(node, 'declarator')
  const trailing = findAll(declarator, 'trailing_return_type')[0]
  const returnNode = partsOf(trailing)[0]
  return {
    source,
    name: '',
    parameters: parametersOf(source, childOf(declarator, 'parameters')),
    returnType: source.textOf(returnNode),
    returnNode,
    node,
    body: childOf(node, 'body'),
  }
}

/** The last word of a type or name: "Tensor" of "const at::Tensor&". */
export function lastWord(text: string): string {
  return /(\w+)[\s&*]*$/.exec(text)?.[1] ?? ''
}

export function isTensor(parameter: CppParameter): boolean {
  return lastWord(parameter.type) === 'Tensor'
}

/** "Change x.y" of `m.def(…)`: what is called, without template arguments. */
export function calledName(source: SourceFile, call: SyntaxNode): string {
  const callee = childOf(call, 'function')
  if (callee?.type === 'template_function') return source.textOf(childOf(callee, 'name'))
  return source.textOf(callee)
}

export interface MethodCall {
  /** What it is called on. */
  object: SyntaxNode
  method: string
  /** "<float>" less the brackets; "" when there are none. */
  template: string
  arguments: SyntaxNode[]
  node: SyntaxNode
}

/** `x.data_ptr<float>()` and `x->size(0)` taken apart; undefined for other calls. */
export function methodCall(source: SourceFile, call: SyntaxNode): MethodCall | undefined {
  const callee = childOf(call, 'function')
  if (callee?.type !== 'field_expression') return undefined
  const object = childOf(callee, 'argument')
  const field = childOf(callee, 'field')
  if (!object || !field) return undefined
  const template = field.type === 'template_method' ? childOf(field, 'arguments') : undefined
  return {
    object,
    method: source.textOf(template ? childOf(field, 'name') : field),
    template: source.textOf(template).slice(1, -1).trim(),
    arguments: partsOf(childOf(call, 'arguments')),
    node: call,
  }
}

export function methodCalls(source: SourceFile, body: SyntaxNode | undefined): MethodCall[] {
  return findAll(body, 'call_expression')
    .map((call) => methodCall(source, call))
    .filter((call) => call !== undefined)
}

/** A string literal's text, pieces in a row joined; undefined for anything else. */
export function stringValue(source: SourceFile, node: SyntaxNode | undefined): string | undefined {
  if (node?.type !== 'string_literal' && node?.type !== 'concatenated_string') return undefined
  return findAll(node, 'string_content')
    .map((piece) => source.textOf(piece))
    .join('')
}
