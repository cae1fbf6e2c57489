import { fileURLToPath, pathToFileURL } from 'node:url'

import type {
  CompletionItem as LspCompletionItem,
  Diagnostic as LspDiagnostic,
  DocumentSymbol as LspDocumentSymbol,
  Hover as LspHover,
  InlayHint as LspInlayHint,
  Location,
  MarkupContent,
  Position,
  Range,
  SignatureHelp as LspSignatureHelp,
  SymbolInformation,
  TextEdit as LspTextEdit,
  WorkspaceEdit,
} from 'vscode-languageserver-protocol/node'

import type { Diagnostic, Fix, TextEdit } from '../../../contract/diagnostics'
import type {
  CompletionItem,
  DocumentSymbol,
  FilePlace,
  Hover,
  InlayHint,
  SignatureHelp,
  TextRange,
} from '../../../contract/language'

/**
 * Between the Language Server Protocol, which counts from 0, and the contract, which counts from 1.
 * Columns are UTF-16 units in both: what clangd counts in where nothing else is agreed.
 */

export const uriOf = (file: string): string => pathToFileURL(file).href

/** "" for what is no file. */
export function fileOfUri(uri: string): string {
  return uri.startsWith('file:') ? fileURLToPath(uri) : ''
}

export function toPosition(place: { line: number; column: number }): Position {
  return { line: place.line - 1, character: place.column - 1 }
}

export function toRange(range: TextRange): Range {
  return {
    start: toPosition(range),
    end: toPosition({ line: range.endLine, column: range.endColumn }),
  }
}

export function fromRange(range: Range): TextRange {
  return {
    line: range.start.line + 1,
    column: range.start.character + 1,
    endLine: range.end.line + 1,
    endColumn: range.end.character + 1,
  }
}

export function fromLocation(location: Location): FilePlace {
  return { file: fileOfUri(location.uri), ...fromRange(location.range) }
}

export function fromTextEdit(file: string, edit: LspTextEdit): TextEdit {
  return { file, ...fromRange(edit.range), text: edit.newText }
}

export function fromWorkspaceEdit(edit: WorkspaceEdit | null | undefined): TextEdit[] {
  return Object.entries(edit?.changes ?? {}).flatMap(([uri, edits]) =>
    edits.map((one) => fromTextEdit(fileOfUri(uri), one)),
  )
}

/** clangd's diagnostics carry their fixes where the client asks for it (`codeActionsInline`). */
export type ClangdDiagnostic = LspDiagnostic & {
  codeActions?: { title: string; kind?: string; edit?: WorkspaceEdit }[]
}

const severities = ['error', 'error', 'warning', 'note', 'note'] as const

/** A compiler's flag or a check's name says more than clang's own name of an error. */
function codeOf(diagnostic: LspDiagnostic): string {
  const code = diagnostic.code === undefined ? '' : String(diagnostic.code)
  return code.includes('-') ? code : ''
}

/** clangd begins messages with a capital and counts fixes at their end; compilers do neither. */
function plainMessage(message: string): string {
  const text = message.replace(/ \((fix|fixes) available\)/, '').trimEnd()
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
}

/** The last fix of several may mend all of a kind in the file at once: not what stands at one line. */
function fixesOf(diagnostic: ClangdDiagnostic): Fix[] {
  return (diagnostic.codeActions ?? [])
    .map((action) => ({ title: action.title, edits: fromWorkspaceEdit(action.edit) }))
    .filter((fix) => fix.edits.length > 0)
}

export function fromDiagnostic(file: string, diagnostic: ClangdDiagnostic): Diagnostic {
  const fixes = fixesOf(diagnostic)
  return {
    severity: severities[diagnostic.severity ?? 1] ?? 'error',
    file,
    ...fromRange(diagnostic.range),
    message: plainMessage(typeof diagnostic.message === 'string' ? diagnostic.message : ''),
    source: diagnostic.source === 'clang-tidy' ? 'clang-tidy' : 'clangd',
    code: codeOf(diagnostic),
    notes: (diagnostic.relatedInformation ?? []).map((related) => {
      const place = fromLocation(related.location)
      return {
        severity: 'note' as const,
        file: place.file,
        line: place.line,
        column: place.column,
        message: plainMessage(related.message),
      }
    }),
    ...(fixes.length > 0 ? { fixes } : {}),
  }
}

