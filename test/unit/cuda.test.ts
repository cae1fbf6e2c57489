import { describe, expect, it } from 'vitest'

import { resourceLines } from '../../electron/cli/building'
import type { KernelResources } from '../../electron/contract/build'
import { defaultBuildOptions } from '../../electron/contract/build-options'
import type { Optimization } from '../../electron/contract/build-options'
import { manifest as manifestShape } from '../../electron/contract/manifest'
import type { Manifest } from '../../electron/contract/manifest'
import { unwrap } from '../../electron/contract/outcome'
import { defaultSettings } from '../../electron/contract/settings'
import {
  cudaLinkFlags,
  deviceLinkArguments,
  isRelocatable,
  nvccArguments,
  shortKernelName,
  whyNoCudaPart,
} from '../../electron/engine/compile/cuda'
import {
  architectureOf,
  chooseArchitectures,
} from '../../electron/engine/compile/cuda-architectures'
import {
  describeKernels,
  parseKernelResources,
  parseNvccOutput,
  withoutKernelLines,
} from '../../electron/engine/compile/nvcc-output'
import { codeOf, cudaTask } from '../../electron/engine/compile/cuda-tasks'
import { commonFlags } from '../../electron/engine/compile/flags'
import { precompiledFlags } from '../../electron/engine/compile/precompiled-headers'
import { findInstallation } from '../../electron/engine/installation'
import type { OpenProject } from '../../electron/engine/project/open-project'
import { chosenTools } from '../../electron/engine/toolchain/choose'
import type { Toolchain } from '../../electron/engine/toolchain/choose'
import type { CudaToolkit } from '../../electron/engine/toolchain/cuda'
import { root } from '../support/installation'

const cuda: CudaToolkit = {
  nvcc: '/cuda/bin/nvcc',
  version: '13.0',
  folder: '/cuda',
  supported: ['75', '80', '90', '120'],
  present: [],
  hostLimits: { newestGcc: 15, oldestClang: 3, newestClang: 20 },
  gccs: [{ path: '/usr/bin/g++', major: 12 }],
}
const toolchain: Toolchain = {
  compiler: {
    family: 'g++',
    path: '/usr/bin/g++',
    version: '12.2',
    major: 12,
    identity: 'g',
    judgement: 'usable',
    why: '',
    remedy: '',
    linker: '',
  },
  libtorch: {
    folder: '/torch',
    version: '2.13.0',
    origin: 'set-up',
    cxx11Abi: true,
    cxxStandard: 20,
    cuda: '',
    hasCuda: false,
    identity: 't',
    judgement: 'usable',
    why: '',
    remedy: '',
  },
  cuda,
  virtualGpu: undefined,
  options: defaultBuildOptions,
}
const manifestWith = (more: object = {}): Manifest =>
  manifestShape.parse({ name: 'op', sources: ['op.cpp'], ...more })

