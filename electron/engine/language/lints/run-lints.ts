import type { Diagnostic } from '../../../contract/diagnostics'
import type { SourceFile } from '../syntax/source-file'
import { lints } from './all-lints'
import type { LintFinding, Lint } from './lint'
import { LintedSources } from './project-sources'
import type { PlacedEntry } from './project-sources'
import { isSuppressed, suppressionsOf } from './suppressions'

export interface LintOptions {
  /** `functions` of opsmith.json: operators too. */
  exposed?: readonly string[]
  /** `autograd` of opsmith.json. */
  entries?: readonly PlacedEntry[]
  /** Codes of the lints that the project switches off. */
  off?: readonly string[]
}

function asDiagnostic(lint: Lint, finding: LintFinding): Diagnostic {
  const { source, node, message, fixes = [], notes = [] } = finding
  const end = source.positionOf(node.end)
  return {
    severity: 'warning',
    file: source.file,
    ...source.positionOf(node.start),
    endLine: end.line,
    endColumn: end.column,
    message,
    source: 'lint',
    code: lint.code,
    notes,
    explanation: lint.documentation,
    ...(fixes.length > 0 ? { fixes } : {}),
  }
}

/** What the lints say of a project's sources, in the order of files and lines. */
export function runLints(files: readonly SourceFile[], options: LintOptions = {}): Diagnostic[] {
  const project = new LintedSources(files, options.exposed ?? [], options.entries)
  const silenced = new Map(files.map((source) => [source.file, source.once(suppressionsOf)]))
  const order = new Map(files.map((source, index) => [source.file, index]))
  return lints
    .filter((lint) => !options.off?.includes(lint.code))
    .flatMap((lint) => lint.check(project).map((finding) => asDiagnostic(lint, finding)))
    .filter(({ file, line, code }) => {
      const suppressions = silenced.get(file)
      return !suppressions || !isSuppressed(suppressions, line, code)
    })
    .sort(
      (a, b) =>
        (order.get(a.file) ?? 0) - (order.get(b.file) ?? 0) ||
        a.line - b.line ||
        a.column - b.column,
    )
}