type Text = MarkupContent | string | { language: string; value: string }

/** Earlier protocols' forms too: clangd 14 speaks one of them. */
function markdownOf(content: Text | Text[] | undefined): string {
  if (content === undefined) return ''
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.map(markdownOf).join('\n\n')
  return 'language' in content
    ? `\`\`\`${content.language}\n${content.value}\n\`\`\``
    : content.value
}

export function fromHover(hover: LspHover | null): Hover | null {
  const markdown = hover ? markdownOf(hover.contents) : ''
  if (!hover || markdown === '') return null
  return { markdown, ...(hover.range ? { range: fromRange(hover.range) } : {}) }
}

/** Items without a place of their own replace the word before the caret. */
export function fromCompletion(item: LspCompletionItem, caret: TextRange): CompletionItem {
  const { textEdit: edit } = item
  const range = edit ? ('range' in edit ? edit.range : edit.replace) : undefined
  // clangd puts a bullet or a blank before the label: whether an include would be added.
  const label = item.label.replace(/^[ •]/, '')
  const name = item.filterText ?? label
  const split = label.startsWith(name) ? name.length : label.length
  return {
    label: label.slice(0, split),
    labelDetail: `${label.slice(split)}${item.labelDetails?.detail ?? ''}`,
    detail: item.detail ?? item.labelDetails?.description ?? '',
    documentation: markdownOf(item.documentation),
    kind: item.kind ?? 1,
    text: edit?.newText ?? item.insertText ?? label,
    snippet: item.insertTextFormat === 2,
    filterText: name,
    sortText: item.sortText ?? label,
    range: range ? fromRange(range) : caret,
    deprecated: item.tags?.includes(1) === true,
    additional: (item.additionalTextEdits ?? []).map((one) => fromTextEdit('', one)),
  }
}

export function fromSignatures(help: LspSignatureHelp | null): SignatureHelp | null {
  if (!help || help.signatures.length === 0) return null
  return {
    signatures: help.signatures.map((signature) => ({
      label: signature.label,
      documentation: markdownOf(signature.documentation),
      parameters: (signature.parameters ?? []).map(({ label }): [number, number] => {
        if (typeof label !== 'string') return [label[0], label[1]]
        const start = Math.max(signature.label.indexOf(label), 0)
        return [start, start + label.length]
      }),
    })),
    active: help.activeSignature ?? 0,
    activeParameter: help.activeParameter ?? 0,
  }
}

export function fromInlayHint(hint: LspInlayHint): InlayHint {
  return {
    line: hint.position.line + 1,
    column: hint.position.character + 1,
    label:
      typeof hint.label === 'string' ? hint.label : hint.label.map((one) => one.value).join(''),
    kind: hint.kind === 1 ? 'type' : hint.kind === 2 ? 'parameter' : 'other',
    padLeft: hint.paddingLeft ?? false,
    padRight: hint.paddingRight ?? false,
  }
}

export function fromSymbol(symbol: LspDocumentSymbol | SymbolInformation): DocumentSymbol {
  if ('location' in symbol) {
    const range = fromRange(symbol.location.range)
    const { name, kind } = symbol
    return { name, detail: '', kind, range, selection: range, children: [] }
  }
  return {
    name: symbol.name === '' ? '(anonymous)' : symbol.name,
    detail: symbol.detail ?? '',
    kind: symbol.kind,
    range: fromRange(symbol.range),
    selection: fromRange(symbol.selectionRange),
    children: (symbol.children ?? []).map(fromSymbol),
  }
}
