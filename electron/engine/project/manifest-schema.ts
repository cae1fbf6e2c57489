import { z } from 'zod'

import { knownManifest } from './known-manifest'

const descriptions: Record<string, string> = {
  $schema: 'The JSON Schema of this file, for completion in editors.',
  description: 'One line for people, in reports and exports.',
  root: 'The folder that all paths here are relative to, where opsmith.json is in another: absolute, or relative to the folder of opsmith.json. Opsmith writes nothing there; build/ is next to opsmith.json.',
  name: 'C identifier: the library is lib<name>.so, PYBIND11 modules and `functions` register under this namespace.',
  sources: 'C++ and CUDA sources, globs allowed, relative to this file.',
  cudaSources:
    'Sources of the CUDA part, globs allowed. They are left out where there is no nvcc, and where they use CUDA by libtorch and libtorch is a CPU build; the project has a CPU part without them.',
  cudaDefines: 'Macros of all sources where the CUDA part is built: "WITH_CUDA", "BLOCK=256".',
  functions:
    'Functions to bind as torch.utils.cpp_extension.load_inline does, for sources without a registration block.',
  includePaths: 'Folders for #include, relative to this file.',
  cflags: 'Additional flags for the C++ compiler.',
  cudaCflags: 'Additional flags for nvcc.',
  cudaArchitectures:
    'What kernels are compiled for where there is no GPU, and in exports: "80", "90a".',
  optimization: "Optimization level, O0 to O3; the default is the user's setting, O2 at first.",
  fastMath: '-ffast-math and --use_fast_math: faster sums, no NaN, no infinity.',
  marchNative: '-march=native: for processors like this one only.',
  setuptoolsFlags:
    "-DNDEBUG -fwrapv, as setuptools compiles an extension's C++ sources: without assert(), and integers that overflow wrap. The default is the user's setting, true at first.",
  ldflags: 'Additional flags for the linker: "-lfoo".',
  cudaLdflags: 'Additional flags for the linker where the CUDA part is built: "-lcublas".',
  pythonModules:
    'Python modules that this library is in the project\'s own package: "my_ops._C". `opsmith test` gives the tests this library in their place; the default is `name`.',
  pkgConfig: 'pkg-config packages whose flags are used.',
  systemPackages: 'System packages to install when a build lacks something.',
  autograd: 'Differentiable operators made of a forward and a backward function.',
  program: 'A TorchScript file whose functions use the operators.',
  inputs: 'Named tensors for calls, checks and timings.',
  calls: 'Calls that `opsmith run` makes and compares with their reference.',
  gradchecks:
    'Gradient checks of operators and program functions, with the options of torch.autograd.gradcheck by their names; `inputs` replaces inputs of the project, `expect` is "failed" where failing is right.',
  checks:
    'Operator checks, in place of one for each operator. Without `args`, inputs are made from the schema. Shapes and `args` may name `sizes`, `args` also `integers` and `floats`: each is drawn from its range. An entry with `checks` and `"shapes": 0` is one call, checked again after every build.',
  benchmarks:
    'Timings of operators and program functions, and of the operators and expressions that they are compared with (`against`). Shapes and `args` may name `sizes`; each combination of `sizes`, `dtypes` and `threads` is a point of a sweep. `bytes` and `flops` are formulas of sizes, numel(x) and nbytes(x); without, inputs and outputs are counted, and the products, convolutions and attention that libtorch makes.',
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
