import { calledName, isTensor, methodCall, methodCalls } from '../syntax/functions'
import type { CppFunction } from '../syntax/functions'
import { childOf, findAll, partsOf } from '../syntax/syntax-tree'
import type { SyntaxNode } from '../syntax/syntax-tree'
import type { LintedSources } from './project-sources'

/** Methods whose result shares memory in another order than its own shape says. */
const reorderingViews = new Set([
  't',
  'transpose',
  'permute',
  'expand',
  'expand_as',
  'movedim',
  'moveaxis',
  'swapaxes',
  'swapdims',
  'diagonal',
  'unfold',
  'mT',
  'mH',
  'numpy_T',
])
/** Methods that leave the strides as they are. */
const stridesKept = new Set(['detach', 'to', 'cpu', 'cuda', 'requires_grad_'])

export interface Origin {
  kind: 'parameter' | 'view'
  /** Every name it goes by, the innermost last: a check of any of them counts. */
  names: string[]
  /** Of a view, what made it: "transpose". */
  method: string
}

/** Where the tensor of an expression comes from; undefined when that is not plain. */
export function originOf(fn: CppFunction, expression: SyntaxNode, depth = 0): Origin | undefined {
  const { source, body } = fn
  if (depth > 8) return undefined
  if (expression.type === 'parenthesized_expression') {
    const inner = partsOf(expression)[0]
    return inner ? originOf(fn, inner, depth + 1) : undefined
  }
  if (expression.type === 'call_expression') {
    const call = methodCall(source, expression)
    if (!call) return undefined
    if (reorderingViews.has(call.method)) {
      return { kind: 'view', names: [], method: call.method }
    }
    return stridesKept.has(call.method) ? originOf(fn, call.object, depth + 1) : undefined
  }
  if (expression.type !== 'identifier') return undefined
  const name = source.textOf(expression)
  // Given something else on the way, it may be anything.
  if (isAssigned(fn, name)) return undefined
  const declared = findAll(body, 'init_declarator').filter(
    (one) => source.textOf(innermost(childOf(one, 'declarator'))) === name,
  )
  if (declared.length > 1) return undefined
  const value = childOf(declared[0], 'value')
  if (value) {
    const from = originOf(fn, value, depth + 1)
    return from && { ...from, names: [name, ...from.names] }
  }
  const parameter = fn.parameters.find((one) => one.name === name)
  if (!parameter || !isTensor(parameter)) return undefined
  return { kind: 'parameter', names: [name], method: '' }
}

function innermost(declarator: SyntaxNode | undefined): SyntaxNode | undefined {
  let at = declarator
  while (at && at.type !== 'identifier') at = childOf(at, 'declarator') ?? partsOf(at).at(-1)
  return at
}

export function isAssigned(fn: CppFunction, name: string): boolean {
  return findAll(fn.body, 'assignment_expression').some(
    (one) =>
      fn.source.textOf(childOf(one, 'left')) === name &&
      one.children.some((child) => child.type === '='),
  )
}

/** libtorch's own checks print what they are given; they ask nothing of it. */
const printing = /^(TORCH_CHECK\w*|TORCH_INTERNAL_ASSERT\w*|TORCH_WARN\w*|AT_ASSERTM?|AT_ERROR)$/
const checking = /check|contig|verify|validate|assert|expect|require/i

interface TensorInFunction {
  fn: CppFunction
  /** The tensor's names in it. */
  names: readonly string[]
}

/**
 * Whether a function, or what it hands the tensor to, asks for a property of it.
 * @param asks methods that ask: is_contiguous, scalar_type
 */
export function isAsked(
  project: LintedSources,
  tensor: TensorInFunction,
  asks: ReadonlySet<string>,
  depth = 0,
): boolean {
  const { fn, names } = tensor
  const { source, body } = fn
  const isOne = (node: SyntaxNode | undefined): boolean =>
    node !== undefined && node.type === 'identifier' && names.includes(source.textOf(node))
  if (methodCalls(source, body).some((call) => asks.has(call.method) && isOne(call.object))) {
    return true
  }
  // `for (const auto& t : {x, y}) TORCH_CHECK(t.is_contiguous())`
  const loops = findAll(body, 'for_range_loop').some((loop) => {
    const given = findAll(childOf(loop, 'right'), 'identifier')
    return given.some(isOne) && methodCalls(source, loop).some((call) => asks.has(call.method))
  })
  if (loops) return true
  return findAll(body, 'call_expression').some((call) => {
    const given = partsOf(childOf(call, 'arguments'))
    const at = given.findIndex(isOne)
    if (at < 0) return false
    const name = calledName(source, call)
    if (printing.test(name)) return false
    const macro = project.macros.get(name)
    if (macro !== undefined) {
      // A macro of checks is often made of other macros.
      return mentions(project, macro, asks, 0)
    }
    const known = project.definition(name, source)
    if (!known) return checking.test(name) || /^TensorArg$|::TensorArg$/.test(name)
    const parameter = known.parameters[at]
    if (!parameter || depth > 3) return false
    return isAsked(project, { fn: known, names: [parameter.name] }, asks, depth + 1)
  })
}

function mentions(
  project: LintedSources,
  macro: string,
  asks: ReadonlySet<string>,
  depth: number,
): boolean {
  if ([...asks].some((method) => macro.includes(`${method}(`))) return true
  if (depth > 3) return false
  const words = new Set(macro.match(/\b[A-Za-z_]\w*(?=\s*\()/g) ?? [])
  return [...words].some((word) => {
    const inner = project.macros.get(word)
    return inner !== undefined && inner !== macro && mentions(project, inner, asks, depth + 1)
  })
}
