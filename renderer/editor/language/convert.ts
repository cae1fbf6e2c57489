import type { TextEdit } from '../../../electron/contract/diagnostics'
import type {
  CompletionItem,
  DocumentSymbol,
  FilePlace,
  TextRange,
} from '../../../electron/contract/language'
import { monaco, type Monaco } from '../monaco'

export function editorRange(range: TextRange): Monaco.IRange {
  return {
    startLineNumber: range.line,
    startColumn: range.column,
    endLineNumber: range.endLine,
    endColumn: range.endColumn,
  }
}

export function textRangeOf(range: Monaco.IRange): TextRange {
  return {
    line: range.startLineNumber,
    column: range.startColumn,
    endLine: range.endLineNumber,
    endColumn: range.endColumn,
  }
}

export function editOf(edit: TextEdit): Monaco.languages.TextEdit {
  return { range: editorRange(edit), text: edit.text }
}

export function locationOf(place: FilePlace): Monaco.languages.Location {
  return { uri: monaco.Uri.file(place.file), range: editorRange(place) }
}

/** Monaco's names of LSP's kinds, which count from 1. */
const completionKinds = [
  'Text',
  'Method',
  'Function',
  'Constructor',
  'Field',
  'Variable',
  'Class',
  'Interface',
  'Module',
  'Property',
  'Unit',
  'Value',
  'Enum',
  'Keyword',
  'Snippet',
  'Color',
  'File',
  'Reference',
  'Folder',
  'EnumMember',
  'Constant',
  'Struct',
  'Event',
  'Operator',
  'TypeParameter',
] as const

export function suggestionOf(item: CompletionItem): Monaco.languages.CompletionItem {
  const {
    CompletionItemInsertTextRule: rules,
    CompletionItemKind: kinds,
    CompletionItemTag: tags,
  } = monaco.languages
  return {
    label: { label: item.label, detail: item.labelDetail, description: item.detail },
    kind: kinds[completionKinds[item.kind - 1] ?? 'Text'],
    insertText: item.text,
    ...(item.snippet ? { insertTextRules: rules.InsertAsSnippet } : {}),
    ...(item.documentation === '' ? {} : { documentation: { value: item.documentation } }),
    detail: `${item.detail} ${item.label}${item.labelDetail}`.trim(),
    filterText: item.filterText,
    sortText: item.sortText,
    range: editorRange(item.range),
    ...(item.deprecated ? { tags: [tags.Deprecated] } : {}),
    ...(item.additional.length > 0 ? { additionalTextEdits: item.additional.map(editOf) } : {}),
  }
}

/** Monaco counts kinds of symbols from 0, LSP from 1. */
export function symbolOf(symbol: DocumentSymbol): Monaco.languages.DocumentSymbol {
  return {
    name: symbol.name,
    detail: symbol.detail,
    kind: symbol.kind - 1,
    tags: [],
    range: editorRange(symbol.range),
    selectionRange: editorRange(symbol.selection),
    children: symbol.children.map(symbolOf),
  }
}