describe('messages of nvcc', () => {
  const source = [
    '#include "h.h"',
    'template <typename T> __global__ void k(const T* x, T* y) {',
    '  y[0] = helper(x[0]) + missing;',
    '}',
    'void go(float* a) { k<<<1, 32>>>(a, a); k(a); }',
  ].join('\n')
  const textOf = (file: string): string | undefined => (file === '/p/k.cu' ? source : undefined)
  const read = (...lines: string[]): ReturnType<typeof parseNvccOutput> =>
    parseNvccOutput(lines.join('\n'), '/p', '/p/k.cu', textOf)

  it('a message has the column of the caret where the line is unchanged', () => {
    const [error, ...rest] = read(
      'k.cu(3): error: identifier "missing" is undefined',
      '    y[0] = helper(x[0]) + missing;',
      '                          ^',
      '',
      '1 error detected in the compilation of "k.cu".',
    )
    expect(rest).toEqual([])
    expect(error).toMatchObject({ file: '/p/k.cu', line: 3, column: 25, severity: 'error' })
  })

  it('a message that shows CUDA keywords as attributes is read with its column', () => {
    const [warning] = read(
      'k.cu(2): warning #177-D: variable "x" was declared but never referenced',
      '  template <typename T> __attribute__((global)) void k(const T* x, T* y) {',
      '                                                                ^',
      '',
      'Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"',
    )
    expect(warning).toMatchObject({ severity: 'warning', code: '177-D', line: 2, column: 50 })
  })

  it('an error in a header names the line of the project that instantiated it', () => {
    const [error] = read(
      'h.h(1): error: expression must have class type but it has type "float"',
      '  template <typename T> __attribute__((device)) T helper(T x) { return x.size(); }',
      '                                                                       ^',
      '          detected during:',
      '            instantiation of "T helper(T) [with T=float]" at line 3 of k.cu',
      '            instantiation of "void k(const T *, T *) [with T=float]" at line 5 of k.cu',
      '',
    )
    expect(error).toMatchObject({ file: '/p/h.h', line: 1, column: 0 })
    expect(error?.notes.map(({ file, line }) => `${file}:${line}`)).toEqual([
      '/p/k.cu:3',
      '/p/k.cu:5',
    ])
  })

  it('a message of several lines is read whole', () => {
    const [error, next] = read(
      'k.cu(5): error: more than one instance of overloaded function "f" matches:',
      '            function "f(int)" (declared at line 3)',
      '            argument types are: (double)',
      '  void go(float* a) { k<<<1, 32>>>(a, a); k(a); }',
      '                                          ^',
      '',
      'k.cu(5): error: a __global__ function call must be configured',
    )
    expect(error?.message).toMatch(/f\(int\).*argument types are: \(double\)$/)
    expect(error?.column).toBe(41)
    expect(next?.message).toContain('must be configured')
  })

  it('errors of the assembler are at the kernel, and errors of the host compiler are its own', () => {
    const [shared, host, ...rest] = read(
      "ptxas error   : Entry function '_Z1kIfEvPKT_PS0_' uses too much shared data (0x13880 bytes, 0xc000 max)",
      'ptxas fatal   : Ptx assembly aborted due to errors',
      'k.cu:1:10: fatal error: h.h: No such file or directory',
    )
    expect(rest).toEqual([])
    expect(shared).toMatchObject({ file: '/p/k.cu', line: 2, source: 'nvcc' })
    expect(host).toMatchObject({ line: 1, message: 'h.h: No such file or directory' })
  })
})

it("a kernel's resources are read without those of the functions it calls", () => {
  const kernels = parseKernelResources(
    [
      "ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90a'",
      'ptxas info    : Function properties for _Z6calledf',
      '    64 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads',
      'ptxas info    : Function properties for _Z1kPf',
      '    16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads',
      'ptxas info    : Used 40 registers, used 1 barriers, 512 bytes smem, 384 bytes cmem[0]',
    ].join('\n'),
  )
  expect(kernels).toEqual([
    {
      name: '_Z1kPf',
      architecture: '90a',
      registers: 40,
      sharedBytes: 512,
      stackBytes: 16,
      spillStoreBytes: 12,
      spillLoadBytes: 8,
    },
  ])
  expect(shortKernelName('void ops::(anonymous namespace)::k<float, int>(float*, int)')).toBe(
    'ops::k<float, int>',
  )
})

it("nvcc's lines about kernels are left out of the log, in whatever parts they come", () => {
  const output = [
    'k.cu(2): warning #177-D: variable "x" was declared but never referenced',
    "ptxas info    : Compiling entry function '_Z1kPf' for 'sm_80'",
    'ptxas info    : Function properties for _Z1kPf',
    '    16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads',
    'ptxas info    : Used 40 registers, used 1 barriers, 384 bytes cmem[0]',
    'ptxas error   : too much shared data',
    '',
  ].join('\n')
  const expected = output.replace(/^(ptxas info|    16).*\n/gm, '')
  expect(withoutKernelLines()(output)).toBe(expected)
  for (const size of [1, 7, 50]) {
    const fold = withoutKernelLines()
    const parts = output.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
    expect(parts.map(fold).join('')).toBe(expected)
  }
})

it('the kernels of a source are summed up in one phrase', () => {
  const kernel = (registers: number, spillStoreBytes: number): KernelResources => ({
    name: 'k',
    shortName: 'k',
    architecture: '80',
    registers,
    sharedBytes: 0,
    stackBytes: 0,
    spillStoreBytes,
    spillLoadBytes: 0,
  })
  expect(describeKernels([kernel(12, 0), kernel(255, 8), kernel(40, 0)])).toBe(
    '3 kernels, 12 to 255 registers, 1 with spills',
  )
  const many = Array.from({ length: 400 }, (_, index) => kernel(index, index === 7 ? 16 : 0))
  expect(resourceLines(many, false)).toEqual([
    '    400 kernels, 0 to 399 registers, 1 with spills (opsmith build --verbose lists all)',
    '    sm_80 k: 7 registers, 16 B spill stores, 0 B spill loads',
  ])
  expect(resourceLines(many, true)).toHaveLength(400)
})

