import { calledName, isTensor } from '../../syntax/functions'
import type { CppFunction } from '../../syntax/functions'
import { partsOf } from '../../syntax/syntax-tree'
import type { SyntaxNode } from '../../syntax/syntax-tree'
import { callers, launches } from '../cuda-launch'
import { includeHeader, insertBefore } from '../lint'
import type { LintFinding, Lint } from '../lint'
import type { LintedSources } from '../project-sources'

const documentation = `A GPU kernel is launched on the current GPU, which may not be the GPU of the tensors.

Example: the first GPU is current, and the operator gets tensors on the second GPU. The kernel then runs on the first GPU. It fails with an illegal memory access, or it is slow because the tensors are on another GPU. libtorch sets the device for its own operators, but not for the operators of a project.

A guard at the start of the function sets the device, and restores it at the end:

\`\`\`cpp
const c10::cuda::CUDAGuard guard(x.device());  // <c10/cuda/CUDAGuard.h>
\`\`\``

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
        message: `${calledName(source, call)} is launched on the current GPU, which may not be the GPU of ${tensor.name}.`,
        fixes: first
          ? [
              {
                title: `Add a CUDAGuard for the device of ${tensor.name}`,
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
