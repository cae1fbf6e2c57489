import type { Fix } from '../../../../contract/diagnostics'
import { calledName, lastWord } from '../../syntax/functions'
import type { CppFunction } from '../../syntax/functions'
import { findAll } from '../../syntax/syntax-tree'
import type { SyntaxNode } from '../../syntax/syntax-tree'
import { callers, launches, usesTorch } from '../cuda-launch'
import { includeHeader, replace } from '../lint'
import type { LintFinding, Lint } from '../lint'
import type { LintedSources } from '../project-sources'

const documentation = `A GPU kernel is launched, but the launch is not checked.

A launch returns no error code. The kernel does not run if it has too many threads, too much shared memory, or no code for the architecture of the device. The results are then old memory contents, and the error appears at a later, unrelated call.

\`\`\`cpp
scale<<<blocks, threads, 0, stream>>>(data, size);
C10_CUDA_KERNEL_LAUNCH_CHECK();  // <c10/cuda/CUDAException.h>
\`\`\`

In a file without libtorch's headers: return \`cudaGetLastError()\` and let the caller check it.`

const asks = /\b(C10_CUDA_KERNEL_LAUNCH_CHECK|cudaGetLastError|cudaPeekAtLastError)\b/
const checks =
  /^(\w*CUDA\w*CHECK\w*|\w*CHECK\w*CUDA\w*|gpuErrchk|gpuErrorCheck|\w*LAST_ERROR\w*|\w*KERNEL_LAUNCH_CHECK\w*|check\w*(cuda|launch|kernel)\w*)$/i

function isChecked(project: LintedSources, fn: CppFunction, after: number): boolean {
  const { source, body } = fn
  if (asks.test(source.text.slice(after, body?.end ?? after))) return true
  return findAll(body, 'call_expression').some((call) => {
    if (call.start < after) return false
    const name = lastWord(calledName(source, call))
    const macro = project.macros.get(name)
    if (checks.test(name) || (macro !== undefined && asks.test(macro))) return true
    const known = project.definition(name, source)
    return known?.body !== undefined && asks.test(known.source.textOf(known.body))
  })
}

function isOnlyStatement(call: SyntaxNode): boolean {
  return (
    call.parent?.type === 'expression_statement' &&
    call.parent.parent?.type === 'compound_statement'
  )
}

function check(project: LintedSources): LintFinding[] {
  return launches(project).flatMap(({ fn, call }): LintFinding[] => {
    const { source } = fn
    if (isChecked(project, fn, call.end)) return []
    if (callers(project, fn).some((one) => isChecked(project, one.fn, one.at))) return []
    const statement = call.parent
    const fixes: Fix[] =
      usesTorch(source) && statement && isOnlyStatement(call)
        ? [
            {
              title: 'Add C10_CUDA_KERNEL_LAUNCH_CHECK()',
              edits: [
                replace(
                  source,
                  statement.end,
                  statement.end,
                  `\n${source.indentAt(statement.start)}C10_CUDA_KERNEL_LAUNCH_CHECK();`,
                ),
                ...includeHeader(source, 'c10/cuda/CUDAException.h'),
              ],
            },
          ]
        : []
    return [
      {
        source,
        node: call,
        message: `The launch of ${calledName(source, call)} is never checked.`,
        fixes,
      },
    ]
  })
}

export const lint: Lint = { code: 'opsmith-launch-unchecked', documentation, check }
