import type { TensorType } from '../../../contract/graph'
import { dtype as dtypeShape } from '../../../contract/tensor'
import type { SizeValue, TensorMeta } from './shapes'
import { symbolicSize } from './symbolic-size'

/** torch._export.serde.schema.ScalarType: number, torch's name, the name in a type. */
const scalarTypes = new Map<number, [name: string, inType: string]>([
  [1, ['uint8', 'Byte']],
  [2, ['int8', 'Char']],
  [3, ['int16', 'Short']],
  [4, ['int32', 'Int']],
  [5, ['int64', 'Long']],
  [6, ['float16', 'Half']],
  [7, ['float32', 'Float']],
  [8, ['float64', 'Double']],
  [9, ['complex32', 'ComplexHalf']],
  [10, ['complex64', 'ComplexFloat']],
  [11, ['complex128', 'ComplexDouble']],
  [12, ['bool', 'Bool']],
  [13, ['bfloat16', 'BFloat16']],
  [28, ['uint16', 'UInt16']],
  [29, ['float8_e4m3fn', 'Float8_e4m3fn']],
  [30, ['float8_e5m2', 'Float8_e5m2']],
  [31, ['float8_e4m3fnuz', 'Float8_e4m3fnuz']],
  [32, ['float8_e5m2fnuz', 'Float8_e5m2fnuz']],
  [33, ['float8_e8m0fnu', 'Float8_e8m0fnu']],
  [34, ['uint32', 'UInt32']],
  [35, ['uint64', 'UInt64']],
])
const layouts = [
  '',
  'sparse_coo',
  'sparse_csr',
  'sparse_csc',
  'sparse_bsr',
  'sparse_bsc',
  '_mkldnn',
  'strided',
]
const memoryFormats = [
  '',
  'contiguous_format',
  'channels_last',
  'channels_last_3d',
  'preserve_format',
]

export function scalarTypeName(value: number): string {
  return scalarTypes.get(value)?.[0] ?? `dtype ${value}`
}
export function layoutName(value: number): string {
  return layouts[value] ?? `layout ${value}`
}
export function memoryFormatName(value: number): string {
  return memoryFormats[value] ?? `memory format ${value}`
}
export function deviceText(device: { type: string; index?: number | null | undefined }): string {
  return device.index === null || device.index === undefined
    ? device.type
    : `${device.type}:${device.index}`
}

const sizeText = (size: SizeValue): string =>
  'as_int' in size ? String(size.as_int) : symbolicSize(size.as_expr.expr_str)
const sizeNumber = (size: SizeValue): number | null =>
  'as_int' in size && Number.isSafeInteger(size.as_int) ? size.as_int : null

/** A tensor's type as PyTorch prints it, symbolic sizes by their expression: "Float(s0, 8, …)". */
export function tensorTypeText(meta: TensorMeta): string {
  const name = scalarTypes.get(meta.dtype)?.[1] ?? 'Tensor'
  const parts = meta.sizes.map(sizeText)
  // A tensor without dimensions has no strides to print.
  if (meta.layout === 7 && meta.strides.length > 0)
    parts.push(`strides=[${meta.strides.map(sizeText).join(', ')}]`)
  if (meta.layout !== 7) parts.push(`layout=${layoutName(meta.layout)}`)
  parts.push(`requires_grad=${meta.requires_grad ? 1 : 0}`)
  if (meta.device) parts.push(`device=${deviceText(meta.device)}`)
  return `${name}(${parts.join(', ')})`
}

export function tensorTypeOf(meta: TensorMeta): TensorType {
  const dtype = dtypeShape.safeParse(scalarTypeName(meta.dtype))
  return {
    ...(dtype.success ? { dtype: dtype.data } : {}),
    shape: meta.sizes.map(sizeNumber),
    ...(meta.layout === 7 ? { strides: meta.strides.map(sizeNumber) } : {}),
    ...(meta.device ? { device: deviceText(meta.device) } : {}),
    requiresGrad: meta.requires_grad,
  }
}
