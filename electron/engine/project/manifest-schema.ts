import { z } from 'zod'

import { knownManifest } from './known-manifest'

const descriptions: Record<string, string> = {
  $schema: 'The JSON Schema of this file, for completion in editors.',
  description: 'One line for people, in reports and exports.',
  root: 'The folder of the sources, if it is not the folder of opsmith.json: absolute, or relative to the folder of opsmith.json. All paths here are relative to it. Opsmith writes nothing there; build/ is next to opsmith.json.',
  name: 'A C identifier. The library is lib<name>.so. PYBIND11 modules and `functions` register their operators under this namespace.',
  sources: 'C++ and CUDA sources, globs allowed, relative to this file.',
  cudaSources:
    'Sources of the CUDA part, globs allowed. They are left out if there is no nvcc, or if they use the CUDA headers of libtorch and libtorch is a CPU build. The project then has only its CPU part.',
  cudaDefines: 'Macros of all sources if the CUDA part is built: "WITH_CUDA", "BLOCK=256".',
  functions:
    'Functions to bind as torch.utils.cpp_extension.load_inline does, for sources without a registration block.',
  includePaths: 'Folders for #include, relative to this file.',
  cflags: 'Additional flags for the C++ compiler.',
  cudaCflags: 'Additional flags for nvcc.',
  cudaArchitectures:
    'The GPU architectures that kernels are compiled for, in exports and on a machine without a GPU: "80", "90a".',
  optimization: "Optimization level, O0 to O3. The default is the user's setting, initially O2.",
  fastMath: '-ffast-math and --use_fast_math: faster sums, no NaN, no infinity.',
  marchNative: '-march=native: for processors like this one only.',
  setuptoolsFlags:
    "-DNDEBUG -fwrapv, as setuptools compiles an extension's C++ sources: without assert(), and with integers that wrap on overflow. The default is the user's setting, initially true.",
  ldflags: 'Additional flags for the linker: "-lfoo".',
  cudaLdflags: 'Additional flags for the linker if the CUDA part is built: "-lcublas".',
  pythonModules:
    'Python modules of the project\'s own package that this library replaces: "my_ops._C". `opsmith test` gives the tests this library instead of them. The default is `name`.',
  pkgConfig: 'pkg-config packages whose flags are used.',
  systemPackages: 'System packages to install when a build lacks something.',
  autograd: 'Differentiable operators, each made from a forward and a backward function.',
  program: 'A TorchScript file whose functions use the operators.',
  inputs: 'Named tensors for calls, checks and timings.',
  calls: 'Calls that `opsmith run` makes and compares with their reference.',
  gradchecks:
    'Gradient checks of operators and program functions, with the options of torch.autograd.gradcheck under the same names. `inputs` replaces the inputs of the project that have the same names. `expect` is "failed" if the check must fail.',
  checks:
    'Operator checks, instead of one for each operator. Without `args`, inputs are made from the schema. Shapes and `args` may name `sizes`, `args` also `integers` and `floats`: each is drawn from its range. An entry with `checks` and `"shapes": 0` is one call, checked again after every build.',
  benchmarks:
    'Timings of operators and program functions, and of the operators and expressions that they are compared with (`against`). Shapes and `args` may name `sizes`; each combination of `sizes`, `dtypes` and `threads` is a point of a sweep. `bytes` and `flops` are formulas of sizes, numel(x) and nbytes(x). Without them, Opsmith counts inputs and outputs, and the matrix products, convolutions and attention of libtorch.',
  version: 'Version of exported packages: three numbers, for example 1.2.0.',
  license: 'License of exported packages, an SPDX identifier: "MIT".',
  packageName: 'Name of exported packages in pip and npm; the default is `name`.',
  exports: 'The forms that `opsmith export` writes by default.',
  lints: 'Lints that are switched off: `{ "opsmith-device-guard": false }`.',
  toolchain: "This project's compiler and libtorch, instead of the user's.",
}

/** The published JSON Schema of opsmith.json, made from the shape that validates it. */
export function manifestJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(knownManifest, { io: 'input', unrepresentable: 'any' }) as {
    properties?: Record<string, Record<string, unknown>>
  } & Record<string, unknown>
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const description = descriptions[key]
    if (description) property['description'] = description
  }
  return {
    ...schema,
    title: 'Opsmith operator project',
    allowComments: true,
    allowTrailingCommas: true,
  }
}
