import { withoutComments } from '../project/scan-source'

/** Numbers that a source is looked through for at most: each costs some calls of the operator. */
const mostNumbers = 6

const number = String.raw`-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?`
const operand = String.raw`(?:${number}[fFlL]?|[A-Za-z_]\w*)`
/** `x > 6.0`, `x == T(3)`, `6 < x`: what is on either side. */
const comparison = new RegExp(
  String.raw`(${operand})\s*\)?\s(?:[<>]=?|[!=]=)\s+(?:(?:static_cast<[\w:]+>|[\w:]+)\()?(${operand})`,
  'g',
)
/** Functions that keep values within limits: `std::min(x, T(6))`. */
const limiting = /\b(?:f?min|f?max|clamp|clamp_min|clamp_max|hardtanh|threshold)_?(?:<[\w:]+>)?\(/
/** An argument that is a number or a name. */
const argument = new RegExp(String.raw`[(,]\s*(${operand})\s*(?=[),])`, 'g')
const constant = new RegExp(
  String.raw`(?:\b(?:const|constexpr)\s+[\w:]+\s+(\w+)\s*(?:=|\{)|#define\s+(\w+))\s*\(?(${number})[fFlL]?\b`,
  'g',
)
/** Sizes, loops and checks of arguments compare with counts, which no element is. */
const aboutCounts =
  /TORCH_CHECK|\bfor\s*\(|\bdim\(|\bsize\(|\bsizes\(|\bnumel\(|blockIdx|threadIdx|#if|\bndim/

/**
 * Numbers that a C++ source compares values with, those nearest to the line first. 0, 1 and -1 are left out: they are
 * special whatever the source says.
 */
export function comparedNumbers(source: string, line: number): number[] {
  const text = withoutComments(source)
  const constants = new Map<string, number>()
  for (const [, name, defined, value] of text.matchAll(constant))
    constants.set(name ?? defined ?? '', Number(value))
  const found: { value: number; distance: number }[] = []
  for (const [index, words] of text.split('\n').entries()) {
    if (aboutCounts.test(words)) continue
    const operands = [...words.matchAll(comparison)].flatMap(([, left, right]) => [left, right])
    if (limiting.test(words)) {
      for (const [, one] of words.matchAll(argument)) operands.push(one)
    }
    for (const one of operands) {
      const word = (one ?? '').trim()
      const value = constants.get(word) ?? Number(word.replace(/[fFlL]$/, '') || NaN)
      if (Number.isFinite(value)) found.push({ value, distance: Math.abs(index + 1 - line) })
    }
  }
  const telling = found.filter(({ value }) => Math.abs(value) > 1e-6 && Math.abs(value) < 1e6)
  const nearest = telling
    .sort((a, b) => a.distance - b.distance)
    .map(({ value }) => Math.abs(value))
  return [...new Set(nearest)].filter((value) => value !== 1).slice(0, mostNumbers)
}
