/** What a C++ source consists of, as far as the rewriter must know it. */

export type TokenKind = 'space' | 'comment' | 'word' | 'number' | 'text' | 'mark' | 'directive'

export interface Token {
  kind: TokenKind
  /** As it stands in the source. `directive`: the `#` and the name after it, such as `#include`. */
  text: string
  /** Offset of its first character. */
  at: number
  /** From 1. */
  line: number
  /** It belongs to a preprocessor line, such as the body of a macro. */
  inDirective: boolean
}

const patterns: [TokenKind, RegExp][] = [
  ['space', /(?:\s|\\\r?\n)+/y],
  ['comment', /\/\/(?:\\\r?\n|[^\n])*|\/\*[\s\S]*?(?:\*\/|$)/y],
  ['text', /(?:u8|[uUL])?R"([^()\\\s]{0,16})\([\s\S]*?\)\1"/y],
  ['text', /(?:u8|[uUL])?"(?:\\[\s\S]|[^"\\\n])*"?/y],
  ['text', /(?:u8|[uUL])?'(?:\\[\s\S]|[^'\\\n])*'?/y],
  ['word', /[A-Za-z_$][\w$]*/y],
  ['number', /\.?\d(?:'?[\w.]|[eEpP][+-])*/y],
  ['mark', /::|->|\+\+|--|&&|\|\||[-+*/%&|^!=]=|##|[\s\S]/y],
]
const directive = /#[ \t]*\w*/y

/** Splits a source into tokens; together they are the whole text. `<` and `>` stand alone. */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  let line = 1
  let lineBegins = true
  let inDirective = false
  const take = (kind: TokenKind, text: string): void => {
    tokens.push({ kind, text, at, line, inDirective })
    at += text.length
    for (const character of text) if (character === '\n') line += 1
  }
  while (at < source.length) {
    if (inDirective && source[at] === '\n') {
      inDirective = false
      take('space', '\n')
      lineBegins = true
      continue
    }
    if (lineBegins && source[at] === '#') {
      directive.lastIndex = at
      inDirective = true
      take('directive', directive.exec(source)?.[0] ?? '#')
      lineBegins = false
      continue
    }
    const [kind, text] = next(source, at, inDirective)
    take(kind, text)
    if (kind === 'space') lineBegins ||= text.includes('\n') && !inDirective
    else if (kind !== 'comment') lineBegins = false
  }
  return tokens
}

function next(source: string, at: number, inDirective: boolean): [TokenKind, string] {
  if (inDirective) {
    const space = /(?:[^\S\n]|\\\r?\n)+/y
    space.lastIndex = at
    const found = space.exec(source)
    if (found) return ['space', found[0]]
  }
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at
    const found = pattern.exec(source)
    if (found) return [kind, found[0]]
  }
  return ['mark', source.slice(at, at + 1)]
}

const nothing: Token = { kind: 'space', text: '', at: 0, line: 0, inDirective: false }

/** The token at an index; one without text beyond the ends. */
export function tokenAt(tokens: readonly Token[], index: number): Token {
  return tokens[index] ?? nothing
}

const idle = new Set<TokenKind>(['space', 'comment'])

/** The next token that is code, from `index` on; `tokens.length` if there is none. */
export function codeFrom(tokens: readonly Token[], index: number): number {
  let at = index
  while (at < tokens.length && idle.has(tokenAt(tokens, at).kind)) at += 1
  return at
}

/** The last token that is code, from `index` back; -1 if there is none. */
export function codeBefore(tokens: readonly Token[], index: number): number {
  let at = index
  while (at >= 0 && idle.has(tokenAt(tokens, at).kind)) at -= 1
  return at
}

/** Where a word stands among the tokens from `from` up to `to`. */
export function indicesOf(
  tokens: readonly Token[],
  from: number,
  to: number,
  name: string,
): number[] {
  const found: number[] = []
  for (let at = from; at < to; at += 1) {
    const { kind, text } = tokenAt(tokens, at)
    if (kind === 'word' && text === name) found.push(at)
  }
  return found
}

const closing: Record<string, string> = { '(': ')', '[': ']', '{': '}' }
const opening: Record<string, string> = { ')': '(', ']': '[', '}': '{' }

/** The token that closes the bracket at `index`; `tokens.length` if none does. */
export function closes(tokens: readonly Token[], index: number): number {
  const stack: string[] = []
  for (let at = index; at < tokens.length; at += 1) {
    const { kind, text } = tokenAt(tokens, at)
    if (kind !== 'mark') continue
    const close = closing[text]
    if (close) stack.push(close)
    else if (text === stack.at(-1)) {
      stack.pop()
      if (stack.length === 0) return at
    }
  }
  return tokens.length
}

/** The token that opens the bracket which closes at `index`; -1 if none does. */
export function opens(tokens: readonly Token[], index: number): number {
  const stack: string[] = []
  for (let at = index; at >= 0; at -= 1) {
    const { kind, text } = tokenAt(tokens, at)
    if (kind !== 'mark') continue
    const open = opening[text]
    if (open) stack.push(open)
    else if (text === stack.at(-1)) {
      stack.pop()
      if (stack.length === 0) return at
    }
  }
  return -1
}

/** The `<` of the template arguments that end with the `>` at `index`; -1 if there is none. */
export function opensAngle(tokens: readonly Token[], index: number): number {
  let depth = 0
  for (let at = index; at >= 0; at -= 1) {
    const { kind, text } = tokenAt(tokens, at)
    if (kind !== 'mark') continue
    if (text === '>') depth += 1
    else if (text === '<' && tokens[at - 1]?.text === '<') at -= 1 // a shift
    else if (text === '<') {
      depth -= 1
      if (depth === 0) return at
    } else if (opening[text]) at = opens(tokens, at)
    else if (text === ';' || closing[text]) return -1
    if (at < 0) return -1
  }
  return -1
}

/** The `>` that ends the template arguments which begin with the `<` at `index`; -1 if there is none. */
export function closesAngle(tokens: readonly Token[], index: number): number {
  let depth = 0
  for (let at = index; at < tokens.length; at += 1) {
    const { kind, text } = tokenAt(tokens, at)
    if (kind !== 'mark') continue
    if (text === '<') depth += 1
    else if (text === '>') {
      depth -= 1
      if (depth === 0) return at
    } else if (closing[text]) at = closes(tokens, at)
    else if (text === ';' || opening[text]) return -1
  }
  return -1
}
