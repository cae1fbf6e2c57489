import path from 'node:path'

import { buildExtensionFlags } from '../cuda'

/** What a build is for. */
export interface GpuVariant {
  /** Each access to memory is checked. */
  isChecked: boolean
  /** What warps do is counted, for each line. */
  isCounted?: boolean
  /** Threads can be stopped at lines, and their variables read. One of the three at most. */
  isStepped?: boolean
}

/** Folder of the runtime's sources and headers. */
export const gpuFolder = (root: string): string => path.join(root, 'native', 'virtual_gpu')

/** CUDA's headers, as they are here; before all others. */
export const gpuHeaders = (root: string): string => path.join(gpuFolder(root), 'include')

/** The compute capability that sources are compiled for, as `__CUDA_ARCH__` says it. */
export const cudaArch = 800

/** Macros of every CUDA source, "NAME=value". */
export const cudaMacros: readonly string[] = [
  'OPSMITH_CUDACC=1',
  'OPSMITH_NVCC=1',
  `OPSMITH_CUDA_ARCH=${cudaArch}`,
  `OPSMITH_CUDA_ARCH_LIST=${cudaArch}`,
  '__CUDACC_VER_MAJOR__=12',
  '__CUDACC_VER_MINOR__=8',
  '__CUDACC_VER_BUILD__=0',
  '__CUDACC_EXTENDED_LAMBDA__=1',
  '__OPSMITH_VIRTUAL_GPU__=1',
]

/**
 * What clang must know of device code. `-fdeclspec` makes threadIdx.x a property; nvcc accepts what the warnings
 * forbid. Kernels pass variables without a value to shuffles, of which only one lane's is read: clang must not
 * conclude that the others do not exist. Nor that each loop ends: a kernel that hangs on a GPU must hang here.
 * native/compile_server/main.cpp does the same for what it compiles.
 */
export const deviceCodeFlags: readonly string[] = [
  '-fdeclspec',
  '-w',
  '-Wno-invalid-constexpr',
  '-Wno-c++11-narrowing',
  '-Wno-register',
  '-fno-strict-aliasing',
  '-fno-finite-loops',
  '-Xclang',
  '-no-enable-noundef-analysis',
  '-ftrivial-auto-var-init=zero',
  '-ftrivial-auto-var-init-max-size=64',
]

/** Of the host's C++ that includes CUDA's headers: what the headers need, and no more. */
export const hostCodeFlags: readonly string[] = ['-fdeclspec']

/** Flags of every CUDA source of a program; `-fwrapv` is what GPUs do. */
export function cudaFlags(root: string, variant: GpuVariant): string[] {
  return [
    '-std=gnu++20',
    '-fPIC',
    '-pthread',
    ...deviceCodeFlags,
    '-isystem',
    gpuHeaders(root),
    ...cudaMacros.map((macro) => `-D${macro}`),
    ...flagsOf(variant),
  ]
}

function flagsOf(variant: GpuVariant): readonly string[] {
  const flags = instrumentationFlags(variant)
  return flags.length > 0 ? flags : ['-O2', '-fwrapv']
}

/** What a build for checks, counts or steps adds, after flags that may say `-fwrapv`; none for a plain one. */
export function instrumentationFlags({
  isChecked,
  isCounted,
  isStepped,
}: GpuVariant): readonly string[] {
  if (isCounted === true) return countedFlags
  if (isStepped === true) return steppedFlags
  return isChecked ? checkedFlags : []
}

/** These write through pointers, and the C library is not instrumented: the runtime has its own, which note the writes. */
const writesThroughPointers = ['sincos', 'modf', 'frexp', 'remquo'].flatMap((name) => [
  name,
  `${name}f`,
])

/** Functions of the C library that the runtime has others for: in an op host, the C library's would be found first. */
export function wrapFlags({ isChecked, isStepped }: GpuVariant): readonly string[] {
  if (isChecked)
    return ['malloc', 'free', ...writesThroughPointers].map((name) => `-Wl,--wrap=${name}`)
  return isStepped === true
    ? ['-Wl,--wrap=__cyg_profile_func_enter', '-Wl,--wrap=__cyg_profile_func_exit']
    : []
}

/**
 * Every access calls the runtime: clang's instrumentation for ThreadSanitizer, without its runtime.
 * Plain loops stay loops, so that each access is one of a thread.
 */
const instrumented: readonly string[] = [
  '-O2',
  '-fno-unroll-loops',
  '-gline-tables-only',
  '-fno-vectorize',
  '-fno-slp-vectorize',
  '-fno-omit-frame-pointer',
  '-fsanitize=thread',
  '-mllvm',
  '-tsan-instrument-atomics=0',
  '-mllvm',
  '-tsan-instrument-func-entry-exit=0',
  '-mllvm',
  '-tsan-distinguish-volatile=1',
  '-DOPSMITH_GPU_CHECKED=1',
]

/** Where device code finds CUDA's headers, and what they are read with: of every CUDA source of a project. */
export function headerFlags(root: string): string[] {
  return [
    // Before libtorch's, whose CUDA headers ask for a toolkit.
    `-I${gpuHeaders(root)}`,
    ...cudaMacros.map((macro) => `-D${macro}`),
    ...buildExtensionFlags.filter((flag) => flag.startsWith('-D')),
  ]
}

const checkedFlags: readonly string[] = [
  ...instrumented,
  // GPUs wrap around, but an index that does is a mistake.
  '-fno-wrapv',
  '-mllvm',
  '-tsan-compound-read-before-write=1',
  // A local variable stays in its place, and is read where the source reads it.
  '-DOPSMITH_GPU_LOCALS=1',
  '-mllvm',
  '-disable-licm-promotion',
  '-fsanitize=bounds,alignment,signed-integer-overflow',
  '-fsanitize-recover=all',
]

/**
 * An instruction is one of one line: branches that end alike are not joined, loops not unrolled even
 * if the source asks for it. The runtime also sees each straight piece of code.
 */
const countedFlags: readonly string[] = [
  ...instrumented,
  '-fwrapv',
  // A square root is one instruction, without a branch that sets errno.
  '-fno-math-errno',
  '-mllvm',
  '-tsan-instrument-read-before-write=1',
  '-mllvm',
  '-unroll-count=1',
  '-mllvm',
  '-simplifycfg-sink-common=false',
  '-mllvm',
  '-simplifycfg-hoist-common=false',
  '-mllvm',
  '-enable-tail-merge=false',
  '-mllvm',
  '-disable-vector-combine',
  '-fsanitize-coverage=bb,no-prune,trace-pc-guard,pc-table,control-flow',
]

/** Variables that an optimizer keeps in registers, or drops, cannot be shown. */
const inFrames: readonly string[] = ['-O0', '-fno-omit-frame-pointer']

/** What a project's own flags must not change. */
export const lastFlags = ({ isStepped }: GpuVariant): readonly string[] =>
  isStepped === true ? inFrames : []

/**
 * Each variable stays in its place in the frame, and the runtime is called at each load, store and branch target, and
 * where a function ends: every line with code has one of them, or calls a header that has.
 * engine/virtual-gpu/debug-info reads DWARF 4.
 */
const steppedFlags: readonly string[] = [
  ...inFrames,
  '-fwrapv',
  '-gdwarf-4',
  '-fsanitize-coverage=bb,no-prune,trace-pc,trace-loads,trace-stores',
  '-finstrument-functions-after-inlining',
  '-DOPSMITH_GPU_STEPPED=1',
]
