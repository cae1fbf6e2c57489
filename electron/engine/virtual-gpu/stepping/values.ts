/** Bytes of variables as texts and numbers. */
import type { DebugType } from '../debug-info/types'

/** Longer arrays and larger structures are shown by their type alone. */
const mostElements = 16
const mostMembers = 8

/** DW_ATE_… */
const encoding = { boolean: 2, float: 4, signed: 5, signedChar: 6, unsignedChar: 8 }

/** A half or a bfloat16 is a structure with 16 bits. */
const shortFloats: Readonly<Record<string, 'half' | 'bfloat16'>> = {
  __half: 'half',
  Half: 'half',
  __nv_bfloat16: 'bfloat16',
  BFloat16: 'bfloat16',
}

/** What a lane's table reads of a variable; 0: it is shown by its type. */
export function bytesShown(type: DebugType): number {
  if (type.kind === 'array')
    return count(type.dimensions) <= mostElements && bytesShown(type.element) > 0 ? type.size : 0
  if (type.kind === 'structure') return type.size <= 8 * mostMembers ? type.size : 0
  return type.size <= 16 ? type.size : 0
}

export const count = (dimensions: readonly number[]): number =>
  dimensions.reduce((product, dimension) => product * dimension, 1)

/** Undefined for what is not a number. */
export function numberIn(type: DebugType, bytes: Buffer): number | undefined {
  if (type.kind === 'structure') {
    const short = shortFloats[type.name]
    if (short === undefined) return undefined
    const bits = bytes.readUInt16LE(0)
    return short === 'half' ? halfNumber(bits) : bfloat16Number(bits)
  }
  if (type.kind !== 'base' || type.size > 8) return undefined
  if (type.encoding === encoding.float)
    return type.size === 4
      ? bytes.readFloatLE(0)
      : type.size === 8
        ? bytes.readDoubleLE(0)
        : undefined
  return Number(integerIn(type, bytes))
}

function integerIn(
  { size, encoding: how }: { size: number; encoding: number },
  bytes: Buffer,
): bigint {
  let value = 0n
  for (let index = size - 1; index >= 0; index -= 1)
    value = value * 256n + BigInt(bytes[index] ?? 0)
  const isSigned = how === encoding.signed || how === encoding.signedChar
  return isSigned ? BigInt.asIntN(8 * size, value) : value
}

const bfloat16Number = (bits: number): number => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt16LE(bits, 2)
  return bytes.readFloatLE(0)
}

function halfNumber(bits: number): number {
  const sign = (bits & 0x8000) !== 0 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

/** As many digits as the type has. */
function floatText(value: number, digits: number): string {
  return Object.is(value, -0) ? '-0' : String(Number(value.toPrecision(digits)))
}

/** @param pointerText what is shown of an address */
export function valueText(
  type: DebugType,
  bytes: Buffer,
  pointerText: (address: number, type: DebugType) => string,
): string {
  switch (type.kind) {
    case 'base': {
      if (type.size > 8) return type.name
      if (type.encoding === encoding.float)
        return floatText(numberIn(type, bytes) ?? NaN, type.size === 4 ? 7 : 16)
      if (type.encoding === encoding.boolean) return bytes[0] === 0 ? 'false' : 'true'
      return String(integerIn(type, bytes))
    }
    case 'enumeration': {
      const value = Number(integerIn({ size: type.size, encoding: encoding.signed }, bytes))
      return type.names.get(value) ?? String(value)
    }
    case 'pointer':
    case 'reference':
      return pointerText(Number(bytes.readBigUInt64LE(0)), type)
    case 'array': {
      const { element } = type
      const values = Array.from({ length: count(type.dimensions) }, (_, index) =>
        valueText(element, bytes.subarray(index * element.size), pointerText),
      )
      return `{${values.join(', ')}}`
    }
    case 'structure': {
      const short = numberIn(type, bytes)
      if (short !== undefined) return floatText(short, shortFloats[type.name] === 'half' ? 4 : 3)
      const members = type.members()
      if (members.length > mostMembers) return type.name
      const values = members.map(({ name, offset, type: inner }) => {
        const size = bytesShown(inner)
        const text = size === 0 ? inner.name : valueText(inner, bytes.subarray(offset), pointerText)
        return `${name}=${text}`
      })
      return `{${values.join(', ')}}`
    }
    case 'unknown':
      return type.name
  }
}
