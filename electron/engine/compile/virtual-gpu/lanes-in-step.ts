/**
 * Programs of before Volta let the lanes of a warp exchange values through shared memory without a
 * barrier: all lanes read before one of them writes. Here is what the rewriter inserts so that they
 * still do.
 */
import { textOf } from './declarators.js'
import { closes, codeBefore, codeFrom, tokenAt } from './tokens.js'
import type { Token } from './tokens.js'

/** Words that can stand last in a type, and so are no name. */
const typeWords = new Set(
  'void bool char short int long float double signed unsigned const volatile __shared__ static extern __restrict__ restrict'.split(
    ' ',
  ),
)

/** What a program declares volatile between two tokens: variables, and what pointers point at. */
export function volatileNames(
  tokens: readonly Token[],
  from: number,
  to: number,
): ReadonlySet<string> {
  const names = new Set<string>()
  for (let at = from; at < to; at += 1) {
    if (tokenAt(tokens, at).text !== 'volatile') continue
    let last: Token | undefined
    for (let next = codeFrom(tokens, at + 1); next < to; next = codeFrom(tokens, next + 1)) {
      const token = tokenAt(tokens, next)
      if (token.kind !== 'word' && !['*', '&', '::', '<', '>'].includes(token.text)) break
      last = token
    }
    // Without a name after the `*` it is a cast.
    if (last?.kind === 'word' && !typeWords.has(last.text)) names.add(last.text)
  }
  return names
}

export interface Insertion {
  /** Before this token. */
  at: number
  text: string
}

/**
 * For one statement: `s[i] += s[i + 8]` waits for the other lanes before it reads, between reading
 * and writing, and after writing.
 * @param from the first token of the statement
 * @param end its `;`
 */
export function keepInStep(
  tokens: readonly Token[],
  from: number,
  end: number,
  names: ReadonlySet<string>,
): Insertion[] {
  const begin = beginOfStatement(tokens, from, end)
  const sign = assignment(tokens, begin, end)
  const name =
    nameIn(tokens, begin, end, names) ??
    (sign < 0 ? undefined : exchanged(tokens, begin, sign, end))
  if (name === undefined) return []
  const before = `(::opsmith::gpu::in_step(${name}), ::opsmith::gpu::read_in_step(${name}, `
  if (tokenAt(tokens, begin).text === 'return')
    return [
      { at: codeFrom(tokens, begin + 1), text: before },
      { at: end, text: '))' },
    ]
  if (sign < 0) return []
  const value = codeFrom(tokens, sign + 1)
  // An array's values, or the address in a pointer that is declared here.
  if (tokenAt(tokens, value).text === '{' || isDeclared(tokens, begin, sign, names)) return []
  const first = codeFrom(tokens, begin + 1)
  const isDeclaration =
    tokenAt(tokens, begin).kind === 'word' &&
    (tokenAt(tokens, first).kind === 'word' || tokenAt(tokens, begin).text === 'const')
  const stores = !isDeclaration && nameIn(tokens, begin, sign, new Set([name])) !== undefined
  return [
    { at: value, text: before },
    {
      at: endOfValue(tokens, value, end),
      text: stores ? `)), ::opsmith::gpu::in_step(${name})` : '))',
    },
  ]
}

/**
 * `s[t] += s[t + 16]` without a barrier after it: the array, which need not be volatile. In global
 * memory it means nothing; whether the array is shared shows when it runs.
 */
function exchanged(
  tokens: readonly Token[],
  begin: number,
  sign: number,
  end: number,
): string | undefined {
  const array = tokenAt(tokens, begin)
  const open = codeFrom(tokens, begin + 1)
  if (array.kind !== 'word' || tokenAt(tokens, open).text !== '[') return undefined
  const index = textOf(tokens, open, closes(tokens, open) + 1)
  const others = (at: number): boolean => {
    const bracket = codeFrom(tokens, at + 1)
    if (tokenAt(tokens, at).text !== array.text || tokenAt(tokens, bracket).text !== '[')
      return false
    return textOf(tokens, bracket, closes(tokens, bracket) + 1) !== index
  }
  if (!range(sign + 1, end).some(others)) return undefined
  let next = codeFrom(tokens, end + 1)
  while (tokenAt(tokens, next).text === '}') next = codeFrom(tokens, next + 1)
  let isSynchronized = false
  for (; next < tokens.length && tokenAt(tokens, next).text !== ';'; next += 1)
    if (tokenAt(tokens, next).inDirective === array.inDirective)
      isSynchronized ||= tokenAt(tokens, next).text.includes('sync')
  return isSynchronized ? undefined : array.text
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)

