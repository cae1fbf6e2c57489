/** Where `kernel<T><<<grid, block>>>` begins and ends. */
import { closes, codeBefore, opens, opensAngle, tokenAt } from './tokens.js'
import type { Token } from './tokens.js'

/** The first of the three `>` that end the size of a launch. */
export function endOfLaunch(tokens: readonly Token[], from: number): number {
  for (let at = from; at < tokens.length; at += 1) {
    const { kind, text } = tokenAt(tokens, at)
    if (kind !== 'mark') continue
    if (text === '(' || text === '[' || text === '{') {
      at = closes(tokens, at)
      continue
    }
    if (text === ';') return -1
    if (text !== '>') continue
    let run = at
    while (tokens[run]?.text === '>') run += 1
    if (run - at >= 3) return run - 3
    at = run - 1
  }
  return -1
}

/** Where the name of the kernel before `<<<` begins. */
export function beginOfCallee(tokens: readonly Token[], launchAt: number): number {
  let at = codeBefore(tokens, launchAt - 1)
  if (tokens[at]?.text === ')') return opens(tokens, at)
  let begin = -1
  while (at >= 0) {
    if (tokenAt(tokens, at).text === ']') at = codeBefore(tokens, opens(tokens, at) - 1)
    if (tokenAt(tokens, at).text === '>') at = codeBefore(tokens, opensAngle(tokens, at) - 1)
    if (tokens[at]?.kind !== 'word') return begin
    begin = at
    const before = codeBefore(tokens, at - 1)
    const mark = tokens[before]?.text
    if (mark === 'template') at = before
    else if (mark === '##') at = codeBefore(tokens, before - 1)
    else if (mark === '::') {
      begin = before
      at = codeBefore(tokens, before - 1)
      if (tokens[at]?.text !== '>' && tokens[at]?.kind !== 'word') return begin
      if (tokens[at]?.text === 'return') return begin
    } else if (mark === '.' || mark === '->') {
      at = codeBefore(tokens, before - 1)
    } else return begin
  }
  return begin
}
