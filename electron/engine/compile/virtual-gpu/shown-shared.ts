/** `__shared__` variables outside of functions: a function that uses one names it in its frame, so that steps show it. */
import { codeBefore, indicesOf, tokenAt } from './tokens.js'
import type { Token } from './tokens.js'

/** A shared variable of a namespace, and how a function declares the same. */
export interface FileShared {
  name: string
  text: string
}

interface FunctionTokens {
  /** Where its declaration begins. */
  from: number
  /** Its `{` and `}`. */
  open: number
  close: number
}

/** The declarations for a function of the device; in a build that is not for steps, the macro around them drops them. */
export function shownShared(
  tokens: readonly Token[],
  { from, open, close }: FunctionTokens,
  known: readonly FileShared[],
): string[] {
  // It would copy an array, where before it saw the one of the file.
  if (copiesIntoLambda(tokens, open, close)) return []
  return known
    .filter(({ name }) => {
      const uses = indicesOf(tokens, open, close, name)
      const isOther =
        indicesOf(tokens, from, open, name).length > 0 ||
        uses.some((at) => isDeclaration(tokens, at))
      return uses.length > 0 && !isOther
    })
    .map(({ text }) => text)
}

/** `int name`, `T* name`, `x.name`: another thing of this name, or maybe one. */
function isDeclaration(tokens: readonly Token[], at: number): boolean {
  const before = codeBefore(tokens, at - 1)
  const { kind, text } = tokenAt(tokens, before)
  if (kind === 'word') return text !== 'return' && text !== 'else'
  if (text === '.' || text === '->' || text === '::' || text === '>') return true
  if (text !== '*' && text !== '&') return false
  const type = tokenAt(tokens, codeBefore(tokens, before - 1))
  return type.kind === 'word' && type.text !== 'return'
}

function copiesIntoLambda(tokens: readonly Token[], from: number, to: number): boolean {
  for (let at = from; at < to; at += 1)
    if (tokenAt(tokens, at).text === '[' && tokenAt(tokens, at + 1).text === '=') return true
  return false
}
