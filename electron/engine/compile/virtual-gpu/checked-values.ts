/**
 * What the rewriter inserts so that a checked build sees two mistakes that clang hides: an index that overflows as
 * unsigned before it becomes a signed number, and a pointer to a vector that is not aligned, of which clang loads the
 * parts one by one. In other builds it means nothing (include/opsmith/gpu/checked_values.h).
 */
import { textOf } from './declarators.js'
import type { Insertion } from './lanes-in-step.js'
import { closes, closesAngle, codeBefore, codeFrom, tokenAt } from './tokens.js'
import type { Token } from './tokens.js'

/** Numbers without a sign may be meant to wrap around, as in a hash. */
const indexTypes =
  /^(?:const )?(?:(?:signed )?int|long(?: long)?(?: int)?|(?:std :: )?(?:int64_t|size_t|ptrdiff_t))(?: const)?$/
const typeWords = new Set('const signed int long std :: int64_t size_t ptrdiff_t'.split(' '))
const placeOfThread = new Set(['threadIdx', 'blockIdx', 'blockDim', 'gridDim'])
/** A larger factor belongs to a hash or to a random number. */
const largestFactor = 2 ** 20

/**
 * For `int i = blockIdx.x * blockDim.x * stride;`: its value is also computed in 64 bits, with a sign.
 * @param at its `=`
 */
export function checkIndex(tokens: readonly Token[], at: number): Insertion[] {
  const name = codeBefore(tokens, at - 1)
  const type = typeBefore(tokens, name)
  if (type === undefined) return []
  const begin = codeFrom(tokens, at + 1)
  const marks = new Set<string>()
  const parts: { text: string; isValue: boolean }[] = []
  let hasPlace = false
  let end = begin
  let depth = 0
  for (; end < tokens.length; end += 1) {
    const { kind, text, inDirective } = tokenAt(tokens, end)
    if (inDirective) return []
    if (kind === 'space' || kind === 'comment') {
      parts.push({ text: ' ', isValue: false })
      continue
    }
    if (depth === 0 && (text === ';' || text === ',')) break
    if (kind === 'word' && !typeWords.has(text)) {
      const last = endOfName(tokens, end)
      parts.push({ text: textOf(tokens, end, last + 1).replace(/\s+/g, ' '), isValue: true })
      hasPlace ||= placeOfThread.has(text)
      // A call has effects, and must not be made twice.
      if (['(', '['].includes(tokenAt(tokens, codeFrom(tokens, last + 1)).text)) return []
      end = last
      continue
    }
    if (kind === 'number' && !(/^\d+$/.test(text) && Number(text) < largestFactor)) return []
    if (kind !== 'word' && kind !== 'number' && !/^[-*+/%()]$/.test(text)) return []
    if (text === '(') depth += 1
    if (text === ')') depth -= 1
    if (depth < 0) return []
    marks.add(text)
    parts.push({ text, isValue: false })
  }
  const isDivided = marks.has('/') || marks.has('%')
  // A negative number is divided differently in each of the two.
  if (!hasPlace || !marks.has('*') || (isDivided && marks.has('-'))) return []
  const isWide = (text: string): boolean =>
    !isDivided || placeOfThread.has(/^\w+/.exec(text)?.[0] ?? '')
  const wide = parts.map(({ text, isValue }) =>
    isValue && isWide(text) ? `::opsmith::gpu::wide(${text})` : text,
  )
  return [
    { at: begin, text: `OPSMITH_INDEX(${type}, ` },
    { at: end, text: `, ${wide.join('').trim()})` },
  ]
}

/** The last word of `threadIdx.x`, `p->width` or `sizes::rows`. */
function endOfName(tokens: readonly Token[], from: number): number {
  let at = from
  while (true) {
    const mark = codeFrom(tokens, at + 1)
    const word = codeFrom(tokens, mark + 1)
    if (!['.', '->', '::'].includes(tokenAt(tokens, mark).text)) return at
    if (tokenAt(tokens, word).kind !== 'word') return at
    at = word
  }
}

