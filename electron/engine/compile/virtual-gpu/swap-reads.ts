/** `old = *p` before `atomicCAS(p, …)`: a stale value only makes the loop turn once more, so the checks call it no race. */
import { codeFrom, tokenAt } from './tokens.js'
import type { Token } from './tokens.js'

/** Tokens that are replaced by a text. */
export interface Edit {
  from: number
  /** The token after the last one. */
  to: number
  text: string
}

/** For the tokens of a function: each read of what it swaps is marked as such. */
export function readForSwap(tokens: readonly Token[], from: number, to: number): Edit[] {
  const swapped = new Set<string>()
  for (let at = from; at < to; at += 1)
    if (tokenAt(tokens, at).text === 'atomicCAS') {
      const open = codeFrom(tokens, at + 1)
      swapped.add(tokenAt(tokens, codeFrom(tokens, open + 1)).text)
    }
  if (swapped.size === 0) return []
  const edits: Edit[] = []
  for (let at = from; at < to; at += 1) {
    if (tokenAt(tokens, at).text !== '=') continue
    const star = codeFrom(tokens, at + 1)
    const name = codeFrom(tokens, star + 1)
    if (tokenAt(tokens, star).text !== '*' || !swapped.has(tokenAt(tokens, name).text)) continue
    if (tokenAt(tokens, name).kind !== 'word') continue
    if (![';', ','].includes(tokenAt(tokens, codeFrom(tokens, name + 1)).text)) continue
    edits.push({
      from: star,
      to: name + 1,
      text: `::opsmith::gpu::read_for_swap(${tokenAt(tokens, name).text})`,
    })
  }
  return edits
}
