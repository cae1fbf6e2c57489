import { z } from 'zod'

import { knownManifest } from './known-manifest'

const descriptions: Record<string, string> = {
  $schema: 'The JSON Schema of this file, for completion in editors.',
  description: 'A one-line description, for reports and exports.',
  root: 'The folder of the sources, if opsmith.json is in another folder: absolute, or relative to the folder of opsmith.json. All other paths in opsmith.json are then relative to `root`. Opsmith does not write to `root`; build/ is next to opsmith.json.',
  name: 'A C identifier. The library file is lib<name>.so. Operators from `functions` and from PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) get this name as their namespace.',
  sources: 'C++ and CUDA sources, globs allowed, relative to this file.',
  cudaSources:
    "Sources of the CUDA part, globs allowed. nvcc compiles them. For the virtual GPU, which runs kernels on the CPU, clang compiles them. A build without the virtual GPU leaves these sources out if nvcc is missing. It also leaves them out if they include libtorch's CUDA headers and libtorch is a CPU build. The library then has only its CPU part.",
  cudaDefines: 'Macros that all sources get if the CUDA part is built: "WITH_CUDA", "BLOCK=256".',
  functions:
    'C++ functions to register as operators, listed like the `functions` of torch.utils.cpp_extension.load_inline. Use this key if the sources have no TORCH_LIBRARY block.',
  includePaths: 'Folders for #include, relative to this file.',
  cflags: 'Additional flags for the C++ compiler.',
  cudaCflags: 'Additional flags for nvcc.',
  cudaArchitectures:
    'The architectures that GPU kernels are compiled for on a machine without a GPU, and in exports with CMake: "80", "90a". On a machine with a GPU, Opsmith compiles for that GPU.',
  optimization: "Optimization level, O0 to O3. The default is the user's setting, initially O2.",
  fastMath:
    'Compile with -ffast-math and --use_fast_math: faster arithmetic, but no support for NaN and infinity.',
  marchNative:
    "Compile with -march=native: the library runs only on processors like this machine's.",
  setuptoolsFlags:
    "Compile C++ sources with -DNDEBUG and -fwrapv, as setuptools does: assert() does nothing, and signed integers wrap on overflow. The default is the user's setting, initially true.",
  ldflags: 'Additional flags for the linker: "-lfoo".',
  cudaLdflags: 'Additional flags for the linker if the CUDA part is built: "-lcublas".',
  pythonModules:
    'Python modules of the project\'s own package that this library replaces: "my_ops._C". In `opsmith test`, the tests import this library instead of these modules. The default is `name`.',
  pkgConfig: 'pkg-config packages whose compiler and linker flags a build uses.',
  systemPackages:
    'System packages that a build needs. Opsmith suggests these packages if a header or a pkg-config package is missing.',
  autograd: 'Differentiable operators, each made from a forward and a backward function.',
  program: 'A TorchScript file whose functions use the operators.',
  inputs: 'Named tensors for calls, checks and timings.',
  calls: 'Calls that `opsmith run` makes and compares with their reference.',
  gradchecks:
    'Gradient checks of operators and of functions of the TorchScript program, with the options of torch.autograd.gradcheck under the same names. `inputs` replaces the inputs of the project that have the same names. `expect` is "failed" if the check must fail.',
  checks:
    'Operator checks. Without this key, Opsmith checks every operator. In an entry, `checks` names the checks to run (default: all), and `shapes` is the number of further calls that Opsmith tries, with other shapes and values (default: 6, or 24 with `--thorough`). Without `args`, Opsmith makes the inputs from the schema. Shapes and `args` may use names from `sizes`; `args` may also use names from `integers` and `floats`. Opsmith draws a value for each name from its range. An entry with `checks` and `"shapes": 0` checks one call. Opsmith repeats such an entry after every build.',
  benchmarks:
    "Timings of operators and of functions of the TorchScript program, and of the operators and expressions that they are compared with (`against`). Shapes and `args` may use names from `sizes`; each combination of `sizes`, `dtypes` and `threads` is a point of a sweep. `bytes` and `flops` are formulas of sizes, numel(x) and nbytes(x). Without `bytes`, Opsmith counts the bytes of inputs and outputs. Without `flops`, Opsmith counts the operations of libtorch's matrix products, convolutions and attention.",
  version: 'Version of exported packages: three numbers, for example 1.2.0.',
  license: 'License of exported packages, an SPDX identifier: "MIT".',
  packageName: 'Name of exported packages in pip and npm; the default is `name`.',
  exports:
    'The export forms (ways to ship the operators, such as a wheel) that `opsmith export` writes by default.',
  lints: 'Lints that are switched off: `{ "opsmith-device-guard": false }`.',
  toolchain:
    'The compiler, libtorch and GPU of this project. These replace the tools in the settings of the user.',
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
