import path from 'node:path'

/** What a build is for. */
export interface GpuVariant {
  /** Each access to memory is checked. */
  isChecked: boolean
  /** What warps do is counted, for each line. Not both. */
  isCounted?: boolean
}

/** Folder of the runtime's sources and headers. */
export const gpuFolder = (root: string): string => path.join(root, 'native', 'virtual_gpu')

/** The compute capability that sources are compiled for, as `__CUDA_ARCH__` says it. */
export const cudaArch = 800

/**
 * Flags of every CUDA source. `-fdeclspec` makes threadIdx.x a property; `-fwrapv` is what GPUs do;
 * nvcc accepts what the three warnings forbid. Kernels pass variables without a value to shuffles, of
 * which only one lane's is read: clang must not conclude that the others do not exist. Nor that each
 * loop ends: a kernel that hangs on a GPU must hang here.
 */
export function cudaFlags(root: string, variant: GpuVariant): string[] {
  return [
    '-std=gnu++20',
    '-fdeclspec',
    '-fPIC',
    '-pthread',
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
    '-isystem',
    path.join(gpuFolder(root), 'include'),
    '-DOPSMITH_CUDACC=1',
    '-DOPSMITH_NVCC=1',
    `-DOPSMITH_CUDA_ARCH=${cudaArch}`,
    `-DOPSMITH_CUDA_ARCH_LIST=${cudaArch}`,
    '-D__CUDACC_VER_MAJOR__=12',
    '-D__CUDACC_VER_MINOR__=8',
    '-D__CUDACC_VER_BUILD__=0',
    '-D__CUDACC_EXTENDED_LAMBDA__=1',
    '-D__OPSMITH_VIRTUAL_GPU__=1',
    ...flagsOf(variant),
  ]
}

function flagsOf({ isChecked, isCounted }: GpuVariant): string[] {
  if (isCounted === true) return countedFlags
  return isChecked ? checkedFlags : ['-O2', '-fwrapv']
}

/**
 * Every access calls the runtime: clang's instrumentation for ThreadSanitizer, without its runtime.
 * Plain loops stay loops, so that each access is one of a thread.
 */
const instrumented = [
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

const checkedFlags = [
  ...instrumented,
  '-mllvm',
  '-tsan-compound-read-before-write=1',
  '-fsanitize=bounds,alignment,signed-integer-overflow',
  '-fsanitize-recover=all',
]

/**
 * An instruction is one of one line: branches that end alike are not joined, loops not unrolled even
 * if the source asks for it. The runtime also sees each straight piece of code.
 */
const countedFlags = [
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
