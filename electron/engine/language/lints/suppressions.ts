import type { SourceFile } from '../syntax/source-file'
import { findAll } from '../syntax/syntax-tree'

/** Lines on which lints are silenced, and which: undefined for all of them. */
export type Suppressions = Map<number, Set<string> | undefined>

const ours = /opsmith-ignore(?::\s*([\w\-, ]+))?/
/** clang-tidy's, which names checks in brackets; those of other tools say nothing of ours. */
const clangTidy = /\bNOLINT(NEXTLINE)?\b(?:\(([^)]*)\))?/

/**
 * `// opsmith-ignore: code, code` silences its own line, or the next when it stands alone;
 * `NOLINT` and `NOLINTNEXTLINE` do as clang-tidy has it.
 */
export function suppressionsOf(source: SourceFile): Suppressions {
  const found: Suppressions = new Map()
  const add = (line: number, codes: string | undefined): void => {
    if (codes === undefined || codes.trim() === '' || codes.trim() === '*') {
      found.set(line, undefined)
      return
    }
    if (found.has(line) && found.get(line) === undefined) return
    const known = found.get(line) ?? new Set<string>()
    for (const code of codes.split(',')) known.add(code.trim())
    found.set(line, known)
  }
  for (const comment of findAll(source.root, 'comment')) {
    const text = source.textOf(comment)
    const { line, column } = source.positionOf(comment.start)
    const alone = source.indentAt(comment.start).length === column - 1
    const end = source.positionOf(comment.end).line
    const own = ours.exec(text)
    if (own) add(alone ? end + 1 : line, own[1])
    const tidy = clangTidy.exec(text)
    if (tidy) add(tidy[1] === undefined ? line : end + 1, tidy[2])
  }
  return found
}

export function isSuppressed(suppressions: Suppressions, line: number, code: string): boolean {
  if (!suppressions.has(line)) return false
  const codes = suppressions.get(line)
  return codes === undefined || codes.has(code) || codes.has('opsmith-*')
}