describe('CUDA architectures', () => {
  it.each([
    ['8.0', '80'],
    ['sm_90a', '90a'],
    ['120', '120'],
    ['turing', undefined],
  ])('the architecture "%s" is read as %s', (text, expected) => {
    expect(architectureOf(text)).toBe(expected)
  })

  const list = manifestWith({ cudaArchitectures: ['9.0', '80'] })
  const hopper = manifestWith({ cudaArchitectures: ['80', '90a'] })
  const twelve8 = { ...cuda, version: '12.8', supported: ['75', '90', '100', '101', '120'] }
  it.each([
    ['the architecture asked for', { ...cuda, present: ['90'] }, list, ['75'], '75', '75'],
    ['the architecture of the GPU', { ...cuda, present: ['90'] }, list, [], '90', '90'],
    ['the architectures of the project', cuda, list, [], '80 90', '90'],
    ['its oldest architecture where nothing chooses', cuda, manifestWith(), [], '75', '75'],
    ['PTX for a GPU newer than it', { ...cuda, present: ['130'] }, list, [], '120', '120'],
    ["the project's 90a on a Hopper", { ...cuda, present: ['90'] }, hopper, [], '90a', '90a'],
    ['the A100 next to a V100', { ...cuda, present: ['70', '80'] }, list, [], '80', '80'],
    // 101 is a Jetson's, whose code runs on no card.
    ['sm_100 on a B300', { ...twelve8, present: ['103'] }, list, [], '100', '100'],
    ['code for the RTX 4090', { ...cuda, present: ['89'] }, list, [], '80', '80'],
    [
      'PTX for a GPU between those that it knows',
      { ...cuda, present: ['103', '120'] },
      list,
      [],
      '90 120',
      '90 120',
    ],
    ['the list where each GPU is too old', { ...cuda, present: ['61'] }, list, [], '80 90', '90'],
    [
      'the family of a GPU where the project names it',
      { ...twelve8, present: ['103'] },
      manifestWith({ cudaArchitectures: ['100f'] }),
      [],
      '100f',
      '100f',
    ],
  ])('nvcc compiles for %s', (_name, toolkit, manifest, asked, architectures, ptx) => {
    const chosen = unwrap(chooseArchitectures(toolkit, '/p', manifest, asked))
    expect(chosen.architectures.join(' ')).toBe(architectures)
    expect(chosen.ptx.join(' ')).toBe(ptx)
  })

  it('the build log says for which GPU kernels are made, and which has none', () => {
    const both = { ...cuda, present: ['61', '80'] }
    expect(unwrap(chooseArchitectures(both, '/p', list, [])).remarks).toEqual([
      "GPU kernels are compiled for sm_80 (chosen for this machine's GPUs)",
      "GPU kernels are not compiled for this machine's GPU (compute capability 6.1): nvcc 13.0 compiles only for 7.5 and newer",
    ])
    const newer = unwrap(chooseArchitectures({ ...cuda, present: ['130'] }, '/p', list, []))
    expect(newer.remarks.at(-1)).toMatch(
      /13\.0\), so the driver compiles the GPU kernels when the library/,
    )
  })

  it('only GPUs that nvcc is too new for are refused where the project names no others', () => {
    const old = chooseArchitectures({ ...cuda, present: ['61'] }, '/p', manifestWith(), [])
    expect(old).toMatchObject({
      ok: false,
      error: { message: 'nvcc 13.0 cannot compile for any GPU of this machine.' },
    })
  })

  it('architectures that nvcc does not have are refused with a list of those it has', () => {
    const wrong = manifestWith({ cudaArchitectures: ['35'] })
    const refused = chooseArchitectures(cuda, '/p', wrong, [])
    expect(refused).toMatchObject({
      ok: false,
      error: { path: 'cudaArchitectures', file: '/p/opsmith.json' },
    })
    expect(refused.ok ? '' : refused.error.hint).toContain('75, 80, 90, 120')
  })
})

