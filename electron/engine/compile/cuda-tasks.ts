import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { OpenProject } from '../project/open-project'
import type { CompileTask } from './compile-task'
import type { CompileTools } from './compile-tools'
import type { Toolchain } from '../toolchain/choose'
import { chooseHost } from '../toolchain/nvcc-host'
import { nvccArguments } from './cuda'
import { chooseArchitectures } from './cuda-architectures'
import type { ChosenArchitectures } from './cuda-architectures'
import { commonFlags, setuptoolsFlags } from './flags'
import type { SourceText } from './generated-sources'
import { hashOf } from './result-cache'
import { manifestFileOf } from '../project/manifest-place'

/** What the CUDA sources of one build have in common. */
export interface CudaBuild {
  tools: CompileTools
  project: OpenProject
  /** The project's own include paths and macros. */
  projectFlags: readonly string[]
  /** What kernels are compiled for. */
  code: ChosenArchitectures
}

/** Include paths and macros of libtorch's headers, which nvcc takes as they are. */
function torchFlagsOf({ toolchain, includes }: CompileTools): string[] {
  return commonFlags(toolchain, includes, 'plain').filter(
    (flag, index, all) =>
      !setuptoolsFlags.includes(flag) &&
      (/^-(I|isystem|D)/.test(flag) || ['-I', '-isystem'].includes(all[index - 1] ?? '')),
  )
}

/**
 * nvcc's run for one CUDA source.
 * @param texts the source and the headers of the project that it includes
 */
export function cudaTask(
  { tools, project, projectFlags, code }: CudaBuild,
  source: SourceText,
  texts: readonly string[],
): CompileTask {
  const { toolchain, includes } = tools
  const label = source.relative
  const args = [
    ...nvccArguments({
      toolchain,
      includes,
      manifest: project.manifest,
      texts,
      code,
      torchFlags: torchFlagsOf(tools),
    }),
    ...projectFlags,
  ]
  return {
    label,
    server: undefined,
    command: toolchain.cuda?.nvcc ?? '',
    args,
    source: source.relative,
    key: hashOf(
      'nvcc-2',
      toolchain.cuda?.version ?? '',
      toolchain.libtorch.identity,
      source.relative,
      source.text,
      ...args,
    ),
  }
}

/**
 * What all CUDA sources of a build are compiled for.
 * @param asked in place of the GPUs here and the project's own list; empty for no such wish
 */
export function codeOf(
  toolchain: Toolchain,
  { folder, manifest }: OpenProject,
  sources: readonly SourceText[],
  asked: readonly string[],
): Result<ChosenArchitectures> {
  const [first] = sources
  if (!first) return ok({ architectures: [], ptx: [], remarks: [] })
  const { cuda, compiler } = toolchain
  if (!cuda) {
    return err(
      'toolchain.missing',
      `${first.relative} is a CUDA source, but nvcc is not installed.`,
      {
        file: first.file,
        hint: 'Install the CUDA toolkit: https://developer.nvidia.com/cuda-downloads. Or use the virtual GPU, which needs clang and a CPU build of libtorch. Or move the file from `sources` to `cudaSources` in opsmith.json: a build without nvcc leaves out `cudaSources`.',
      },
    )
  }
  const chosen = chooseArchitectures(cuda, folder, manifest, asked)
  if (!chosen.ok) return chosen
  const { remark } = chooseHost(cuda, compiler)
  if (remark !== '') chosen.value.remarks.push(`nvcc's host compiler: ${remark}`)
  return chosen
}

/** A function that `functions` of opsmith.json binds is defined in a CUDA source, which nvcc compiles. */
export function boundInCudaSource(
  folder: string,
  label: string,
  functions: readonly string[],
): Result<never> {
  return err(
    'project.invalid',
    `opsmith.json, functions: the CUDA source ${label} defines ${functions.join(', ')}, but "functions" can only name functions that a C++ source defines.`,
    {
      path: 'functions',
      file: manifestFileOf(folder),
      hint: 'Launch the CUDA kernel from a function in a .cpp file, and bind that function.',
    },
  )
}
