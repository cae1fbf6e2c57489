import path from 'node:path'

import type { KernelResources } from '../../contract/build'
import type { Manifest } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Toolchain } from '../toolchain/choose'
import type { CudaToolkit } from '../toolchain/cuda'
import { findAllOnPath, findOnPath } from '../toolchain/find-on-path'
import { runProcess } from '../toolchain/run-command'
import type { IncludeSnapshot } from './include-snapshot'
import { parseKernelResources } from './nvcc-output'
import { includesOf } from '../project/scan-source'
import { manifestFileOf } from '../project/manifest-place'

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
export function whyNoCudaPart({ cuda, libtorch }: Toolchain, texts: readonly string[]): string {
  if (!cuda) return 'there is no nvcc'
  const asksTorch = texts.some((text) =>
    includesOf(text).some(({ name }) => torchCudaHeaders.test(name)),
  )
  return asksTorch && !libtorch.hasCuda ? 'libtorch here is a CPU build' : ''
}

/** "80", "8.0" and "sm_80" are one architecture, "90a" another; undefined for what is none. */
export function architectureOf(text: string): string | undefined {
  const match = /^(?:sm_|compute_)?(\d{1,2})\.?(\d)([af]?)$/.exec(text.trim())
  return match ? `${match[1]}${match[2]}${match[3]}` : undefined
}

/**
 * What the kernels of a build are compiled for: what was asked for with it, else the GPUs that are
 * here, else the project's list, else the oldest that nvcc knows, whose PTX every newer GPU
 * translates when the library is loaded.
 */
export function chooseArchitectures(
  cuda: CudaToolkit,
  folder: string,
  manifest: Manifest,
  asked: readonly string[],
): Result<string[]> {
  const place = { path: 'cudaArchitectures', file: manifestFileOf(folder) }
  // A GPU newer than nvcc takes the PTX of the newest that nvcc knows.
  const newest = cuda.supported.at(-1) ?? ''
  const present = cuda.present.map((one) => (Number(one) > Number(newest) ? newest : one))
  const usesList = asked.length === 0 && present.length === 0
  const wanted =
    asked.length > 0
      ? asked
      : present.length > 0
        ? present
        : manifest.cudaArchitectures.length > 0
          ? manifest.cudaArchitectures
          : cuda.supported.slice(0, 1)
  const found: string[] = []
  for (const text of wanted) {
    const one = architectureOf(text)
    if (one === undefined || !cuda.supported.includes(one.replace(/[af]$/, ''))) {
      return err(
        'project.invalid',
        `${usesList ? 'opsmith.json, cudaArchitectures: ' : ''}nvcc ${cuda.version} does not compile for the architecture ${JSON.stringify(text)}.`,
        {
          hint: `Supported are ${cuda.supported.join(', ')}: a GPU's compute capability without the point.`,
          ...(usesList ? place : {}),
        },
      )
    }
    if (!found.includes(one)) found.push(one)
  }
  return ok(found.sort((a, b) => Number.parseInt(a) - Number.parseInt(b)))
}

/** Machine code for each, and PTX of the newest for GPUs that are newer still. */
function generatedCode(architectures: readonly string[]): string[] {
  return architectures.flatMap((one, index) => [
    '-gencode',
    index === architectures.length - 1
      ? `arch=compute_${one},code=[sm_${one},compute_${one}]`
      : `arch=compute_${one},code=sm_${one}`,
  ])
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

/** nvcc's host compiler: the chosen g++; with clang, what nvcc finds itself, which it knows best. */
function hostCompiler({ compiler }: Toolchain): string[] {
  if (compiler.family === 'g++') return ['-ccbin', compiler.path]
  return findOnPath('gcc') === undefined ? ['-ccbin', compiler.path] : []
}

export interface NvccSource {
  toolchain: Toolchain
  includes: IncludeSnapshot
  manifest: Manifest
  /** The source and the headers of the project that it includes. */
  texts: readonly string[]
  architectures: readonly string[]
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

/** nvcc's arguments for one source, without -o and the source. */
export function nvccArguments(source: NvccSource): string[] {
  const { toolchain, manifest, includes, texts, architectures, torchFlags } = source
  const torch = texts.some((text) => includesOf(text).some(({ name }) => torchHeaders.test(name)))
  const own = manifest.cudaCflags
  const { optimization, fastMath } = toolchain.options
  const says = (pattern: RegExp): boolean => own.some((flag) => pattern.test(flag))
  return [
    ...hostCompiler(toolchain),
    // Without libtorch, the standard that nvcc takes itself compiles fastest.
    ...(torch && !says(/^--?std/)
      ? [`-std=c++${Math.max(20, toolchain.libtorch.cxxStandard)}`]
      : []),
    ...(says(/^-O\d/) ? [] : [`-${optimization}`]),
    ...(fastMath ? ['--use_fast_math'] : []),
    ...(says(/^(-gencode|--generate-code|-arch|--gpu-architecture)/)
      ? []
      : generatedCode(architectures)),
    // One thread for each architecture; of one, what is for the host and what is for the device side by side.
    '--threads',
    String(Math.max(2, architectures.length)),
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

/** The CUDA runtime for the link of a library. */
export function cudaLinkFlags({ cuda, libtorch }: Toolchain): string[] {
  const folder = path.join(cuda?.folder ?? '', 'lib64')
  // The runtime that libtorch has loaded, found by its name in the library.
  if (libtorch.hasCuda && libtorch.cuda.split('.')[0] === cuda?.version.split('.')[0]) {
    return [`-L${folder}`, '-lcudart', `-Wl,-rpath,${folder}`]
  }
  // A runtime within the library: it loads, and its CPU part works, where there is no CUDA.
  return [
    `-L${folder}`,
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