describe('a CUDA source', () => {
  const includes = { folder: '/inc', key: 'k' }
  const code = { architectures: ['80', '90'], ptx: ['90'], remarks: [] }
  const argumentsFor = (text: string, manifest = manifestWith(), tools = toolchain): string =>
    nvccArguments({
      toolchain: tools,
      manifest,
      includes,
      texts: [text],
      code,
      torchFlags: ['-isystem', '/torch/include'],
    }).join(' ')

  it('a source without libtorch gets no headers of it, and one with it gets stand-ins for missing ones', () => {
    expect(argumentsFor('#include <cstdint>')).not.toMatch(/torch|-std|idirafter/)
    const whole = argumentsFor('#include <ATen/ATen.h>')
    expect(whole).toContain('-isystem /torch/include')
    expect(whole).toContain('-Xcompiler -idirafter,/inc/include/opsmith/cuda_stand_ins')
    expect(whole).toContain('-std=c++20')
  })

  it("each source gets the flags of torch's BuildExtension, which cudaCflags may take back", () => {
    const flags = [
      '-D__CUDA_NO_HALF_OPERATORS__',
      '-D__CUDA_NO_HALF_CONVERSIONS__',
      '-D__CUDA_NO_BFLOAT16_CONVERSIONS__',
      '-D__CUDA_NO_HALF2_OPERATORS__',
      '--expt-relaxed-constexpr',
    ].join(' ')
    expect(argumentsFor('#include <cstdint>')).toContain(flags)
    const own = manifestWith({ cudaCflags: ['-U__CUDA_NO_HALF_OPERATORS__'] })
    expect(argumentsFor('#include <ATen/ATen.h>', own)).toMatch(
      /-D__CUDA_NO_HALF_OPERATORS__.* -U__CUDA_NO_HALF_OPERATORS__$/,
    )
  })

  it("each architecture gets machine code and the newest PTX, unless the project's flags choose", () => {
    expect(argumentsFor('')).toContain(
      '-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=[sm_90,compute_90]',
    )
    const own = manifestWith({ cudaCflags: ['-arch=sm_89', '-O3'] })
    expect(argumentsFor('', own)).not.toMatch(/gencode|-O2/)
  })

  it('an nvcc before 12.0, which has no C++20, gets C++17 where libtorch takes that', () => {
    const libtorch = { ...toolchain.libtorch, cxxStandard: 17 as const }
    const old = { ...toolchain, libtorch, cuda: { ...cuda, version: '11.8' } }
    expect(argumentsFor('#include <ATen/ATen.h>', manifestWith(), old)).toContain('-std=c++17')
    const newer = { ...old, cuda: { ...cuda, version: '12.4' } }
    expect(argumentsFor('#include <ATen/ATen.h>', manifestWith(), newer)).toContain('-std=c++20')
  })

  it.each([
    [['-rdc=true'], true],
    [['-O3', '-rdc', 'true'], true],
    [['--relocatable-device-code=true'], true],
    [['-dc'], true],
    [['-rdc=false'], false],
    [['-O3'], false],
  ])('%j is relocatable device code: %s', (flags, expected) => {
    expect(isRelocatable(flags)).toBe(expected)
  })

  it('relocatable device code is linked for what it was compiled for, with its runtime', () => {
    const plain = deviceLinkArguments({ toolchain, manifest: manifestWith() }, code).join(' ')
    expect(plain).toMatch(/^-dlink .*arch=compute_90,code=\[sm_90,compute_90\]/)
    const own = manifestWith({ cudaCflags: ['-rdc=true', '-arch', 'sm_89', '-O3'] })
    const given = deviceLinkArguments({ toolchain, manifest: own }, code).join(' ')
    expect(given).toMatch(/^-dlink .*-arch sm_89/)
    expect(given).not.toMatch(/gencode|-O3/)
    expect(cudaLinkFlags(toolchain, true)).toContain('-lcudadevrt')
    expect(cudaLinkFlags(toolchain)).not.toContain('-lcudadevrt')
  })
})

