import type { DiagnosticNote, Fix, TextEdit } from '../../../contract/diagnostics'
import { findAll } from '../syntax/syntax-tree'
import type { SyntaxNode } from '../syntax/syntax-tree'
import type { SourceFile } from '../syntax/source-file'
import type { LintedSources } from './project-sources'

/** What a lint found, at a node of a file. */
export interface LintFinding {
  source: SourceFile
  node: SyntaxNode
  /** One or two plain sentences. */
  message: string
  fixes?: Fix[]
  notes?: DiagnosticNote[]
}

export interface Lint {
  /**
   * Stable: sources and opsmith.json name it to silence the lint. "opsmith-from-blob" is declared in
   * rules/from-blob.ts.
   */
  code: string
  /** Markdown: what it is about, why it matters, how to fix it. The first paragraph is one sentence. */
  documentation: string
  check: (project: LintedSources) => LintFinding[]
}

export function replace(source: SourceFile, start: number, end: number, text: string): TextEdit {
  const from = source.positionOf(start)
  const to = source.positionOf(end)
  return {
    file: source.file,
    ...from,
    endLine: to.line,
    endColumn: to.column,
    text,
    before: source.text.slice(start, end),
  }
}

/** A statement of its own before the one, directly in a function's body, that holds a node. */
export function insertBefore(
  source: SourceFile,
  body: SyntaxNode,
  node: SyntaxNode,
  statement: string,
): TextEdit {
  let at = node
  while (at.parent && at.parent !== body) at = at.parent
  return replace(source, at.start, at.start, `${statement}\n${source.indentAt(at.start)}`)
}

/** The edit that includes a header; none when it is included. */
export function includeHeader(source: SourceFile, header: string): TextEdit[] {
  const includes = findAll(source.root, 'preproc_include')
  if (includes.some((include) => source.textOf(include).includes(`<${header}>`))) return []
  const last = includes.at(-1)
  const at = last ? last.end : 0
  // An include's node reaches to the next line where the grammar has it so.
  const begins = at === 0 || source.text[at - 1] === '\n'
  return [replace(source, at, at, begins ? `#include <${header}>\n` : `\n#include <${header}>`)]
}

export function noteAt(source: SourceFile, node: SyntaxNode, message: string): DiagnosticNote {
  return { severity: 'note', file: source.file, ...source.positionOf(node.start), message }
}
