import type { SearchQuery } from '../../contract/search'
import { findOnPath } from '../toolchain/find-on-path'
import { runProcess } from '../toolchain/run-command'

const limits = { seconds: 60, outputBytes: 64 << 20, memoryBytes: 0 }
/** Characters of file names for one start: Linux takes 2 MB of arguments, other systems less. */
const mostCharacters = 100_000

/** What means the same to ripgrep and to JavaScript, or more to ripgrep. */
const sameEscapes = /^[\\^$.*+?()[\]{}|/\-dws]$/

/**
 * A regular expression that finds at least the lines that JavaScript's finds; undefined where it is not known to:
 * looks around, names, groups that are repeated, sets of sets.
 */
function expressionFor(text: string): string | undefined {
  if (!/^[\x20-\x7e]*$/.test(text) || /\(\?|\[[^\]]*(?:\[|&&|--|~~)/.test(text)) return undefined
  let source = ''
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at)
    if (character !== '\\') source += character
    else {
      const escaped = text.charAt(at + 1)
      // Words of JavaScript's are ASCII.
      if (escaped === 'b') source += '(?-u:\\b)'
      else if (sameEscapes.test(escaped)) source += `\\${escaped}`
      else return undefined
      at += 1
    }
  }
  return source
}

function batchesOf(files: readonly string[]): string[][] {
  const batches: string[][] = []
  let room = 0
  for (const file of files) {
    if (room < file.length) {
      batches.push([])
      room = mostCharacters
    }
    batches.at(-1)?.push(file)
    room -= file.length + 1
  }
  return batches
}

/**
 * Those of the files that a search must read, by ripgrep: at least all that have a match. Which match there, and
 * where, is found in the same way with and without it.
 * @param files relative to the folder
 * @returns undefined where there is no ripgrep, and for what it may read otherwise than JavaScript
 */
export async function filesWithMatches(
  folder: string,
  files: readonly string[],
  query: SearchQuery,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  const program = findOnPath('rg')
  const expression = query.isRegex ? expressionFor(query.text) : query.text
  if (program === undefined || expression === undefined) return undefined
  const options = [
    '--no-config',
    '--files-with-matches',
    '--null',
    '--no-messages',
    '--crlf',
    query.matchCase ? '--case-sensitive' : '--ignore-case',
    ...(query.isRegex ? [] : ['--fixed-strings']),
    '-e',
    expression,
    '--',
  ]
  const found = new Set<string>()
  for (const batch of batchesOf(files)) {
    const names = batch.map((file) => `./${file}`)
    const answer = await runProcess(program, [...options, ...names], {
      cwd: folder,
      limits,
      signal,
    })
    // 1: no file has a match. 2: it read the expression otherwise, or could not read a file.
    if (answer.exitCode !== 0 && answer.exitCode !== 1) return undefined
    for (const name of answer.stdout.split('\0'))
      if (name !== '') found.add(name.replace(/^\.\//, ''))
  }
  return found
}
