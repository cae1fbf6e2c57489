import { closes, closesAngle, codeBefore, codeFrom, tokenAt } from './tokens.js'
import type { Token } from './tokens.js'

/** A declaration of variables: its type, and each name with what follows it. */
export interface Declaration {
  /** Index of the token after the `;`. */
  end: number
  /** Indices of the tokens of the type. */
  type: number[]
  declarators: { name: string; /** `[4][N]`. */ dimensions: string[] }[]
  /** It has a value: `=` or `{}`. */
  initialized: boolean
}

/** Words with parentheses that are part of a type, not the parameters of a function. */
const typeCalls = new Set([
  '__align__',
  '__builtin_align__',
  'alignas',
  '__attribute__',
  'decltype',
  'typeof',
  '__typeof__',
  'sizeof',
])

/**
 * Reads the declaration that begins at `from`: `float a[4][N], *b;`. Undefined if it is not one of
 * variables: a function, a class, something unfinished.
 */
export function readDeclaration(tokens: readonly Token[], from: number): Declaration | undefined {
  const type: number[] = []
  let at = codeFrom(tokens, from)
  let lastWord = -1
  let bodyBefore = false
  // The type and the first name: the name is the last word before what ends a declarator.
  for (; at < tokens.length; at = codeFrom(tokens, at + 1)) {
    const { kind, text } = tokenAt(tokens, at)
    if (kind === 'directive') return undefined
    if (kind === 'word') {
      if (typeCalls.has(text)) {
        const open = codeFrom(tokens, at + 1)
        if (tokens[open]?.text !== '(') return undefined
        const close = closes(tokens, open)
        for (let index = at; index <= close && index < tokens.length; index += 1) type.push(index)
        at = close
        continue
      }
      if (['struct', 'union', 'class', 'enum'].includes(text)) bodyBefore = true
      lastWord = at
      type.push(at)
      continue
    }
    if (text === '<') {
      const close = closesAngle(tokens, at)
      if (close < 0) return undefined
      for (let index = at; index <= close; index += 1) type.push(index)
      at = close
      continue
    }
    if (text === '{' && bodyBefore) {
      // `union { float a; int b; } name`
      const close = closes(tokens, at)
      for (let index = at; index <= close && index < tokens.length; index += 1) type.push(index)
      at = close
      bodyBefore = false
      continue
    }
    if (text === '::' || text === '*' || text === '&') {
      type.push(at)
      continue
    }
    break
  }
  if (lastWord < 0 || at >= tokens.length) return undefined
  const declarators: Declaration['declarators'] = [
    { name: tokenAt(tokens, lastWord).text, dimensions: [] },
  ]
  type.splice(type.indexOf(lastWord), 1)
  let initialized = false
  while (at < tokens.length) {
    const { text } = tokenAt(tokens, at)
    if (text === '[') {
      const close = closes(tokens, at)
      declarators.at(-1)?.dimensions.push(textOf(tokens, at, close + 1))
      at = codeFrom(tokens, close + 1)
    } else if (text === ';') {
      return { end: at + 1, type, declarators, initialized }
    } else if (text === '=' || text === '{') {
      initialized = true
      at = endOfValue(tokens, at)
    } else if (text === ',') {
      at = codeFrom(tokens, at + 1)
      while (['*', '&'].includes(tokens[at]?.text ?? '')) at = codeFrom(tokens, at + 1)
      if (tokens[at]?.kind !== 'word') return undefined
      declarators.push({ name: tokenAt(tokens, at).text, dimensions: [] })
      at = codeFrom(tokens, at + 1)
    } else return undefined
  }
  return undefined
}

function endOfValue(tokens: readonly Token[], from: number): number {
  let at = from
  while (at < tokens.length) {
    const { text } = tokenAt(tokens, at)
    if (text === '(' || text === '[' || text === '{') at = closes(tokens, at)
    else if (text === ';' || text === ',') return at
    at = codeFrom(tokens, at + 1)
  }
  return at
}

export function textOf(tokens: readonly Token[], from: number, to: number): string {
  return tokens
    .slice(from, to)
    .map((token) => (token.kind === 'comment' ? ' ' : token.text))
    .join('')
}

/** A declaration in a macro: the macro may leave its `;` to who uses it. */
export function untilDirectiveEnds(tokens: readonly Token[], begin: number): readonly Token[] {
  if (!tokenAt(tokens, begin).inDirective) return tokens
  let end = begin
  while (end < tokens.length && tokenAt(tokens, end).inDirective) end += 1
  const last = tokenAt(tokens, codeBefore(tokens, end - 1))
  return [...tokens.slice(0, end), { ...last, kind: 'mark' as const, text: ';' }]
}
