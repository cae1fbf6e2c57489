import type { TensorType } from '../../electron/contract/graph'
import type { ModelValue } from '../model'

/**
 * How a value's type changed: types differ where both are known. A script's "Tensor" is no difference
 * to a trace's "Float(4, 8)", nor "(Tensor, Tensor[])" to "(Float(4, 8), Tensor[])".
 */
export function typeChange(
  was: ModelValue | undefined,
  is: ModelValue | undefined,
): string | undefined {
  if (!was || !is || was.type === is.type) return undefined
  const differs =
    was.tensor && is.tensor ? tensorDiffers(was.tensor, is.tensor) : textDiffers(was.type, is.type)
  return differs ? `${was.type} → ${is.type}` : undefined
}

function tensorDiffers(was: TensorType, is: TensorType): boolean {
  return (
    known(was.dtype, is.dtype) ||
    known(was.device, is.device) ||
    known(was.requiresGrad, is.requiresGrad) ||
    sizesDiffer(was.shape, is.shape) ||
    sizesDiffer(was.strides, is.strides)
  )
}

/** Whether both are known and differ. */
function known<T>(was: T | undefined, is: T | undefined): boolean {
  return was !== undefined && is !== undefined && was !== is
}

function sizesDiffer(
  was: readonly (number | null)[] | undefined,
  is: readonly (number | null)[] | undefined,
): boolean {
  if (!was || !is) return false
  if (was.length !== is.length) return true
  return was.some((size, index) => {
    const other = is[index] ?? null
    return size !== null && other !== null && size !== other
  })
}

/** Types of containers have their elements in the text alone. */
function textDiffers(was: string, is: string): boolean {
  if (was === is) return false
  const left = elementsOf(was)
  const right = elementsOf(is)
  if (left && right)
    return (
      left.length !== right.length ||
      left.some((element, index) => textDiffers(element, right[index] ?? ''))
    )
  for (const suffix of ['[]', '?'])
    if (was.endsWith(suffix) && is.endsWith(suffix))
      return textDiffers(was.slice(0, -suffix.length), is.slice(0, -suffix.length))
  const before = tensorOf(was)
  const after = tensorOf(is)
  return before === undefined || after === undefined || tensorDiffers(before, after)
}

/** "(Tensor, (int, Float(4, 8)))": Tensor and (int, Float(4, 8)); undefined for what is no tuple. */
function elementsOf(type: string): string[] | undefined {
  return type.startsWith('(') && type.endsWith(')') ? splitList(type.slice(1, -1)) : undefined
}

/** Parts between the commas that are in no bracket. */
function splitList(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index)
    if (character === '(' || character === '[') depth += 1
    if (character === ')' || character === ']') depth -= 1
    if (character !== ',' || depth !== 0) continue
    parts.push(text.slice(start, index).trim())
    start = index + 1
  }
  const last = text.slice(start).trim()
  return last === '' ? parts : [...parts, last]
}

/** c10::toString's names, which tensors' types are printed with. */
const dtypes: Record<string, TensorType['dtype']> = {
  Double: 'float64',
  Float: 'float32',
  Half: 'float16',
  BFloat16: 'bfloat16',
  ComplexFloat: 'complex64',
  ComplexDouble: 'complex128',
  Long: 'int64',
  Int: 'int32',
  Short: 'int16',
  Char: 'int8',
  Byte: 'uint8',
  Bool: 'bool',
}

/** "Float(4, *, strides=[8, 1], requires_grad=0, device=cpu)"; undefined for what is no tensor. */
function tensorOf(type: string): TensorType | undefined {
  const found = /^(\w+)(?:\((.*)\))?$/.exec(type)
  const name = found?.[1] ?? ''
  if (name !== 'Tensor' && !(name in dtypes)) return undefined
  const tensor: TensorType = { dtype: dtypes[name] }
  const shape: (number | null)[] = []
  for (const part of splitList(found?.[2] ?? '')) {
    const [key = '', text] = part.split('=')
    if (text === undefined) shape.push(sizeOf(key))
    else if (key === 'device') tensor.device = text
    else if (key === 'requires_grad') tensor.requiresGrad = text === '1'
    else if (key === 'strides') tensor.strides = splitList(text.slice(1, -1)).map(sizeOf)
  }
  // A tensor of no dimensions is printed as one whose sizes are not known.
  if (shape.length > 0) tensor.shape = shape
  return tensor
}

function sizeOf(text: string): number | null {
  return /^\d+$/.test(text) ? Number(text) : null
}