/** The type of the variable that is declared with this name, if it is one of an index. */
function typeBefore(tokens: readonly Token[], name: number): string | undefined {
  if (tokenAt(tokens, name).kind !== 'word' || tokenAt(tokens, name).inDirective) return undefined
  const words: string[] = []
  let at = codeBefore(tokens, name - 1)
  for (; at >= 0 && typeWords.has(tokenAt(tokens, at).text); at = codeBefore(tokens, at - 1))
    words.unshift(tokenAt(tokens, at).text)
  const type = words.join(' ')
  if (!indexTypes.test(type) || !';{}():'.includes(tokenAt(tokens, at).text)) return undefined
  return type.replace(/\bconst\b/g, '').trim()
}

/**
 * For `reinterpret_cast<float4*>(p)[i]` and `*reinterpret_cast<float4*>(p)`: the alignment of the address is checked.
 * @param at `reinterpret_cast`
 */
export function checkCast(tokens: readonly Token[], at: number): Insertion[] {
  const angle = codeFrom(tokens, at + 1)
  const angleEnd = closesAngle(tokens, angle)
  if (angleEnd < 0 || !isPointer(tokens, angle + 1, angleEnd)) return []
  const open = codeFrom(tokens, angleEnd + 1)
  if (tokenAt(tokens, open).text !== '(') return []
  return checkAddress(tokens, at, closes(tokens, open))
}

const vectorTypes = /^(?:u?(?:char|short|int|long|longlong)|float|double)[234]$/

/**
 * The same for `((float4*)p)[i]`, `*((float4*)p)` and `*(float4*)p`, where the type is one of CUDA's.
 * @param at the `(` before the type
 */
export function checkOldCast(tokens: readonly Token[], at: number): Insertion[] {
  const close = closes(tokens, at)
  const words = tokens
    .slice(at + 1, close)
    .filter(({ kind }) => kind !== 'space' && kind !== 'comment')
    .map(({ text }) => text)
    .filter((text) => text !== 'const')
  if (words.length !== 2 || !vectorTypes.test(words[0] ?? '') || words[1] !== '*') return []
  const outer = codeBefore(tokens, at - 1)
  if (tokenAt(tokens, outer).text === '(') {
    const before = tokenAt(tokens, codeBefore(tokens, outer - 1))
    // A call's first argument.
    if (before.kind === 'word' && before.text !== 'return') return []
    return checkAddress(tokens, outer, closes(tokens, outer))
  }
  const end = endOfOperand(tokens, close + 1)
  return isDereferenced(tokens, at) && end >= 0 ? wrap(at, end) : []
}

/** The last token of `&x[i]`, `p` or `(p + 1)`; -1 if it is anything else. */
function endOfOperand(tokens: readonly Token[], from: number): number {
  let at = codeFrom(tokens, from)
  if (tokenAt(tokens, at).text === '&') at = codeFrom(tokens, at + 1)
  if (tokenAt(tokens, at).text === '(') at = closes(tokens, at)
  else if (tokenAt(tokens, at).kind !== 'word') return -1
  while (tokenAt(tokens, codeFrom(tokens, at + 1)).text === '[')
    at = closes(tokens, codeFrom(tokens, at + 1))
  const next = tokenAt(tokens, codeFrom(tokens, at + 1)).text
  return ['.', '->', '(', '::', '<'].includes(next) ? -1 : at
}

function isPointer(tokens: readonly Token[], from: number, to: number): boolean {
  const text = textOf(tokens, from, to).replace(/\b(?:const|volatile|__restrict__|restrict)\b/g, '')
  return text.trim().endsWith('*')
}

/** Whether the `*` before an expression reads what it points at. */
function isDereferenced(tokens: readonly Token[], at: number): boolean {
  const star = codeBefore(tokens, at - 1)
  if (tokenAt(tokens, star).text !== '*') return false
  const { kind, text } = tokenAt(tokens, codeBefore(tokens, star - 1))
  if (kind === 'word') return text === 'return'
  return kind === 'mark' && ![')', ']', '>'].includes(text)
}

function checkAddress(tokens: readonly Token[], begin: number, end: number): Insertion[] {
  if (end >= tokens.length) return []
  const next = tokenAt(tokens, codeFrom(tokens, end + 1)).text
  if (next === '[') return wrap(begin, end)
  const isWhole = !['.', '->', '(', '+', '-'].includes(next)
  return isWhole && isDereferenced(tokens, begin) ? wrap(begin, end) : []
}

const wrap = (begin: number, end: number): Insertion[] => [
  { at: begin, text: '::opsmith::gpu::dereferenced(' },
  { at: end + 1, text: ')' },
]
