import { z } from 'zod'

import { gpuChoice } from './gpu-choice'
import { timingEntry } from './timing-entry'
import type { TimingEntry } from './timing-entry'
import { buildOptionFields } from './build-options'
import { checkEntry } from './check-entry'
import type { CheckEntry, CheckInput } from './check-entry'
import { exportForm } from './export-forms'
import { gradcheckOptionFields } from './gradcheck-options'
import { argument, distribution, inputName, inputSpec, nestedNumbers } from './manifest-values'
import type { Argument, Distribution, InputSpec, NestedNumbers } from './manifest-values'
import { dtype } from './tensor'

export { argument, timingEntry, checkEntry, distribution, inputSpec, nestedNumbers }
export type {
  Argument,
  TimingEntry,
  CheckEntry,
  CheckInput,
  Distribution,
  InputSpec,
  NestedNumbers,
}

export const callEntry = z.strictObject({
  /** `namespace::name`, `namespace::name.overload`, or a function of the program. */
  op: z.string().min(1),
  args: z.array(argument).default([]),
  /** A TorchScript expression over the inputs' names; several outputs: a tuple. */
  reference: z.string().optional(),
  rtol: z.number().nonnegative().optional(),
  atol: z.number().nonnegative().optional(),
  /** Seconds after which the call is ended. */
  timeout: z.number().positive().optional(),
})
export type Call = z.infer<typeof callEntry>

export const autogradEntry = z.strictObject({
  /** Name of the differentiable operator, in the project's namespace unless it has one of its own. */
  name: z.string().min(1),
  forward: z.string().min(1),
  backward: z.string().min(1),
  /** What backward takes, in order: "grad:N" (of output N), "output:N", or the name of an input of forward. */
  backwardArgs: z.array(z.string()).min(1),
  /** The input of forward that each result of backward belongs to; null for a result that is not a gradient. */
  gradients: z.array(z.string().nullable()).min(1),
})
export type AutogradEntry = z.infer<typeof autogradEntry>

/** A gradient check: of an operator, libtorch's included, or of a function of the program. */
export const gradcheckEntry = z.strictObject({
  /** For people; by default the call itself. */
  name: z.string().optional(),
  op: z.string().min(1),
  args: z.array(argument).default([]),
  /** gradgradcheck: gradients of gradients. */
  second_order: z.boolean().optional(),
  /** Of every floating or complex input, instead of its own. */
  dtype: dtype.optional(),
  /** Inputs that replace those of the same name: a case that failed once, with its seeds. */
  inputs: z.record(inputName, inputSpec).optional(),
  /** Seconds after which the check is ended. */
  timeout: z.number().positive().optional(),
  /** "failed" if the check must fail: float32 with too small an eps, a point with a kink. */
  expect: z.enum(['passed', 'failed']).optional(),
  ...z.object(gradcheckOptionFields).partial().shape,
})
export type GradcheckEntry = z.infer<typeof gradcheckEntry>

/** Namespaces of libtorch, and names whose library would replace one of libtorch. */
const takenNames = new Set([
  'aten',
  'at',
  'c10',
  'c10_cuda',
  'c10d',
  'caffe2',
  'libtorch',
  'prim',
  'prims',
  'profiler',
  'quantized',
  'shm',
  'std',
  'torch',
  'torch_cpu',
  'torch_cuda',
  'torch_global_deps',
  'torch_python',
  'torchgen',
])

/** File systems take 255 bytes for "lib<name>.so". */
const longestName = 128

/** Linkers and compilers would read the flags from that file, and print it where it holds none. */
export const flag = z
  .string()
  .refine((text) => !/^(-Wl,|-Xlinker,?)?@/.test(text) && !text.includes(',@'), {
    error: 'flags are not read from a file (@file): write the flags here',
  })

/** "NAME" or "NAME=value". */
const macro = z.string().regex(/^[A-Za-z_]\w*(=[^]*)?$/, 'expected a macro: "NAME" or "NAME=value"')

/** "my_ops._C" */
export const pythonModule = z
  .string()
  .regex(
    /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/,
    'expected the name of a Python module, such as "my_ops._C"',
  )

export const manifest = z.strictObject({
  $schema: z.string().optional(),
  name: z
    .string()
    .regex(
      /^[A-Za-z_][A-Za-z0-9_]*$/,
      'expected a C identifier: the library and its namespace get this name',
    )
    .max(longestName, `expected at most ${longestName} characters`)
    .refine((name) => !takenNames.has(name.toLowerCase()), {
      error: ({ input }) => `${String(input)} is a name that libtorch uses; choose another name`,
    }),
  description: z.string().optional(),
  /**
   * The folder that all paths here are relative to, where that is not the folder of opsmith.json; relative to the
   * latter, or absolute. Nothing is written there: build/ is next to opsmith.json.
   */
  root: z.string().min(1).optional(),
  /** Of exported packages. */
  version: z
    .string()
    .regex(
      /^\d+\.\d+\.\d+$/,
      'expected three numbers, such as 1.2.0: pip, npm and CMake all accept this form',
    )
    .default('0.1.0'),
  /** SPDX, as "MIT"; exports name it. */
  license: z.string().min(1).optional(),
  /** Of exported packages in pip and npm; by default the project's own. */
  packageName: z.string().min(1).optional(),
  sources: z.array(z.string().min(1)).min(1, 'expected at least one source file or glob'),
  /** Sources that are left out, with a remark, where there is no nvcc: the project has a CPU part without them. */
  cudaSources: z.array(z.string().min(1)).default([]),
  /** Macros of all sources where the CUDA part is built: "WITH_CUDA", "BLOCK=256". */
  cudaDefines: z.array(macro).default([]),
  functions: z.array(z.string().min(1)).default([]),
  includePaths: z.array(z.string()).default([]),
  cflags: z.array(flag).default([]),
  cudaCflags: z.array(flag).default([]),
  /** "80", "90a": the architectures of kernels if there is no GPU. */
  cudaArchitectures: z.array(z.string()).default([]),
  ldflags: z.array(flag).default([]),
  /** The same where the CUDA part is built: "-lcublas". */
  cudaLdflags: z.array(flag).default([]),
  ...z.object(buildOptionFields).partial().shape,
  /** Of the project's Python package: what the library is for `import`. Without it, a module named as the project. */
  pythonModules: z.array(pythonModule).min(1).optional(),
  pkgConfig: z.array(z.string().min(1)).default([]),
  systemPackages: z.array(z.string().min(1)).default([]),
  autograd: z.array(autogradEntry).default([]),
  program: z.string().optional(),
  inputs: z.record(inputName, inputSpec).default({}),
  calls: z.array(callEntry).default([]),
  gradchecks: z.array(gradcheckEntry).default([]),
  /**
   * Operator checks; without it, every operator and function of `calls` is checked once, and every
   * other operator of the project with inputs made from its schema.
   */
  checks: z.array(checkEntry).optional(),
  benchmarks: z.array(timingEntry).default([]),
  /** The forms that `opsmith export` writes by default. The engine knows the names. */
  exports: z.array(exportForm).default([]),
  /** Lints that are off in this project: `{ "opsmith-device-guard": false }`. The engine knows the codes. */
  lints: z.partialRecord(z.string(), z.boolean()).default({}),
  /** This project's choice of tools; what is not named here comes from the user's settings. */
  toolchain: z
    .strictObject({
      compiler: z.string().optional(),
      libtorch: z.string().optional(),
      gpu: gpuChoice.optional(),
    })
    .default({}),
})
export type Manifest = z.infer<typeof manifest>

export const manifestFileName = 'opsmith.json'
