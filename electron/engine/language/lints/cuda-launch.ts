import { calledName, lastWord } from '../syntax/functions'
import type { CppFunction } from '../syntax/functions'
import type { SourceFile } from '../syntax/source-file'
import { findAll, partsOf } from '../syntax/syntax-tree'
import type { SyntaxNode } from '../syntax/syntax-tree'
import type { LintedSources } from './project-sources'

/** One launch of a kernel: `kernel<<<grid, block>>>(…)`. */
export interface Launch {
  fn: CppFunction
  call: SyntaxNode
  /** Grid, block, shared memory, stream. */
  configuration: SyntaxNode[]
  syntax: SyntaxNode
}

/** The launches of a project's functions. */
export function launches(project: LintedSources): Launch[] {
  return project.functions.flatMap((fn) =>
    findAll(fn.body, 'kernel_call_syntax').flatMap((syntax): Launch[] => {
      const call = syntax.parent
      // Dynamic parallelism: a kernel's own launches are not libtorch's to look after.
      const isKernel = /__(global|device)__/.test(
        fn.source.text.slice(fn.node.start, fn.body?.start ?? fn.node.start),
      )
      if (!call || isKernel) return []
      return [{ fn, call, configuration: partsOf(syntax), syntax }]
    }),
  )
}

/** Functions of the project that call one. */
export function callers(
  project: LintedSources,
  fn: CppFunction,
): { fn: CppFunction; at: number }[] {
  const name = lastWord(fn.name)
  return project.functions.flatMap((one) => {
    const call = findAll(one.body, 'call_expression').find(
      (call) => lastWord(calledName(one.source, call)) === name,
    )
    return call ? [{ fn: one, at: call.end }] : []
  })
}

const torchInclude = /#\s*include\s*<(torch|ATen|c10)\//

export function usesTorch(source: SourceFile): boolean {
  return torchInclude.test(source.text)
}
