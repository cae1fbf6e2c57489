import { z } from 'zod'

import { diagnostic, textEdit } from './diagnostics'

/** The state of clangd, which provides code help for C++ in the open project. */
export const languageState = z.object({
  state: z.enum([
    'idle', // no C++ or CUDA file was opened yet: nothing runs
    'off', // in Settings
    'absent', // not installed; `hint` says what to install
    'starting',
    'ready',
    'restarting', // it crashed; it is started again in a moment
    'failed', // it ends again and again, or the project's compile commands are not known
  ]),
  /** "clangd 19.1.7"; "" until it was found. */
  name: z.string(),
  /** It reads a file or its headers: what it knows of them comes in a moment. */
  busy: z.boolean(),
  /** What is wrong, in plain words; "" when nothing is. */
  message: z.string(),
  hint: z.string(),
  /** Process id; 0 when there is no process. */
  pid: z.int(),
})
export type LanguageState = z.infer<typeof languageState>

/** A file as the window names it: relative to the project, or absolute outside it. */
export const languageFile = z.object({ folder: z.string(), path: z.string().min(1) })
export type LanguageFile = z.infer<typeof languageFile>

/** Lines and columns are 1-based; columns count UTF-16 units, as the editor does. */
const position = {
  line: z.int().positive(),
  column: z.int().positive(),
}
export const languagePosition = languageFile.extend(position)
export type LanguagePosition = z.infer<typeof languagePosition>

export const textRange = z.object({
  ...position,
  endLine: z.int().positive(),
  endColumn: z.int().positive(),
})
export type TextRange = z.infer<typeof textRange>
export const languageRange = languageFile.extend(textRange.shape)
export type LanguageRange = z.infer<typeof languageRange>

/** A place in a file, absolute. */
export const filePlace = textRange.extend({ file: z.string() })
export type FilePlace = z.infer<typeof filePlace>

export const documentText = languageFile.extend({
  text: z.string().max(4_000_000),
  /** Counts up with every edit; answers and diagnostics name the one that they are about. */
  version: z.int().nonnegative(),
})
export type DocumentText = z.infer<typeof documentText>

export const completionItem = z.object({
  label: z.string(),
  /** Behind the label: parameters. */
  labelDetail: z.string(),
  /** The type, for the list's right side. */
  detail: z.string(),
  /** Markdown. */
  documentation: z.string(),
  /** LSP's CompletionItemKind. */
  kind: z.int(),
  text: z.string(),
  /** `text` has placeholders: `f(${1:int a})`. */
  snippet: z.boolean(),
  filterText: z.string(),
  sortText: z.string(),
  range: textRange,
  deprecated: z.boolean(),
  /** An include that the name asks for, say. */
  additional: z.array(textEdit),
})
export type CompletionItem = z.infer<typeof completionItem>
export const completionList = z.object({
  items: z.array(completionItem),
  /** There are more: ask again when more was typed. */
  incomplete: z.boolean(),
})
export type CompletionList = z.infer<typeof completionList>

export const hover = z.object({ markdown: z.string(), range: textRange.optional() })
export type Hover = z.infer<typeof hover>

export const signatureHelp = z.object({
  signatures: z.array(
    z.object({
      label: z.string(),
      documentation: z.string(),
      /** Where in the label each parameter stands. */
      parameters: z.array(z.tuple([z.int(), z.int()])),
    }),
  ),
  active: z.int().nonnegative(),
  activeParameter: z.int().nonnegative(),
})
export type SignatureHelp = z.infer<typeof signatureHelp>

export const inlayHint = z.object({
  line: z.int(),
  column: z.int(),
  label: z.string(),
  kind: z.enum(['type', 'parameter', 'other']),
  padLeft: z.boolean(),
  padRight: z.boolean(),
})
export type InlayHint = z.infer<typeof inlayHint>

/** The names that `semanticTokens` counts in: its data is LSP's, five numbers a token. */
export const tokenLegend = z.object({ types: z.array(z.string()), modifiers: z.array(z.string()) })
export type TokenLegend = z.infer<typeof tokenLegend>
export const semanticTokens = z.object({ legend: tokenLegend, data: z.array(z.int()) })
export type SemanticTokens = z.infer<typeof semanticTokens>

export interface DocumentSymbol {
  name: string
  detail: string
  /** LSP's SymbolKind. */
  kind: number
  range: TextRange
  selection: TextRange
  children: DocumentSymbol[]
}
export const documentSymbol: z.ZodType<DocumentSymbol> = z.lazy(() =>
  z.object({
    name: z.string(),
    detail: z.string(),
    kind: z.int(),
    range: textRange,
    selection: textRange,
    children: z.array(documentSymbol),
  }),
)

/** A name that the project defines. */
export const projectSymbol = z.object({
  /** With its namespaces and class: "ops::Gelu::forward"; an operator's as it is called: "ops::gelu". */
  name: z.string(),
  kind: z.enum(['function', 'declaration', 'type', 'macro', 'operator']),
  /** Relative to the project. */
  path: z.string(),
  line: z.int().positive(),
  column: z.int().positive(),
})
export type ProjectSymbol = z.infer<typeof projectSymbol>

/** The name that a rename would replace, and its place. */
export const renameTarget = z.object({ name: z.string(), range: textRange })
export type RenameTarget = z.infer<typeof renameTarget>

export const renameReport = z.object({
  edits: z.array(textEdit),
  /** Where the old name is still in the code: in the text of a macro, or as the name of something else. */
  left: z.array(filePlace),
})
export type RenameReport = z.infer<typeof renameReport>

/** A refactoring that is possible here: "Extract to function". */
export const codeAction = z.object({
  title: z.string(),
  /** "refactor", "refactor.extract", …; quick fixes come with diagnostics. */
  kind: z.string(),
  /** For language.actionEdits, until the file's actions are asked for again. */
  id: z.int().nonnegative(),
})
export type CodeAction = z.infer<typeof codeAction>

/** clangd's diagnostics of one version of a file's text; they replace the earlier ones. */
export const languageDiagnostics = z.object({
  folder: z.string(),
  /** Absolute. */
  file: z.string(),
  version: z.int(),
  diagnostics: z.array(diagnostic),
})
export type LanguageDiagnostics = z.infer<typeof languageDiagnostics>
