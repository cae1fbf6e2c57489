import { z } from 'zod'

import { gradcheckOptionFields } from './gradcheck-options'
import { opcheckCheck } from './opcheck-names'
import { deviceName, dtype } from './tensor'

/** A value as JSON can write it; a string that names an input stands for that input. */
export type Argument = string | number | boolean | null | Argument[]
export const argument: z.ZodType<Argument> = z.lazy(() =>
  z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(argument)]),
)

export type NestedNumbers = number | boolean | string | NestedNumbers[]
/** Numbers nested as the shape asks; "nan", "inf" and "-inf" are written as strings. */
export const nestedNumbers: z.ZodType<NestedNumbers> = z.lazy(() =>
  z.union([z.number(), z.boolean(), z.enum(['nan', 'inf', '-inf']), z.array(nestedNumbers)]),
)

export const distribution = z.enum([
  'randn', // normal: mean, std
  'rand', // uniform in [low, high), by default [0, 1)
  'randint', // integers in [low, high)
  'zeros',
  'ones',
  'eye', // two dimensions
  'arange', // 0, 1, 2, … reshaped; low is the start
  'linspace', // from low to high
  'full', // every element is `low`
])
export type Distribution = z.infer<typeof distribution>

/** A named input. The same seed, shape and dtype give the values that `torch.manual_seed(seed)` gives in Python. */
export const inputSpec = z.strictObject({
  shape: z.array(z.number().int().nonnegative()).optional(),
  dtype: dtype.default('float32'),
  device: deviceName.default('cpu'),
  distribution: distribution.default('randn'),
  seed: z.number().int().nonnegative().optional(),
  requires_grad: z.boolean().default(false),
  low: z.number().optional(),
  high: z.number().optional(),
  mean: z.number().optional(),
  std: z.number().optional(),
  /** Literal values; shape may then be left out. */
  values: nestedNumbers.optional(),
})
export type InputSpec = z.infer<typeof inputSpec>

export const call = z.strictObject({
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
export type Call = z.infer<typeof call>

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

const inputName = z.string().regex(/^[A-Za-z_]\w*$/, 'expected a Python identifier')

/** A gradient check: of an operator, libtorch's included, or of a function of the program. */
export const gradcheckEntry = z.strictObject({
  /** For people; by default the call itself. */
  name: z.string().optional(),
  op: z.string().min(1),
  args: z.array(argument).default([]),
  /** gradgradcheck: gradients of gradients. */
  second_order: z.boolean().optional(),
  /** Of every floating or complex input, in place of its own. */
  dtype: dtype.optional(),
  /** Whole inputs in place of those of the same name: a case that failed once, with its seeds. */
  inputs: z.record(inputName, inputSpec).optional(),
  /** Seconds after which the check is ended. */
  timeout: z.number().positive().optional(),
  /** "failed" where failing is right: float32 with too small an eps, a point with a kink. */
  expect: z.enum(['passed', 'failed']).optional(),
  ...z.object(gradcheckOptionFields).partial().shape,
})
export type GradcheckEntry = z.infer<typeof gradcheckEntry>

/** The operator checks of one operator, libtorch's included, or of a function of the program. */
export const checkEntry = z.strictObject({
  op: z.string().min(1),
  args: z.array(argument).default([]),
  /** Whole inputs in place of those of the same name. */
  inputs: z.record(inputName, inputSpec).optional(),
  /** Only these. */
  checks: z.array(opcheckCheck).min(1).optional(),
  /** Checks that do not apply here, each with the reason. */
  skip: z.partialRecord(opcheckCheck, z.string().min(1)).optional(),
  /** How many other shapes are tried. */
  shapes: z.number().int().min(0).max(1000).optional(),
  seed: z.number().int().nonnegative().optional(),
  /** Seconds after which the checks are ended. */
  timeout: z.number().positive().optional(),
  expect: z.enum(['passed', 'failed']).optional(),
})
export type CheckEntry = z.infer<typeof checkEntry>

const record = z.record(z.string(), z.unknown())

export const manifest = z.strictObject({
  $schema: z.string().optional(),
  name: z
    .string()
    .regex(
      /^[A-Za-z_][A-Za-z0-9_]*$/,
      'expected a C identifier: it names the library and its namespace',
    ),
  description: z.string().optional(),
  sources: z.array(z.string().min(1)).min(1, 'expected at least one source file or glob'),
  functions: z.array(z.string().min(1)).default([]),
  includePaths: z.array(z.string()).default([]),
  cflags: z.array(z.string()).default([]),
  cudaCflags: z.array(z.string()).default([]),
  ldflags: z.array(z.string()).default([]),
  pkgConfig: z.array(z.string().min(1)).default([]),
  systemPackages: z.array(z.string().min(1)).default([]),
  autograd: z.array(autogradEntry).default([]),
  program: z.string().optional(),
  inputs: z.record(inputName, inputSpec).default({}),
  calls: z.array(call).default([]),
  gradchecks: z.array(gradcheckEntry).default([]),
  /** Operator checks; without it, every operator and function of `calls` is checked once. */
  checks: z.array(checkEntry).optional(),
  /** Filled by later work; kept as they are. */
  benchmarks: z.array(record).default([]),
  exports: z.array(record).default([]),
  /** This project's choice of tools; what is not named here comes from the user's settings. */
  toolchain: z
    .strictObject({ compiler: z.string().optional(), libtorch: z.string().optional() })
    .default({}),
})
export type Manifest = z.infer<typeof manifest>

export const manifestFileName = 'opsmith.json'
