/** Words of CUDA that the rewriter looks for. */

/** Words with which one block can see what another does, wherever they stand. */
const dependence =
  /^(?:atomic\w*|__threadfence\w*|cooperative_groups|__managed__|cudaLaunchCooperativeKernel|curand\w*|__nanosleep|__stwt|__ldcv)$/
/** And those that host code has, too. */
const dependenceOnDevice =
  /^(?:volatile|cuda|asm|__asm__|printf|malloc|new|red|clock|clock64|assert)$/

/**
 * Whether a word can make blocks wait for each other, or their order show.
 * @param mayBeDevice it stands in code of the device, or in a macro, which may be used there
 */
export function makesDependent(word: string, mayBeDevice: boolean): boolean {
  return dependence.test(word) || (mayBeDevice && dependenceOnDevice.test(word))
}

/** Functions whose result programs throw away; a checked run tells if it was an error. */
export const reportingCall =
  /^cuda(?:Malloc\w*|Free\w*|Memcpy\w*|Memset\w*|HostAlloc|HostRegister|Stream(?:Create\w*|Synchronize|Destroy|WaitEvent)|Event(?:Create\w*|Record|Synchronize|Destroy|ElapsedTime)|DeviceSynchronize|SetDevice|Launch(?:Cooperative)?Kernel|FuncSetAttribute|MemPrefetchAsync)$/

/** Macros that headers of the system must not see. */
export const renamed = new Map([
  ['__CUDACC__', 'OPSMITH_CUDACC'],
  ['__NVCC__', 'OPSMITH_NVCC'],
  ['__CUDA_ARCH__', 'OPSMITH_CUDA_ARCH'],
  ['__CUDA_ARCH_LIST__', 'OPSMITH_CUDA_ARCH_LIST'],
])
