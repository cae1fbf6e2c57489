import type { TextEdit } from '../../../electron/contract/diagnostics'
import type {
  CompletionItem,
  DocumentSymbol,
  FilePlace,
  TextRange,
} from '../../../electron/contract/language'
import { monaco } from '../monaco'

export function editorRange(range: TextRange): monaco.IRange {
  return {
    startLineNumber: range.line,
    startColumn: range.column,
    endLineNumber: range.endLine,
    endColumn: range.endColumn,
  }
}

export function textRangeOf(range: monaco.IRange): TextRange {
  return {
    line: range.startLineNumber,
    column: range.startColumn,
    endLine: range.endLineNumber,
    endColumn: range.endColumn,
  }
}

export function editOf(edit: TextEdit): monaco.languages.TextEdit {
  return { range: editorRange(edit), text: edit.text }
}

export function locationOf(place: FilePlace): monaco.languages.Location {
  return { uri: monaco.Uri.file(place.file), range: editorRange(place) }
}

const { CompletionItemKind: kinds } = monaco.languages

/** By LSP's numbers, from 1. */
const completionKinds = [
  kinds.Text,
  kinds.Method,
  kinds.Function,
  kinds.Constructor,
  kinds.Field,
  kinds.Variable,
  kinds.Class,
  kinds.Interface,
  kinds.Module,
  kinds.Property,
  kinds.Unit,
  kinds.Value,
  kinds.Enum,
  kinds.Keyword,
  kinds.Snippet,
  kinds.Color,
  kinds.File,
  kinds.Reference,
  kinds.Folder,
  kinds.EnumMember,
  kinds.Constant,
  kinds.Struct,
  kinds.Event,
  kinds.Operator,
  kinds.TypeParameter,
]

export function suggestionOf(item: CompletionItem): monaco.languages.CompletionItem {
  const { CompletionItemInsertTextRule: rules, CompletionItemTag: tags } = monaco.languages
  return {
    label: { label: item.label, detail: item.labelDetail, description: item.detail },
    kind: completionKinds[item.kind - 1] ?? kinds.Text,
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
export function symbolOf(symbol: DocumentSymbol): monaco.languages.DocumentSymbol {
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