describe('the flags that setuptools adds', () => {
  const includes = { folder: '/inc', key: 'k' }
  const flagsOf = (manifest: Manifest, variant: 'plain' | 'sanitized'): string => {
    const { options } = chosenTools(defaultSettings, manifest)
    return commonFlags({ ...toolchain, options }, includes, variant).join(' ')
  }

  it('C++ sources get them unless a project switches them off, and sanitized builds never do', () => {
    expect(flagsOf(manifestWith(), 'plain')).toContain('-DNDEBUG -fwrapv')
    expect(flagsOf(manifestWith({ setuptoolsFlags: false }), 'plain')).not.toMatch(/NDEBUG|fwrapv/)
    expect(flagsOf(manifestWith(), 'sanitized')).not.toMatch(/NDEBUG|fwrapv/)
  })

  it('nvcc does not get them', () => {
    const tools = { installation: findInstallation(root), toolchain, includes }
    const project = { folder: '/p', manifest: manifestWith() } as OpenProject
    const source = { file: '/p/k.cu', relative: 'k.cu', text: '' }
    const code = unwrap(codeOf(toolchain, project, [source], []))
    const build = { tools, project, projectFlags: [], code }
    const task = cudaTask(build, source, ['#include <ATen/ATen.h>'])
    expect(task.args.join(' ')).toContain('-isystem /torch/include')
    expect(task.args.join(' ')).not.toMatch(/NDEBUG|fwrapv/)
  })
})

describe('precompiled headers', () => {
  const includes = { folder: '/inc', key: 'k' }
  const flagsOf = (family: 'clang' | 'g++', optimization: Optimization): string => {
    const compiler = { ...toolchain.compiler, family }
    const options = { ...defaultBuildOptions, optimization }
    return precompiledFlags({ ...toolchain, compiler, options }, includes, 'plain').join(' ')
  }

  it.each(['O0', 'O1', 'O3'] as const)('clang builds with -%s share one with -O2', (level) => {
    expect(flagsOf('clang', level)).toBe(flagsOf('clang', 'O2'))
  })

  it('g++ has one for each level', () => {
    expect(flagsOf('g++', 'O3')).not.toBe(flagsOf('g++', 'O2'))
  })
})

describe('the CUDA runtime of a library', () => {
  const withCuda = (nvcc: string, libtorch: string): Toolchain => ({
    ...toolchain,
    cuda: { ...cuda, version: nvcc },
    libtorch: { ...toolchain.libtorch, hasCuda: true, cuda: libtorch },
  })

  it('is linked into it where libtorch has none', () => {
    expect(cudaLinkFlags(toolchain)).toContain('-lcudart_static')
  })

  it.each([
    ['13.0', '13.0', true],
    ['12.4', '12.8', true],
    // torch's libcudart.so.12 lacks what the code of a newer nvcc calls.
    ['12.8', '12.6', false],
    ['12.10', '12.8', false],
    ['13.0', '12.8', false],
    // Of an archive without build-version the major number alone is known.
    ['13.0', '13', false],
  ])("of nvcc %s and libtorch's CUDA %s is libtorch's: %s", (nvcc, libtorch, isShared) => {
    const flags = cudaLinkFlags(withCuda(nvcc, libtorch))
    expect(flags.includes('-lcudart')).toBe(isShared)
    expect(flags.includes('-lcudart_static')).toBe(!isShared)
  })

  it('is found among the system’s libraries where the folder of the toolkit is not known', () => {
    for (const tools of [toolchain, withCuda('13.0', '13.0')]) {
      const flags = cudaLinkFlags({ ...tools, cuda: { ...cuda, folder: '' } }).join(' ')
      expect(flags).not.toMatch(/-L|rpath/)
    }
  })
})

it('a CUDA part that calls libtorch for CUDA is left out where libtorch is a CPU build', () => {
  const texts = ['#include "part.h"', '#include <ATen/cuda/CUDAContext.h>']
  expect(whyNoCudaPart(toolchain, texts)).toBe('this libtorch is a CPU build')
  expect(whyNoCudaPart(toolchain, ['#include <cuda_runtime.h>'])).toBe('')
  expect(whyNoCudaPart({ ...toolchain, cuda: undefined }, [])).toBe('nvcc is not installed')
  const libtorch = { ...toolchain.libtorch, hasCuda: true, cuda: '13.0' }
  expect(whyNoCudaPart({ ...toolchain, libtorch }, texts)).toBe('')
})
