import path from 'node:path'

import type { Toolchain } from '../toolchain/choose'
import type { IncludeSnapshot } from './include-snapshot'

/**
 * What a source starts from: `lean` holds the dispatcher, ATen and autograd functions; `extension`
 * torch/extension.h without the parts of the C++ frontend that operators seldom use; `full` all of it;
 * `stable` what has a stable ABI, and nothing else.
 */
export type Prelude = 'lean' | 'extension' | 'full' | 'stable'
export const preludes: readonly Prelude[] = ['extension', 'lean', 'full', 'stable']

/**
 * What is built: `plain` is what is called, timed and exported; `sanitized` is watched by ASan and
 * UBSan, lies beside it and is only loaded by op hosts that were started for it.
 */
export type BuildVariant = 'plain' | 'sanitized'

/** What both the compiler and the linker are told of the sanitizers. */
const sanitizerFlags = [
  '-fsanitize=address,undefined',
  // It wants the type information of every libtorch class that is named, and not all is exported.
  '-fno-sanitize=vptr',
]

/** What Python's own flags add to the C++ sources of an extension, and nvcc does not get. */
export const setuptoolsFlags: readonly string[] = ['-DNDEBUG', '-fwrapv']

/** Flags that every C++ source and the precompiled headers share: they must agree to the letter. */
export function commonFlags(
  toolchain: Toolchain,
  includes: IncludeSnapshot,
  variant: BuildVariant,
): string[] {
  const { compiler, libtorch, options } = toolchain
  const plain = variant === 'plain'
  return [
    `-std=c++${Math.max(20, libtorch.cxxStandard)}`,
    plain ? `-${options.optimization}` : '-O1',
    ...(plain && options.fastMath ? ['-ffast-math'] : []),
    ...(options.marchNative ? ['-march=native'] : []),
    // The sanitizers find more with asserts, and with overflows that are errors.
    ...(plain && options.setuptoolsFlags ? setuptoolsFlags : []),
    '-fPIC',
    // Lines for stack traces; the rest of debug information costs a third of the compile. g++ names
    // the functions that were inlined only with all of it.
    ...(compiler.family === 'clang'
      ? ['-gline-tables-only', '-fdebug-compilation-dir=.']
      : [plain ? '-g1' : '-g', '-fno-gnu-unique', '-fopenmp']),
    ...(plain ? [] : ['-fno-omit-frame-pointer', ...sanitizerFlags]),
    // __FILE__ in headers ends up in libraries: what is exported names no folder of this machine.
    `-fmacro-prefix-map=${path.join(libtorch.folder, 'include')}/=`,
    `-fmacro-prefix-map=${includes.folder}/=`,
    `-D_GLIBCXX_USE_CXX11_ABI=${libtorch.cxx11Abi ? 1 : 0}`,
    '-DTORCH_API_INCLUDE_EXTENSION_H',
    // What all bound functions share is in a unit of its own: opsmith/bound_function.cpp.
    '-DOPSMITH_SEPARATE_RUNTIME',
    '-I',
    path.join(includes.folder, 'include'),
    '-isystem',
    path.join(libtorch.folder, 'include'),
    '-isystem',
    path.join(libtorch.folder, 'include/torch/csrc/api/include'),
    ...(libtorch.hasCuda && toolchain.cuda?.folder
      ? ['-isystem', path.join(toolchain.cuda.folder, 'include')]
      : []),
  ]
}

/** Flags that a prelude asks for, precompiled or not. */
export function preludeFlags(prelude: Prelude | undefined): string[] {
  return prelude === 'extension' ? ['-DOPSMITH_LEAN_EXTENSION'] : []
}

/** Flags that a precompiled header made without them would contradict. */
export function changesPrecompiled(flag: string): boolean {
  return (
    /^-(O|m|f|g|std|stdlib|pthread|ansi)/.test(flag) ||
    /^-[DU](NDEBUG|_GLIBCXX|C10_|AT_|TORCH_)/.test(flag)
  )
}

/** Flags of the link of an operator library. */
export function linkFlags(toolchain: Toolchain, variant: BuildVariant): string[] {
  const { compiler, libtorch } = toolchain
  const lib = path.join(libtorch.folder, 'lib')
  const torch = ['-ltorch', '-ltorch_cpu', '-lc10']
  if (libtorch.hasCuda) torch.push('-ltorch_cuda', '-lc10_cuda')
  return [
    '-shared',
    // A runtime of its own in each library would not see the allocations of the others.
    ...(variant === 'sanitized'
      ? [...sanitizerFlags, ...(compiler.family === 'clang' ? ['-shared-libasan'] : [])]
      : []),
    ...(compiler.linker === ''
      ? []
      : path.isAbsolute(compiler.linker)
        ? [`--ld-path=${compiler.linker}`]
        : [`-fuse-ld=${compiler.linker}`]),
    // An undefined symbol is found here, with the line that uses it, not at load.
    '-Wl,-z,defs',
    '-Wl,--no-as-needed',
    '-L',
    lib,
    ...torch,
    // clang-built operators find libtorch's own OpenMP runtime by weak symbols: ATen/ParallelOpenMP.h.
    ...(compiler.family === 'clang' ? [] : ['-fopenmp']),
    '-Wl,--as-needed',
    `-Wl,-rpath,${lib}`,
  ]
}
