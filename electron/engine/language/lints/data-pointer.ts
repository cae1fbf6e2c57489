import { methodCalls } from '../syntax/functions'
import type { CppFunction, MethodCall } from '../syntax/functions'
import type { LintedSources } from './project-sources'

/** Methods of a tensor that give a pointer to its elements. */
export const pointers = new Set(['data_ptr', 'const_data_ptr', 'mutable_data_ptr'])

/** One call of such a method in a function of an operator. */
export interface PointerUse {
  fn: CppFunction
  operator: string
  call: MethodCall
}

/** The calls in the functions that the project's operators are made of. */
export function pointerUses(project: LintedSources): PointerUse[] {
  const outside = project.operatorFunctions()
  return outside.flatMap(({ function: fn, operator }) =>
    methodCalls(fn.source, fn.body)
      .filter((call) => pointers.has(call.method))
      .map((call) => ({ fn, operator, call })),
  )
}

/** The operator's name without its namespace, for messages. */
export function shortTypeName(operator: string): string {
  return (
    operator
      .replace(/::apply$/, '')
      .split('::')
      .at(-1) ?? operator
  )
}
