import { calledName, lambdaFunction, methodCalls, stringValue } from './functions'
import type { CppFunction } from './functions'
import type { SourceFile } from './source-file'
import { above, childOf, findAll, partsOf } from './syntax-tree'
import type { SyntaxNode } from './syntax-tree'

export interface Registration {
  source: SourceFile
  kind: 'def' | 'impl'
  /** Of whom: the dispatcher's own blocks, or a pybind11 module. */
  block: 'library' | 'pybind'
  /** "my_ops"; the macro's first argument as written. */
  namespace: string
  /** Of an `impl`: "CPU"; "" for a definition or a kernel for all. */
  dispatchKey: string
  /** With the overload's name, without the namespace: "add.out". */
  name: string
  /** The schema's text, where there is one. */
  schema: string | undefined
  /** The string literal with the name or schema. */
  nameNode: SyntaxNode
  /** The function as written, "calc_ops::add"; undefined for a lambda or none. */
  functionName: string | undefined
  lambda: CppFunction | undefined
  node: SyntaxNode
  /** Within #if: perhaps never compiled, or in place of another. */
  conditional: boolean
}

export interface LibraryBlock {
  source: SourceFile
  macro: string
  /** The macro's arguments as written, and their nodes. */
  words: string[]
  wordNodes: SyntaxNode[]
  node: SyntaxNode
  nameNode: SyntaxNode
  conditional: boolean
}

const macros = [
  'TORCH_LIBRARY',
  'TORCH_LIBRARY_FRAGMENT',
  'TORCH_LIBRARY_IMPL',
  'STABLE_TORCH_LIBRARY',
  'STABLE_TORCH_LIBRARY_FRAGMENT',
  'STABLE_TORCH_LIBRARY_IMPL',
  'PYBIND11_MODULE',
]

function isConditional(node: SyntaxNode): boolean {
  let at = above(node, 'preproc_if', 'preproc_ifdef', 'preproc_else', 'preproc_elif')
  while (at) {
    // A header's include guard is around everything.
    if (at.parent?.type !== 'translation_unit') return true
    const guards = findAll(at, 'preproc_def').length > 0 && at.parent.children.length < 4
    if (!guards) return true
    at = above(at, 'preproc_if', 'preproc_ifdef', 'preproc_else', 'preproc_elif')
  }
  return false
}

/** `TORCH_LIBRARY(my_ops, m) { … }`: to the grammar, a function without a type. */
export function libraryBlocks(source: SourceFile): LibraryBlock[] {
  return findAll(source.root, 'function_definition').flatMap((node) => {
    const declarator = childOf(node, 'declarator')
    const nameNode = childOf(declarator, 'declarator')
    const macro = source.textOf(nameNode)
    if (!nameNode || !macros.includes(macro)) return []
    const wordNodes = partsOf(childOf(declarator, 'parameters'))
    const words = wordNodes.map((word) => source.textOf(word))
    return [{ source, macro, words, wordNodes, node, nameNode, conditional: isConditional(node) }]
  })
}

/** `&f`, `f`, `TORCH_FN(f)`, `TORCH_BOX(&f)`, `torch::dispatch(key, f)` and lambdas. */
function functionIn(
  source: SourceFile,
  node: SyntaxNode | undefined,
): { name?: string; lambda?: CppFunction } {
  if (!node) return {}
  if (node.type === 'lambda_expression') return { lambda: lambdaFunction(source, node) }
  if (node.type === 'pointer_expression') return functionIn(source, childOf(node, 'argument'))
  if (node.type === 'identifier' || node.type === 'qualified_identifier') {
    return { name: source.textOf(node) }
  }
  if (node.type === 'call_expression') {
    const name = calledName(source, node)
    if (
      /^(TORCH_FN|TORCH_BOX|TORCH_FN_TYPE)$|(^|::)(dispatch|makeFromUnboxedFunction)$/.test(name)
    ) {
      return functionIn(source, partsOf(childOf(node, 'arguments')).at(-1))
    }
  }
  return {}
}

/** Every `m.def` and `m.impl` of a file's blocks. */
export function registrationsOf(source: SourceFile): Registration[] {
  return libraryBlocks(source).flatMap((block) => {
    const [first = '', second = '', third = ''] = block.words
    const isImpl = block.macro.endsWith('_IMPL')
    const variable = isImpl ? third : second
    return methodCalls(source, childOf(block.node, 'body')).flatMap((call): Registration[] => {
      if (source.textOf(call.object) !== variable) return []
      if (call.method !== 'def' && call.method !== 'impl') return []
      let nameNode = call.arguments[0]
      // TORCH_SELECTIVE_SCHEMA("…") and the like
      if (nameNode?.type === 'call_expression') {
        nameNode = partsOf(childOf(nameNode, 'arguments'))[0]
      }
      const text = stringValue(source, nameNode)
      if (text === undefined || !nameNode) return []
      const isSchema = text.includes('(')
      const found = functionIn(source, call.arguments[1])
      const name = (isSchema ? text.slice(0, text.indexOf('(')) : text).trim()
      return [
        {
          source,
          kind: call.method,
          block: block.macro === 'PYBIND11_MODULE' ? 'pybind' : 'library',
          namespace: name.includes('::') ? (name.split('::')[0] ?? '') : first,
          dispatchKey: isImpl ? second : '',
          name: name.split('::').at(-1) ?? name,
          schema: isSchema ? text : undefined,
          nameNode,
          functionName: found.name,
          lambda: found.lambda,
          node: call.node,
          conditional: block.conditional || isConditional(call.node),
        },
      ]
    })
  })
}