/** The same for all statements in the body of a macro. */
export function keepMacroInStep(tokens: readonly Token[], from: number): Insertion[] {
  const insertions: Insertion[] = []
  const none: ReadonlySet<string> = new Set()
  let begin = from
  let at = from
  for (; tokens[at]?.inDirective; at += 1) {
    const { kind, text } = tokenAt(tokens, at)
    if (kind !== 'mark') continue
    if (text === '(' || text === '[') at = closes(tokens, at)
    else if (text === ';') insertions.push(...keepInStep(tokens, begin, at, none))
    if (text === ';' || text === '{' || text === '}') begin = at + 1
  }
  // The last may leave its `;` to who uses the macro.
  const end = codeBefore(tokens, Math.min(at, tokens.length) - 1) + 1
  if (begin < end) insertions.push(...keepInStep(tokens, begin, end, none))
  return insertions
}

/** Beyond `if (…)`, `else` and labels. */
function beginOfStatement(tokens: readonly Token[], from: number, end: number): number {
  let at = codeFrom(tokens, from)
  const isInDirective = tokenAt(tokens, end - 1).inDirective
  while (at < end) {
    const { kind, text } = tokenAt(tokens, at)
    if (['if', 'for', 'while', 'switch'].includes(text)) {
      let open = codeFrom(tokens, at + 1)
      if (tokenAt(tokens, open).text === 'constexpr') open = codeFrom(tokens, open + 1)
      at = codeFrom(tokens, closes(tokens, open) + 1)
    } else if (text === 'else' || text === 'do') at = codeFrom(tokens, at + 1)
    else if (kind === 'directive' || tokenAt(tokens, at).inDirective !== isInDirective)
      at = codeFrom(tokens, at + 1)
    else if (kind === 'word' && tokenAt(tokens, codeFrom(tokens, at + 1)).text === ':')
      at = codeFrom(tokens, codeFrom(tokens, at + 1) + 1)
    else return at
  }
  return at
}

function nameIn(
  tokens: readonly Token[],
  from: number,
  to: number,
  names: ReadonlySet<string>,
): string | undefined {
  for (let at = from; at < to; at += 1) {
    const { kind, text } = tokenAt(tokens, at)
    if (kind !== 'word' || !names.has(text)) continue
    if (!['.', '->', '::'].includes(tokenAt(tokens, codeBefore(tokens, at - 1)).text)) return text
  }
  return undefined
}

/** The first `=` or `+=` outside of brackets; -1 if there is none. */
function assignment(tokens: readonly Token[], from: number, end: number): number {
  for (let at = from; at < end; at += 1) {
    const { kind, text } = tokenAt(tokens, at)
    if (kind !== 'mark') continue
    if (text === '(' || text === '[' || text === '{') at = closes(tokens, at)
    else if (/^[-+*/%&|^]=$/.test(text)) return at
    else if (text === '=') {
      const last = tokenAt(tokens, at - 1).text
      const isComparison = (last === '<' || last === '>') && tokenAt(tokens, at - 2).text !== last
      return isComparison ? -1 : at
    }
  }
  return -1
}

/** `volatile int *s = data;`: the value is the name's own. */
function isDeclared(
  tokens: readonly Token[],
  begin: number,
  sign: number,
  names: ReadonlySet<string>,
): boolean {
  const declared = tokens.slice(begin, sign).some(({ text }) => text === 'volatile')
  return declared && names.has(tokenAt(tokens, codeBefore(tokens, sign - 1)).text)
}

function endOfValue(tokens: readonly Token[], from: number, end: number): number {
  for (let at = from; at < end; at += 1) {
    const { text } = tokenAt(tokens, at)
    if (text === '(' || text === '[' || text === '{') at = closes(tokens, at)
    else if (text === ',') return at
  }
  return end
}
