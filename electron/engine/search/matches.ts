import vm from 'node:vm'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { SearchMatch, SearchQuery } from '../../contract/search'

/** Characters of a line that are shown before and after a match. */
const mostBefore = 60
const mostAfter = 200
/** Milliseconds that a regular expression may take for one file: some take years. */
const patience = 400

const isWordCharacter = (character: string | undefined): boolean =>
  character !== undefined && /\w/.test(character)

/** The expression that finds what is asked for, in one line. Errors: `text` is no regular expression (request.invalid). */
export function patternOf(query: SearchQuery): Result<RegExp> {
  const { text, isRegex, matchCase, wholeWord } = query
  const flags = matchCase ? 'g' : 'gi'
  const escaped = text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  const literal = wholeWord
    ? `${isWordCharacter(text[0]) ? '(?<!\\w)' : ''}${escaped}${isWordCharacter(text.at(-1)) ? '(?!\\w)' : ''}`
    : escaped
  const expression = wholeWord ? `\\b(?:${text})\\b` : text
  try {
    // Checked as it was typed: "a)(b" is none, though it would be one in a group.
    if (isRegex) new RegExp(text)
    return ok(expressionOf(isRegex ? expression : literal, flags))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return err('request.invalid', reason.replace(/^Invalid/, 'This is not a'), {
      path: 'query.text',
      hint: 'Turn “Regular expression” off to search for exactly this text.',
    })
  }
}

/** With whole characters where the expression can be read so; some that people type cannot. */
function expressionOf(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, `${flags}u`)
  } catch {
    return new RegExp(source, flags)
  }
}

/** "$1", "$&", "$<name>" and "$$" of a replacement, as String.replace() reads them. */
function expand(replacement: string, found: RegExpExecArray): string {
  return replacement.replace(/\$(?:[$&]|\d{1,2}|<[^>]+>)/g, (word) => {
    if (word === '$$') return '$'
    if (word === '$&') return found[0]
    if (word.startsWith('$<')) return found.groups?.[word.slice(2, -1)] ?? ''
    const index = Number(word.slice(1))
    return index > 0 && index < found.length ? (found[index] ?? '') : word
  })
}

function matchesOfLine(
  line: string,
  number: number,
  pattern: RegExp,
  query: SearchQuery,
): SearchMatch[] {
  const matches: SearchMatch[] = []
  pattern.lastIndex = 0
  for (let found = pattern.exec(line); found !== null; found = pattern.exec(line)) {
    const [text] = found
    const end = found.index + text.length
    // An empty match is nothing that one could look at or replace.
    if (text === '') {
      pattern.lastIndex += 1
      continue
    }
    const { replacement } = query
    matches.push({
      line: number,
      column: found.index + 1,
      endColumn: end + 1,
      before: line.slice(Math.max(0, found.index - mostBefore), found.index).trimStart(),
      text,
      after: line.slice(end, end + mostAfter),
      ...(replacement !== undefined && {
        replacement: query.isRegex ? expand(replacement, found) : replacement,
      }),
    })
  }
  return matches
}

function allMatches(
  text: string,
  pattern: RegExp,
  query: SearchQuery,
  most: number,
): SearchMatch[] {
  const matches: SearchMatch[] = []
  let number = 0
  for (const line of text.split('\n')) {
    number += 1
    const whole = line.endsWith('\r') ? line.slice(0, -1) : line
    matches.push(...matchesOfLine(whole, number, pattern, query))
    if (matches.length >= most) break
  }
  return matches.slice(0, most)
}

const guard = vm.createContext({})
const call = new vm.Script('work()')

/**
 * The matches of one text, in order.
 * @param pattern of patternOf()
 * @returns undefined where the regular expression takes too long
 */
export function matchesIn(
  text: string,
  pattern: RegExp,
  query: SearchQuery,
  most: number,
): SearchMatch[] | undefined {
  if (!query.isRegex) return allMatches(text, pattern, query, most)
  // V8 ends a script in time, whatever it calls.
  guard['work'] = () => allMatches(text, pattern, query, most)
  try {
    return call.runInContext(guard, { timeout: patience }) as SearchMatch[]
  } catch (error) {
    // Errors of another context are none of this one's class.
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    return undefined
  }
}
