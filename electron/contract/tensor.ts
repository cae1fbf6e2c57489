import { z } from 'zod'

/** A JavaScript number, NaN and the infinities included (z.number() refuses those). */
export const real = z.custom<number>((value) => typeof value === 'number', 'expected a number')

export const dtype = z.enum([
  'float64',
  'float32',
  'float16',
  'bfloat16',
  'complex64',
  'complex128',
  'int64',
  'int32',
  'int16',
  'int8',
  'uint8',
  'bool',
])
export type Dtype = z.infer<typeof dtype>

/** torch's layouts that an input may have. */
export const layout = z.enum([
  'strided',
  'sparse_coo',
  'sparse_csr',
  'sparse_csc',
  'sparse_bsr',
  'sparse_bsc',
])
export type Layout = z.infer<typeof layout>

export const deviceName = z
  .string()
  .regex(
    /^(cpu|(cuda|privateuseone)(:\d+)?)$/,
    'expected "cpu", "cuda", "cuda:N", or "privateuseone" (a backend that a library registers)',
  )

/** Over all elements, NaN and infinities left out of min, max, mean and std. Complex: of the absolute value. */
export const tensorStats = z.object({
  count: z.int(),
  nan: z.int(),
  posInf: z.int(),
  negInf: z.int(),
  zeros: z.int(),
  /** null when no element is finite */
  min: real.nullable(),
  max: real.nullable(),
  mean: real.nullable(),
  std: real.nullable(),
})
export type TensorStats = z.infer<typeof tensorStats>

/** A tensor that lives in the op host: what crosses the process boundary is this, and pages of it. */
export const tensorHandle = z.object({
  kind: z.literal('tensor'),
  handle: z.int(),
  shape: z.array(z.int()),
  /** Not int(): of a stride beyond 2^53, which a size of 0 or 1 allows, the last digits are lost. */
  strides: z.array(z.number()),
  dtype: z.string(),
  device: z.string(),
  requiresGrad: z.boolean(),
  /** Name of the grad_fn node, "" for a leaf. */
  gradFn: z.string(),
  stats: tensorStats,
})
export type TensorHandle = z.infer<typeof tensorHandle>

/** An output that is not a tensor: a number, a string, None, an object, printed as PyTorch prints it. */
export const plainValue = z.object({ kind: z.literal('value'), type: z.string(), text: z.string() })
export const outputValue = z.discriminatedUnion('kind', [tensorHandle, plainValue])
export type OutputValue = z.infer<typeof outputValue>

/**
 * A rectangle of a tensor seen as a matrix: the last dimension is columns, the one before it rows;
 * `index` fixes every dimension before those. A vector is one row, a scalar one cell.
 */
export const pageRequest = z.object({
  handle: z.int(),
  index: z.array(z.int().nonnegative()),
  rowStart: z.int().nonnegative(),
  rowCount: z.int().positive().max(1024),
  columnStart: z.int().nonnegative(),
  columnCount: z.int().positive().max(1024),
})
export type PageRequest = z.infer<typeof pageRequest>

export const tensorPage = z.object({
  rows: z.int(),
  columns: z.int(),
  rowStart: z.int(),
  columnStart: z.int(),
  /** Row-major, as many as the page holds after clipping at the tensor's edge; complex: absolute values. */
  values: z.array(real),
  /** The exact text of each value where a double cannot hold it: int64 beyond 2^53, complex. */
  text: z.array(z.string()).optional(),
  /** Rows and columns this page really has. */
  pageRows: z.int(),
  pageColumns: z.int(),
})
export type TensorPage = z.infer<typeof tensorPage>

/** `counts[i]` finite elements lie in [edges[i], edges[i+1]); the last bin is closed. */
export const histogram = z.object({ edges: z.array(real), counts: z.array(z.int()) })
export type Histogram = z.infer<typeof histogram>
