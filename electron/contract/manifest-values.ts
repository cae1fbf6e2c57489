import { z } from 'zod'

import { deviceName, dtype, layout } from './tensor'

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
  shape: z.array(z.int().nonnegative()).optional(),
  dtype: dtype.default('float32'),
  device: deviceName.default('cpu'),
  distribution: distribution.default('randn'),
  seed: z.int().nonnegative().optional(),
  requires_grad: z.boolean().default(false),
  low: z.number().optional(),
  high: z.number().optional(),
  mean: z.number().optional(),
  std: z.number().optional(),
  /** Literal values; shape may then be left out. */
  values: nestedNumbers.optional(),
  /** By default strided. A sparse one takes `density` or `indices`, else it specifies the `values` that are not 0. */
  layout: layout.optional(),
  /** The fraction of specified elements of a sparse input. Each is drawn with this probability, after the values. */
  density: z.number().min(0).max(1).optional(),
  /** As torch.sparse_coo_tensor takes them: for each dimension, where the specified elements are in it. */
  indices: z.array(z.array(z.int().nonnegative())).optional(),
  /** Of sparse_bsr and sparse_bsc. */
  blocksize: z.tuple([z.int().positive(), z.int().positive()]).optional(),
})
export type InputSpec = z.infer<typeof inputSpec>

export const inputName = z.string().regex(/^[A-Za-z_]\w*$/, 'expected a Python identifier')
