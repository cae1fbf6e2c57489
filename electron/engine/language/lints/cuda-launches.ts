import type { Fix } from '../../../contract/diagnostics'
import { calledName, isTensor, lastWord } from '../syntax/functions'
import type { CppFunction } from '../syntax/functions'
import type { SourceFile } from '../syntax/source-file'
import { findAll, partsOf } from '../syntax/syntax-tree'
import type { SyntaxNode } from '../syntax/syntax-tree'
import { includeHeader, insertBefore, replace } from './lint'
import type { Finding, Lint } from './lint'
import type { ProjectSources } from './project-sources'

const uncheckedDocumentation = `A kernel is launched, and nobody asks whether that worked.

A launch returns nothing. Too many threads or too much shared memory for the device, or no code for its architecture: the kernel does not run, the results are what memory held before, and the error comes up at some later call that has nothing to do with it.

\`\`\`cpp
scale<<<blocks, threads, 0, stream>>>(data, size);
C10_CUDA_KERNEL_LAUNCH_CHECK();  // <c10/cuda/CUDAException.h>
\`\`\`

In a file without libtorch's headers: return \`cudaGetLastError()\` and let the caller check it.`

const streamDocumentation = `A kernel is launched on the default stream.

PyTorch runs work on the stream its user chose, \`torch.cuda.stream(...)\`. A kernel on the default one runs beside that work instead of after it: it may read inputs that are not written yet, and its results may be read too early. CUDA graphs do not record it.

\`\`\`cpp
const cudaStream_t stream = at::cuda::getCurrentCUDAStream();  // <ATen/cuda/CUDAContext.h>
scale<<<blocks, threads, 0, stream>>>(data, size);
\`\`\`

A file without libtorch's headers takes the stream as an argument.`

const guardDocumentation = `A kernel is launched on whatever GPU is current, not on the one that has the tensors.

With two GPUs, an operator called with tensors of the second while the first is current launches on the first: an illegal memory access, or slow access across GPUs. libtorch sets the device for its own operators, not for those a project registers.

\`\`\`cpp
const c10::cuda::CUDAGuard guard(x.device());  // <c10/cuda/CUDAGuard.h>
\`\`\`

at the start of the function sets it, and back at its end.`

interface Launch {
  fn: CppFunction
  call: SyntaxNode
  /** Grid, block, shared memory, stream. */
  configuration: SyntaxNode[]
  syntax: SyntaxNode
}

function launches(project: ProjectSources): Launch[] {
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

const asks = /\b(C10_CUDA_KERNEL_LAUNCH_CHECK|cudaGetLastError|cudaPeekAtLastError)\b/
const checks =
  /^(\w*CUDA\w*CHECK\w*|\w*CHECK\w*CUDA\w*|gpuErrchk|gpuErrorCheck|\w*LAST_ERROR\w*|\w*KERNEL_LAUNCH_CHECK\w*|check\w*(cuda|launch|kernel)\w*)$/i

function isChecked(project: ProjectSources, fn: CppFunction, after: number): boolean {
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

/** Functions of the project that call one. */
function callers(project: ProjectSources, fn: CppFunction): { fn: CppFunction; at: number }[] {
  const name = lastWord(fn.name)
  return project.functions.flatMap((one) => {
    const call = findAll(one.body, 'call_expression').find(
      (call) => lastWord(calledName(one.source, call)) === name,
    )
    return call ? [{ fn: one, at: call.end }] : []
  })
}

const torchInclude = /#\s*include\s*<(torch|ATen|c10)\//

function usesTorch(source: SourceFile): boolean {
  return torchInclude.test(source.text)
}

function isOnlyStatement(call: SyntaxNode): boolean {
  return (
    call.parent?.type === 'expression_statement' &&
    call.parent.parent?.type === 'compound_statement'
  )
}

function checkErrors(project: ProjectSources): Finding[] {
  return launches(project).flatMap(({ fn, call }): Finding[] => {
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
        message: `Whether ${calledName(source, call)} could be launched is never checked.`,
        fixes,
      },
    ]
  })
}

function checkStream(project: ProjectSources): Finding[] {
  return launches(project).flatMap(({ fn, call, configuration, syntax }): Finding[] => {
    const { source } = fn
    const stream = configuration[3]
    if (stream && !/^(0|NULL|nullptr|cudaStreamLegacy)$/.test(source.textOf(stream))) return []
    // Timed or tried on its own, a program's main chooses for itself.
    if (lastWord(fn.name) === 'main') return []
    const parameter = fn.parameters.find((one) => /\bcudaStream_t$|CUDAStream&?$/.test(one.type))
    const better = parameter?.name ?? 'at::cuda::getCurrentCUDAStream()'
    const last = configuration.at(-1)
    const fixes: Fix[] =
      last && (parameter || usesTorch(source)) && configuration.length >= 2
        ? [
            {
              title: `Launch on ${parameter ? parameter.name : 'the current stream'}`,
              edits: [
                stream
                  ? replace(source, stream.start, stream.end, better)
                  : replace(
                      source,
                      last.end,
                      last.end,
                      `${configuration.length === 2 ? ', 0' : ''}, ${better}`,
                    ),
                ...(parameter ? [] : includeHeader(source, 'ATen/cuda/CUDAContext.h')),
              ],
            },
          ]
        : []
    return [
      {
        source,
        node: stream ?? syntax,
        message: `${calledName(source, call)} runs on the default stream, not on the one PyTorch is using.`,
        fixes,
      },
    ]
  })
}

const guards =
  /\b(OptionalCUDAGuard|CUDAGuard|CUDAStreamGuard|OptionalDeviceGuard|DeviceGuard|cudaSetDevice|set_device)\b/

function isGuarded(fn: CppFunction): boolean {
  return guards.test(fn.source.textOf(fn.body))
}

function checkGuard(project: ProjectSources): Finding[] {
  const seen = new Set<SyntaxNode>()
  return launches(project).flatMap(({ fn, call }): Finding[] => {
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

export const launchUnchecked: Lint = {
  code: 'opsmith-launch-unchecked',
  documentation: uncheckedDocumentation,
  check: checkErrors,
}
export const launchStream: Lint = {
  code: 'opsmith-launch-stream',
  documentation: streamDocumentation,
  check: checkStream,
}
export const deviceGuard: Lint = {
  code: 'opsmith-device-guard',
  documentation: guardDocumentation,
  check: checkGuard,
}
