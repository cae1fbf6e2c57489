import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { OpenProject } from '../project/open-project'
import type { CompileTask } from './compile-task'
import type { CompileTools } from './compile-tools'
import { chooseArchitectures, nvccArguments } from './cuda'
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
  /** What kernels are compiled for, instead of the GPUs here; empty for no such wish. */
  architectures: readonly string[]
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
  { tools, project, projectFlags, architectures }: CudaBuild,
  source: SourceText,
  texts: readonly string[],
): Result<CompileTask> {
  const { toolchain, includes } = tools
  const { cuda } = toolchain
  const label = source.relative
  if (!cuda) {
    return err('toolchain.missing', `${label} is a CUDA source, but nvcc is not installed.`, {
      file: source.file,
      hint: 'Install the CUDA toolkit: https://developer.nvidia.com/cuda-downloads. Sources in `cudaSources` of opsmith.json are left out if there is no nvcc.',
    })
  }
  const chosen = chooseArchitectures(cuda, project.folder, project.manifest, architectures)
  if (!chosen.ok) return chosen
  const args = [
    ...nvccArguments({
      toolchain,
      includes,
      manifest: project.manifest,
      texts,
      architectures: chosen.value,
      torchFlags: torchFlagsOf(tools),
    }),
    ...projectFlags,
  ]
  return ok({
    label,
    server: undefined,
    command: cuda.nvcc,
    args,
    source: source.relative,
    key: hashOf(
      'nvcc-2',
      cuda.version,
      toolchain.libtorch.identity,
      source.relative,
      source.text,
      ...args,
    ),
  })
}

/** A function that `functions` of opsmith.json binds is defined in a CUDA source, which nvcc compiles. */
export function boundInCudaSource(
  folder: string,
  label: string,
  functions: readonly string[],
): Result<never> {
  return err(
    'project.invalid',
    `opsmith.json, functions: ${functions.join(', ')} is defined in ${label}; a function that is bound by name must be in a C++ source.`,
    {
      path: 'functions',
      file: manifestFileOf(folder),
      hint: 'Launch the CUDA kernel from a function in a .cpp file, and bind that function.',
    },
  )
}
