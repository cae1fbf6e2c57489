/** What the head of a kernel's definition says: its launch bounds, and how its body can name it. */
import { textOf } from './declarators.js'
import { closes, closesAngle, codeBefore, codeFrom, tokenAt } from './tokens.js'
import type { Token } from './tokens.js'

export interface KernelHead {
  /** `k`, or `k<T, N>` in a template: an expression within the body. */
  name: string
  /** `256, 2` of `__launch_bounds__(256, 2)`; "" without. */
  launchBounds: string
}

/** Words with parentheses that come before a function's name. */
const wordsWithArguments = new Set([
  '__launch_bounds__',
  '__maxnreg__',
  '__cluster_dims__',
  '__block_size__',
  '__attribute__',
  '__align__',
  'alignas',
  'decltype',
])
/** A parameter of a template that ends with one of these has no name. */
const typeWords = new Set(
  'typename class bool char short int long float double signed unsigned auto'.split(' '),
)

/**
 * Reads the head of a kernel that is defined.
 * @param from the first token of the definition
 * @param bodyAt the `{` of the body
 * @returns undefined where the body cannot name the kernel: a parameter of its template has no name,
 *   or something else in it has the kernel's
 */
export function readKernelHead(
  source: readonly Token[],
  from: number,
  bodyAt: number,
): KernelHead | undefined {
  // Includes and macros before the definition are no part of it.
  const tokens = source
    .slice(from, closes(source, bodyAt) + 1)
    .filter((token) => !token.inDirective)
  const open = tokens.indexOf(tokenAt(source, bodyAt))
  let at = codeFrom(tokens, 0)
  let templateArguments: string | undefined
  if (tokenAt(tokens, at).text === 'template') {
    const angle = codeFrom(tokens, at + 1)
    const close = closesAngle(tokens, angle)
    if (close < 0) return undefined
    templateArguments = namesOfParameters(tokens, angle + 1, close)
    if (templateArguments === undefined) return undefined
    at = codeFrom(tokens, close + 1)
  }
  let launchBounds = ''
  for (; at < open; at = codeFrom(tokens, at + 1)) {
    const { kind, text } = tokenAt(tokens, at)
    const next = codeFrom(tokens, at + 1)
    const isCalled = tokens[next]?.text === '('
    if (kind !== 'word') continue
    if (wordsWithArguments.has(text) && isCalled) {
      const close = closes(tokens, next)
      if (text === '__launch_bounds__') launchBounds = textOf(tokens, next + 1, close).trim()
      at = close
    } else if (isCalled || tokens[next]?.text === '<') {
      // The name, or that of a specialization with its arguments.
      const own = isCalled ? text : textOf(tokens, at, closesAngle(tokens, next) + 1)
      const isQualified = tokens[codeBefore(tokens, at - 1)]?.text === '::'
      // A parameter or a variable of the same name hides it.
      const isHidden = tokens.slice(next, closes(tokens, open)).some((one) => one.text === text)
      if (isQualified || isHidden) return undefined
      const isTemplate = isCalled && (templateArguments ?? '') !== ''
      return { name: isTemplate ? `${own}<${templateArguments ?? ''}>` : own, launchBounds }
    }
  }
  return undefined
}

/** `T, N, Rest...` of `typename T, int N = 4, class... Rest`. */
function namesOfParameters(tokens: readonly Token[], from: number, to: number): string | undefined {
  const names: string[] = []
  for (let at = codeFrom(tokens, from); at < to; at = codeFrom(tokens, at + 1)) {
    let words = 0
    let name = ''
    let isPack = false
    let before = ''
    let isDefault = false
    for (; at < to && tokenAt(tokens, at).text !== ','; at = codeFrom(tokens, at + 1)) {
      const { kind, text } = tokenAt(tokens, at)
      if (text === '=') isDefault = true
      if (text === '<' || text === '(') {
        const close = text === '<' ? closesAngle(tokens, at) : closes(tokens, at)
        if (close < 0 || close > to) return undefined
        at = close
      }
      if (isDefault) continue
      if (text === '.') isPack = true
      if (kind === 'word') {
        name = before === '::' ? '' : text
        words += 1
      } else if (text !== '::' && text !== '.') name = ''
      before = text
    }
    if (words < 2 || name === '' || typeWords.has(name)) return undefined
    names.push(isPack ? `${name}...` : name)
  }
  return names.join(', ')
}
