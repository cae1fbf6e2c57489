/**
 * What the rewriter inserts so that a checked build sees reads of local variables without a value: each declaration of
 * such a variable is followed by a mark. In other builds it means nothing (include/opsmith/gpu/local_values.h).
 */
import { readDeclaration } from './declarators.js'
import type { Insertion } from './lanes-in-step.js'
import { codeBefore, codeFrom, indicesOf, tokenAt } from './tokens.js'
import type { Token } from './tokens.js'

/** Words before a name that are no type, or give the variable a value or a life beyond its scope; and `volatile`. */
const otherStatements = new Set(
  'return throw delete new goto case else do typedef using static extern constexpr constinit thread_local co_return volatile __shared__ __device__ __constant__ __managed__'.split(
    ' ',
  ),
)
const updates = new Set('+= -= *= /= %= &= |= ^= ++ --'.split(' '))

/**
 * For one statement of a function of the device: `int counts[8];`, and `float sum;` if the first thing that happens to
 * it is not an assignment and it is updated, as in `sum += x`. Numbers that are only read are not marked: it is common
 * to hand a number without a value to a function that does not use it, such as a reduction of the first `n` threads.
 * @param begin the first token of the statement
 * @param end its `;`
 * @param close the `}` of the function
 */
export function markLocals(
  tokens: readonly Token[],
  begin: number,
  end: number,
  close: number,
): Insertion[] {
  let first = codeFrom(tokens, begin)
  // `#pragma` and `#ifdef` stand in lines of their own.
  while (tokenAt(tokens, first).inDirective) first = codeFrom(tokens, first + 1)
  const declaration = readDeclaration(tokens, first)
  if (declaration?.end !== end + 1 || declaration.initialized) return []
  const words = declaration.type.map((index) => tokenAt(tokens, index))
  if (!words.some(({ kind }) => kind === 'word')) return []
  if (words.some(({ text }) => otherStatements.has(text) || text === '&')) return []
  return declaration.declarators.flatMap(({ name, dimensions }): Insertion[] => {
    const uses = indicesOf(tokens, end, close, name)
    if (dimensions.length === 0)
      return isUpdatedFirst(tokens, uses) ? [{ at: end + 1, text: ` OPSMITH_LOCAL(${name});` }] : []
    // In a checked build the name is a reference: its type would be another.
    if (uses.some((at) => isTypeAsked(tokens, at))) return []
    // The type may have the same name: `struct node node[4];`.
    const declared = indicesOf(tokens, first, end, name).find(
      (at) => !declaration.type.includes(at),
    )
    if (declared === undefined) return []
    return [
      { at: declared, text: 'OPSMITH_ARRAY(' },
      { at: declared + 1, text: ')' },
      { at: end + 1, text: ` OPSMITH_LOCAL_ARRAY(${name});` },
    ]
  })
}

/** `decltype(name)` */
function isTypeAsked(tokens: readonly Token[], at: number): boolean {
  const open = codeBefore(tokens, at - 1)
  return (
    tokenAt(tokens, open).text === '(' &&
    ['decltype', 'typeof', '__typeof__'].includes(
      tokenAt(tokens, codeBefore(tokens, open - 1)).text,
    )
  )
}

function isUpdatedFirst(tokens: readonly Token[], uses: readonly number[]): boolean {
  const after = uses.map((at) => tokenAt(tokens, codeFrom(tokens, at + 1)).text)
  return after[0] !== '=' && after.some((text) => updates.has(text))
}
