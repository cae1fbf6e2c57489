import type { Diagnostic, Fix } from '../../contract/diagnostics'

/** What a compiler's message means. */
export interface Rule {
  /** Of clang's message or g++'s; groups are handed to `message` with the empty ones left out. */
  match: RegExp
  /** Something that the whole text must hold too. */
  within?: RegExp
  /** One or two plain sentences. */
  message: (groups: string[], raw: string) => string
  /** Markdown: why, and what to write. */
  explanation: string
  /** Errors after it in the same file, and warnings of its line, that come of the same mistake. */
  absorbs?: RegExp
  fix?: (diagnostic: Diagnostic, groups: string[]) => Fix | undefined
}

/** Replaces a word that begins at the diagnostic's place, or `offset` beside it. */
export function replaceWord(diagnostic: Diagnostic, from: string, to: string, offset = 0): Fix {
  const { file, line } = diagnostic
  const column = diagnostic.column + offset
  return {
    title: `Change ${from} to ${to}`,
    edits: [
      {
        file,
        line,
        column,
        endLine: line,
        endColumn: column + from.length,
        text: to,
        before: from,
      },
    ],
  }
}

export function addInclude(diagnostic: Diagnostic, header: string): Fix {
  const at = { line: 1, column: 1, endLine: 1, endColumn: 1 }
  return {
    title: `Include <${header}>`,
    edits: [{ file: diagnostic.file, ...at, text: `#include <${header}>\n` }],
  }
}
