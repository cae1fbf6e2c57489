import path from 'node:path'

import type { KernelResources } from '../../contract/build'
import type { Manifest } from '../../contract/manifest'
import type { Toolchain } from '../toolchain/choose'
import { compareVersions, sharesRuntime } from '../toolchain/cuda-versions'
import { findAllOnPath, findOnPath } from '../toolchain/find-on-path'
import { chooseHost } from '../toolchain/nvcc-host'
import { runProcess } from '../toolchain/run-command'
import { generatedCode } from './cuda-architectures'
import type { ChosenArchitectures } from './cuda-architectures'
import type { IncludeSnapshot } from './include-snapshot'
import { parseKernelResources } from './nvcc-output'
import { includesOf } from '../project/scan-source'

/** CUDA's own headers, and those of libtorch that include them. */
const cudaHeaders = /^(cuda\w*\.h|cub\/|thrust\/|cooperative_groups|(c10|ATen|torch\/csrc)\/cuda\/)/
const torchHeaders = /^(torch|ATen|c10)\//

export function includesCuda(texts: readonly string[]): boolean {
  return texts.some((text) => includesOf(text).some(({ name }) => cudaHeaders.test(name)))
}

/** Headers of libtorch whose functions are in its CUDA libraries. */
const torchCudaHeaders = /^(c10|ATen|torch\/csrc)\/cuda\//

/**
 * Why a project's CUDA part is not built, to be read after "for"; "" where it is.
 * @param texts the sources of the part, and the headers of the project that they include
 */
export function whyNoCudaPart(
  { cuda, libtorch, virtualGpu }: Toolchain,
  texts: readonly string[],
): string {
  if (virtualGpu) return ''
  if (!cuda) return 'nvcc is not installed'
  const asksTorch = texts.some((text) =>
    includesOf(text).some(({ name }) => torchCudaHeaders.test(name)),
  )
  return asksTorch && !libtorch.hasCuda ? 'this libtorch is a CPU build' : ''
}

/** Where libtorch's CUDA headers find what their CPU build and a small toolkit leave out; searched last. */
const standIns = (includes: IncludeSnapshot): string =>
  path.join(includes.folder, 'include', 'opsmith', 'cuda_stand_ins')

/** What a C++ source needs that includes CUDA's headers or libtorch's about CUDA. */
export function cudaHostFlags(toolchain: Toolchain, includes: IncludeSnapshot): string[] {
  const folder = toolchain.cuda?.folder ?? ''
  return folder === ''
    ? []
    : ['-isystem', path.join(folder, 'include'), '-idirafter', standIns(includes)]
}

export interface NvccSource {
  toolchain: Toolchain
  includes: IncludeSnapshot
  manifest: Manifest
  /** The source and the headers of the project that it includes. */
  texts: readonly string[]
  code: Pick<ChosenArchitectures, 'architectures' | 'ptx'>
  /** Include paths and macros of libtorch's headers, for a source that includes one of them. */
  torchFlags: readonly string[]
}

/**
 * What torch.utils.cpp_extension gives nvcc for every source (COMMON_NVCC_FLAGS): sources that define operators
 * on half of their own are ambiguous without. A project takes one back by -U in its `cudaCflags`.
 */
export const buildExtensionFlags: readonly string[] = [
  '-D__CUDA_NO_HALF_OPERATORS__',
  '-D__CUDA_NO_HALF_CONVERSIONS__',
  '-D__CUDA_NO_BFLOAT16_CONVERSIONS__',
  '-D__CUDA_NO_HALF2_OPERATORS__',
  '--expt-relaxed-constexpr',
]

/** Code that calls device functions of other sources: it is linked by nvcc before the linker sees it. */
export function isRelocatable(flags: readonly string[]): boolean {
  return flags.some((flag, index) => {
    if (['-dc', '--device-c'].includes(flag)) return true
    const value = /^(?:-rdc|--relocatable-device-code)(?:=(\w+))?$/.exec(flag)
    return value !== null && (value[1] ?? flags[index + 1]) === 'true'
  })
}

const ownArchitecture = /^(-gencode|--generate-code|-arch|--gpu-architecture)/

/** What code is made for, by the project's own flags where they say it. */
function architectureFlags(
  own: readonly string[],
  code: Pick<ChosenArchitectures, 'architectures' | 'ptx'>,
): string[] {
  return own.some((flag) => ownArchitecture.test(flag)) ? [] : generatedCode(code)
}

