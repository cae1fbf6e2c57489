import type { CheckInput, InputSpec, NestedNumbers } from '../../../electron/contract/manifest'
import { deviceName } from '../../store/cuda'

type Parsed<T> = { value: T } | { problem: string }

/** "[4, 8]", "4, 8", "4 8" and "4x8" all mean the same; "" and "[]" are a scalar. */
export function parseInputShape(text: string): Parsed<number[]> {
  const words = text
    .replace(/^\s*[[(]|[\])]\s*$/g, '')
    .split(/[\s,x×]+/)
    .filter(Boolean)
  if (!words.every((word) => /^\d+$/.test(word)))
    return { problem: 'write integers, such as [4, 8]' }
  return { value: words.map(Number) }
}

/** As parseShape; names stand for sizes: "[B, N, 3]". Without spaces around it, an x is part of a name. */
export function parseNamedShape(text: string): Parsed<(number | string)[]> {
  const words = text
    .replace(/^\s*[[(]|[\])]\s*$/g, '')
    .split(/[\s,×]+/)
    .flatMap((word) => (/^\d+(x\d+)+$/.test(word) ? word.split('x') : [word]))
    .filter(Boolean)
  if (!words.every((word) => /^(\d+|[A-Za-z_]\w*)$/.test(word)))
    return { problem: 'write integers and names, such as [B, 8]' }
  return { value: words.map((word) => (/^\d/.test(word) ? Number(word) : word)) }
}

/** Numbers, booleans, "nan", "inf" and "-inf", nested as the shape asks. Python's words are taken too. */
export function parseValues(text: string): Parsed<NestedNumbers> {
  const json = text
    .replace(/(["']?)(-?inf|nan)\1/gi, (_, _quote, word: string) => `"${word.toLowerCase()}"`)
    .replace(/\bTrue\b/g, 'true')
    .replace(/\bFalse\b/g, 'false')
    .replace(/(\d)\.(?=[^\d]|$)/g, '$1.0')
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return { problem: 'write nested lists of numbers, such as [[1, 2], [3, 4]]' }
  }
  const shape = shapeOf(value)
  return shape === null
    ? {
        problem: 'every value must be a number, true or false, and all rows must be equally long',
      }
    : { value: value as NestedNumbers }
}

/** null: not rectangular, or something that is not a number. */
function shapeOf(value: unknown): string | null {
  if (!Array.isArray(value)) {
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? ''
      : null
  }
  const inner = value.map(shapeOf)
  return inner.every((item) => item !== null && item === inner[0])
    ? `${value.length},${inner[0] ?? ''}`
    : null
}

export function valuesText(values: InputSpec['values']): string {
  return JSON.stringify(values ?? [])
    .replaceAll('],[', '],\n [')
    .replaceAll(',', ', ')
    .replaceAll(', \n', ',\n')
}

/** "float64 [4, 8] sparse_csr grad" */
export function inputSummary(spec: CheckInput): string {
  const shape = spec.shape === undefined ? 'values' : `[${spec.shape.join(', ')}]`
  const device = spec.device === 'cpu' ? '' : ` ${deviceName(spec.device)}`
  const layout = (spec.layout ?? 'strided') === 'strided' ? '' : ` ${spec.layout}`
  return `${spec.dtype} ${shape}${layout}${device}${spec.requires_grad ? ' grad' : ''}`
}

/** How its values come about. */
export function inputMaking(spec: CheckInput): string {
  const density = spec.density === undefined ? '' : `, density ${spec.density}`
  const seed = spec.seed === undefined ? '' : `, seed ${spec.seed}`
  return spec.values === undefined
    ? `${spec.distribution}${density}${seed}`
    : `literal values${density}`
}

/** Words of a list; the first that is none of `known` is the problem. */
export function parseWords<Word extends string>(
  text: string,
  known: readonly Word[],
  what: string,
): Parsed<Word[]> {
  const words = text.split(/[\s,]+/).filter(Boolean)
  const found = words.flatMap((word) => known.find((one) => one === word) ?? [])
  const wrong = words.find((word) => !known.some((one) => one === word))
  return wrong === undefined ? { value: found } : { problem: `there is no ${what} ${wrong}` }
}
