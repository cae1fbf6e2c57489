import { calledName, isTensor } from '../../syntax/functions'
import type { CppFunction } from '../../syntax/functions'
import { partsOf } from '../../syntax/syntax-tree'
import type { SyntaxNode } from '../../syntax/syntax-tree'
import { callers, launches } from '../cuda-launch'
import { includeHeader, insertBefore } from '../lint'
import type { LintFinding, Lint } from '../lint'
import type { LintedSources } from '../project-sources'

const documentation = `A kernel is launched on whatever GPU is current, not on the one that has the tensors.

With two GPUs, an operator called with tensors of the second while the first is current launches on the first: an illegal memory access, or slow access across GPUs. libtorch sets the device for its own operators, not for those a project registers.

\`\`\`cpp
const c10::cuda::CUDAGuard guard(x.device());  // <c10/cuda/CUDAGuard.h>
\`\`\`

at the start of the function sets it, and back at its end.`

const guards =
  /\b(OptionalCUDAGuard|CUDAGuard|CUDAStreamGuard|OptionalDeviceGuard|DeviceGuard|cudaSetDevice|set_device)\b/

function isGuarded(fn: CppFunction): boolean {
  return guards.test(fn.source.textOf(fn.body))
}

function check(project: LintedSources): LintFinding[] {
  const seen = new Set<SyntaxNode>()
  return launches(project).flatMap(({ fn, call }): LintFinding[] => {
    const { source, body } = fn
    const tensor = fn.parameters.find((one) => isTensor(one) && one.name !== '')
    if (!tensor || !body || seen.has(body)) return []
    seen.add(body)
    const from = callers(project, fn)
    if (isGuarded(fn) || (from.length > 0 && from.every((one) => isGuarded(one.fn)))) return []
    const first = partsOf(body)[0]
    return [
      {
        source,
        node: call,
        message: `${calledName(source, call)} is launched on the current GPU, which need not be ${tensor.name}'s.`,
        fixes: first
          ? [
              {
                title: `Add a CUDAGuard of ${tensor.name}'s device`,
                edits: [
                  insertBefore(
                    source,
                    body,
                    first,
                    `const c10::cuda::CUDAGuard guard(${tensor.name}.device());`,
                  ),
                  ...includeHeader(source, 'c10/cuda/CUDAGuard.h'),
                ],
              },
            ]
          : [],
      },
    ]
  })
}

export const lint: Lint = { code: 'opsmith-device-guard', documentation, check }