/** nvcc's arguments for the link of relocatable device code, without objects and -o. */
export function deviceLinkArguments(
  { toolchain, manifest }: Pick<NvccSource, 'toolchain' | 'manifest'>,
  code: Pick<ChosenArchitectures, 'architectures' | 'ptx'>,
): string[] {
  const own = manifest.cudaCflags
  // With -arch and the like a value may follow as a word of its own.
  const chosen = own.filter(
    (flag, index) =>
      ownArchitecture.test(flag) ||
      /^(-gencode|-arch|--gpu-architecture|--generate-code)$/.test(own[index - 1] ?? ''),
  )
  return [
    '-dlink',
    ...hostFlags(toolchain),
    ...architectureFlags(own, code),
    ...chosen,
    '-Xcompiler',
    '-fPIC',
  ]
}

function hostFlags({ cuda, compiler }: Toolchain): string[] {
  const host = cuda ? chooseHost(cuda, compiler) : undefined
  return host === undefined || host.path === '' ? [] : ['-ccbin', host.path]
}

/** nvcc knows C++20 from 12.0 on; libtorch's headers of before 2.10 take 17 too. */
function standardOf({ cuda, libtorch }: Toolchain): number {
  const newest = compareVersions(cuda?.version ?? '', '12.0') < 0 ? 17 : 20
  return Math.max(newest, libtorch.cxxStandard)
}

/** nvcc's arguments for one source, without -o and the source. */
export function nvccArguments(source: NvccSource): string[] {
  const { toolchain, manifest, includes, texts, code, torchFlags } = source
  const torch = texts.some((text) => includesOf(text).some(({ name }) => torchHeaders.test(name)))
  const own = manifest.cudaCflags
  const { optimization, fastMath } = toolchain.options
  const says = (pattern: RegExp): boolean => own.some((flag) => pattern.test(flag))
  return [
    ...hostFlags(toolchain),
    // Without libtorch, the standard that nvcc takes itself compiles fastest.
    ...(torch && !says(/^--?std/) ? [`-std=c++${standardOf(toolchain)}`] : []),
    ...(says(/^-O\d/) ? [] : [`-${optimization}`]),
    ...(fastMath ? ['--use_fast_math'] : []),
    ...architectureFlags(own, code),
    // One thread for each architecture; of one, what is for the host and what is for the device side by side.
    '--threads',
    String(Math.max(2, code.architectures.length)),
    '-Xcompiler',
    '-fPIC',
    '-lineinfo',
    '-Xptxas',
    '-v',
    ...buildExtensionFlags,
    ...(torch ? [...torchFlags, '-Xcompiler', `-idirafter,${standIns(includes)}`] : []),
    ...own,
  ]
}

/**
 * The CUDA runtime for the link of a library.
 * @param isRelocatableCode the runtime for device code is needed too
 */
export function cudaLinkFlags({ cuda, libtorch }: Toolchain, isRelocatableCode = false): string[] {
  // Where the toolkit's folder is not known, its libraries are among the system's.
  const folder = cuda && cuda.folder !== '' ? path.join(cuda.folder, 'lib64') : ''
  const search = folder === '' ? [] : [`-L${folder}`]
  const device = isRelocatableCode ? ['-lcudadevrt'] : []
  // The runtime that libtorch has loaded, found by its name in the library.
  if (cuda && sharesRuntime(cuda, libtorch)) {
    const found = folder === '' ? [] : [`-Wl,-rpath,${folder}`]
    return [...search, ...device, '-lcudart', ...found]
  }
  // A runtime within the library: it loads, and its CPU part works, where there is no CUDA.
  return [
    ...search,
    ...device,
    '-lcudart_static',
    '-ldl',
    '-lrt',
    '-lpthread',
    '-Wl,--exclude-libs,libcudart_static.a',
  ]
}

/** A kernel's name without what it returns and its parameters: "add_forces<float, long>". */
export function shortKernelName(name: string): string {
  // Anonymous namespaces have brackets of their own.
  const plain = name.replaceAll('(anonymous namespace)::', '').replace(/^void /, '')
  const end = plain.indexOf('(')
  return end < 0 ? plain : plain.slice(0, end)
}

const demangled = new Map<string, string>()

/** What the kernels of a CUDA source take, by what nvcc printed; demangled where a tool for that is found. */
export async function kernelsOf(output: string): Promise<KernelResources[]> {
  const kernels = parseKernelResources(output)
  const names = kernels.map(({ name }) => name).filter((name) => !demangled.has(name))
  const tool =
    names.length === 0
      ? undefined
      : (findOnPath('c++filt') ??
        findOnPath('llvm-cxxfilt') ??
        findAllOnPath(/^llvm-cxxfilt-\d+$/).at(-1))
  if (tool !== undefined) {
    const { stdout } = await runProcess(tool, names)
    for (const [index, line] of stdout.split('\n').entries()) {
      const name = names[index]
      if (name !== undefined) demangled.set(name, line.trim())
    }
  }
  return kernels.map((kernel) => {
    const name = demangled.get(kernel.name) ?? kernel.name
    return { ...kernel, name, shortName: shortKernelName(name) }
  })
}
