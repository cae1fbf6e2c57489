import type { Fix } from '../../../../contract/diagnostics'
import { calledName, lastWord } from '../../syntax/functions'
import { launches, usesTorch } from '../cuda-launch'
import { includeHeader, replace } from '../lint'
import type { LintFinding, Lint } from '../lint'
import type { LintedSources } from '../project-sources'

const documentation = `A GPU kernel is launched on the default stream.

PyTorch runs work on the stream that the user chose with \`torch.cuda.stream(...)\`. A kernel on the default stream runs at the same time as that work, not after it. It may read inputs before they are written, and its results may be read too early. CUDA graphs do not record it.

\`\`\`cpp
const cudaStream_t stream = at::cuda::getCurrentCUDAStream();  // <ATen/cuda/CUDAContext.h>
scale<<<blocks, threads, 0, stream>>>(data, size);
\`\`\`

In a file without libtorch's headers, pass the stream as an argument.`

function check(project: LintedSources): LintFinding[] {
  return launches(project).flatMap(({ fn, call, configuration, syntax }): LintFinding[] => {
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
        message: `${calledName(source, call)} runs on the default stream, not on the current stream of PyTorch.`,
        fixes,
      },
    ]
  })
}

export const lint: Lint = { code: 'opsmith-launch-stream', documentation, check }
