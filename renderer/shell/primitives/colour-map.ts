/**
 * Perceptually even colour maps, sampled at eleven points and mixed linearly between them.
 * viridis: matplotlib (Smith, van der Walt; CC0). The diverging one is ColorBrewer's RdBu with blue for
 * negative: both are told apart by people who can't tell red from green.
 */
const viridis = [
  [68, 1, 84],
  [72, 36, 117],
  [65, 68, 135],
  [53, 95, 141],
  [42, 120, 142],
  [33, 145, 140],
  [34, 168, 132],
  [68, 191, 112],
  [122, 209, 81],
  [189, 223, 38],
  [253, 231, 37],
] as const

const diverging = [
  [5, 48, 97],
  [33, 102, 172],
  [67, 147, 195],
  [146, 197, 222],
  [209, 229, 240],
  [247, 247, 247],
  [253, 219, 199],
  [244, 165, 130],
  [214, 96, 77],
  [178, 24, 43],
  [103, 0, 31],
] as const

export type ColourScale = {
  kind: 'sequential' | 'diverging'
  low: number
  high: number
}

export type CellColours = { background: string; color: string }

/** Colours of a value, or null where a colour would say nothing: no finite range, not finite. */
export function cellColours(value: number, scale: ColourScale): CellColours | null {
  const span = scale.high - scale.low
  if (!Number.isFinite(value) || !(span > 0)) return null
  return coloursAt(scale.kind, Math.min(Math.max((value - scale.low) / span, 0), 1))
}

/** Colours at a position of a map, 0 to 1. */
export function coloursAt(kind: ColourScale['kind'], position: number): CellColours {
  const [red, green, blue] = rgbAt(kind, position)
  // Relative luminance of WCAG 2: the text takes the end of the scale that stands out more.
  const luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  return {
    background: `rgb(${red} ${green} ${blue})`,
    color: luminance > 0.18 ? '#000' : '#fff',
  }
}

/** Red, green and blue, 0 to 255, at a position of a map, 0 to 1. */
export function rgbAt(kind: ColourScale['kind'], position: number): [number, number, number] {
  return mix(kind === 'diverging' ? diverging : viridis, position)
}

/** Differences are centred on zero; everything else spans its finite values. */
export function scaleOf(
  stats: { min: number | null; max: number | null },
  centred: boolean,
): ColourScale {
  const low = stats.min ?? 0
  const high = stats.max ?? 0
  if (!centred) return { kind: 'sequential', low, high }
  const reach = Math.max(Math.abs(low), Math.abs(high))
  return { kind: 'diverging', low: -reach, high: reach }
}

/** The scale as a CSS gradient, for its legend. */
export function gradientOf(kind: ColourScale['kind']): string {
  const table = kind === 'diverging' ? diverging : viridis
  return `linear-gradient(to right, ${table.map((c) => `rgb(${c.join(' ')})`).join(', ')})`
}

type Table = readonly (readonly [number, number, number])[]

function mix(table: Table, position: number): [number, number, number] {
  const scaled = position * (table.length - 1)
  const index = Math.min(Math.floor(scaled), table.length - 2)
  const from = table[index] ?? [0, 0, 0]
  const to = table[index + 1] ?? from
  const part = scaled - index
  const channel = (i: 0 | 1 | 2): number => Math.round(from[i] + part * (to[i] - from[i]))
  return [channel(0), channel(1), channel(2)]
}

function linear(channel: number): number {
  const value = channel / 255
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
}
