import fs from 'node:fs/promises'
import path from 'node:path'

import { CancellationTokenSource, ResponseError } from 'vscode-languageserver-protocol/node'
import type {
  CodeAction as LspCodeAction,
  Command,
  CompletionItem as LspCompletionItem,
  CompletionList as LspCompletionList,
  DocumentSymbol as LspDocumentSymbol,
  Hover as LspHover,
  InlayHint as LspInlayHint,
  Location,
  Range,
  SemanticTokens as LspSemanticTokens,
  SignatureHelp as LspSignatureHelp,
  TextEdit as LspTextEdit,
  WorkspaceEdit,
} from 'vscode-languageserver-protocol/node'

import type { TextEdit } from '../../../contract/diagnostics'
import type {
  CodeAction,
  CompletionList,
  DocumentSymbol,
  FilePlace,
  Hover,
  InlayHint,
  LanguageFile,
  LanguagePosition,
  LanguageRange,
  RenameReport,
  RenameTarget,
  SemanticTokens,
  SignatureHelp,
} from '../../../contract/language'
import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import type { Clangd } from './clangd'
import {
  fromCompletion,
  fromHover,
  fromInlayHint,
  fromLocation,
  fromRange,
  fromSignatures,
  fromSymbol,
  fromTextEdit,
  fromWorkspaceEdit,
  toPosition,
  toRange,
  uriOf,
} from './convert'
import { filesThatMention, mentionsLeft, wordAt } from './mentions'
import type { ClangdServer } from './server'

/** clangd's and JSON-RPC's codes for a question that was withdrawn, or whose text has changed since. */
const outdated = new Set([-32800, -32801, -32802])
const methodNotFound = -32601
/** Seconds for all the files in which a name stands to be read. */
const readLimit = 300

/** Of questions about what stands still: who asks them would not see that there was no answer. */
const asked = 4

/** Methods of clangd for code actions: what follows a diagnostic comes with it. */
const refactorKinds = ['refactor']

/**
 * Without the places that say several things at once, one for each instance of what AT_DISPATCH repeats
 * or for each argument of a macro, and without the numbers of a list's elements.
 */
function worthReading(hints: readonly InlayHint[]): InlayHint[] {
  const counts = new Map<string, Set<string>>()
  const placeOf = (hint: InlayHint): string => `${hint.line}:${hint.column}`
  for (const hint of hints) {
    const labels = counts.get(placeOf(hint)) ?? new Set()
    counts.set(placeOf(hint), labels.add(hint.label))
  }
  return hints.filter(
    (hint) => counts.get(placeOf(hint))?.size === 1 && !/^\[\d+\]=$/.test(hint.label),
  )
}

/** What the editor asks about C++ and CUDA files. Where clangd is not there, answers are empty. */
export class LanguageService {
  private readonly running = new Map<string, CancellationTokenSource>()
  private offered: { file: string; actions: LspCodeAction[] } = { file: '', actions: [] }

  constructor(private readonly clangd: Clangd) {}

  /**
   * One question. A newer one of its kind about the same file ends it: nobody waits for it any more.
   * @param tries how often a question that clangd withdraws by itself is asked: it does so when a header is read
   * anew meanwhile
   * @returns null where there is no clangd, or no answer
   */
  private async ask<T>(
    file: LanguageFile,
    method: string,
    params: object,
    tries = 1,
  ): Promise<Result<T | null>> {
    const server = await this.clangd.ready()
    if (!server) return ok(null)
    const absolute = this.clangd.fileOf(file)
    if (!this.clangd.documents.has(absolute)) return ok(null)
    this.clangd.documents.sync(server, absolute, false)
    const key = `${method} ${absolute}`
    this.running.get(key)?.cancel()
    const source = new CancellationTokenSource()
    this.running.set(key, source)
    try {
      const textDocument = { uri: uriOf(absolute) }
      return ok(await server.request<T | null>(method, { textDocument, ...params }, source.token))
    } catch (error) {
      const isWithdrawn = error instanceof ResponseError && outdated.has(error.code)
      if (!isWithdrawn || source.token.isCancellationRequested || tries <= 1)
        return this.failed(error, server)
    } finally {
      if (this.running.get(key) === source) this.running.delete(key)
      source.dispose()
    }
    return await this.ask<T>(file, method, params, tries - 1)
  }

  private failed(error: unknown, server: ClangdServer): Result<null> {
    if (!(error instanceof ResponseError)) return ok(null) // it ended, and that is told elsewhere
    if (outdated.has(error.code) || error.code === methodNotFound) return ok(null)
    return err('request.invalid', `clangd: ${error.message}`, { detail: `process ${server.pid}` })
  }

  async complete(at: LanguagePosition, trigger: string): Promise<Result<CompletionList | null>> {
    const answer = await this.ask<LspCompletionList | LspCompletionItem[]>(
      at,
      'textDocument/completion',
      {
        position: toPosition(at),
        context:
          trigger === '' ? { triggerKind: 1 } : { triggerKind: 2, triggerCharacter: trigger },
      },
    )
    if (!answer.ok) return answer
    if (answer.value === null) return ok(null)
    const list = answer.value
    const items = Array.isArray(list) ? list : list.items
    const caret = { line: at.line, column: at.column, endLine: at.line, endColumn: at.column }
    return ok({
      items: items.map((item) => fromCompletion(item, caret)),
      incomplete: !Array.isArray(list) && list.isIncomplete,
    })
  }

  async hover(at: LanguagePosition): Promise<Result<Hover | null>> {
    const answer = await this.ask<LspHover>(at, 'textDocument/hover', { position: toPosition(at) })
    return answer.ok ? ok(fromHover(answer.value)) : answer
  }

  async signatures(at: LanguagePosition): Promise<Result<SignatureHelp | null>> {
    const answer = await this.ask<LspSignatureHelp>(at, 'textDocument/signatureHelp', {
      position: toPosition(at),
    })
    return answer.ok ? ok(fromSignatures(answer.value)) : answer
  }

  /**
   * Where a name is defined. A declaration in a header of the project is not the end of it: the sources
   * in which the name stands are read, and asked again.
   */
  async definition(at: LanguagePosition): Promise<Result<FilePlace[]>> {
    const first = await this.places(at, 'textDocument/definition')
    if (!first.ok) return first
    const here = this.clangd.fileOf(at)
    const inProject = (file: string): boolean => file.startsWith(at.folder + path.sep)
    const isDeclaration = first.value.every(
      (place) => inProject(place.file) && (place.file !== here || place.line === at.line),
    )
    if (first.value.length === 0 || !isDeclaration) return first
    if (!(await this.readMentions(at)).ok) return first
    const second = await this.places(at, 'textDocument/definition')
    return second.ok && second.value.length > 0 ? second : first
  }

  async references(at: LanguagePosition): Promise<Result<FilePlace[]>> {
    const read = await this.readMentions(at)
    if (!read.ok) return read
    return await this.places(at, 'textDocument/references', {
      context: { includeDeclaration: true },
    })
  }

  private async places(
    at: LanguagePosition,
    method: string,
    more: object = {},
  ): Promise<Result<FilePlace[]>> {
    const params = { position: toPosition(at), ...more }
    const answer = await this.ask<Location | Location[]>(at, method, params, asked)
    if (!answer.ok) return answer
    const found = answer.value === null ? [] : [answer.value].flat()
    return ok(found.map(fromLocation).filter((place) => place.file !== ''))
  }

  async renameTarget(at: LanguagePosition): Promise<Result<RenameTarget | null>> {
    const answer = await this.ask<Range | { range: Range; placeholder: string }>(
      at,
      'textDocument/prepareRename',
      { position: toPosition(at) },
      asked,
    )
    if (!answer.ok) return answer
    if (answer.value === null) return ok(null)
    const range = fromRange('range' in answer.value ? answer.value.range : answer.value)
    const text = this.clangd.documents.textOf(this.clangd.fileOf(at))
    const line = text.split(/\r\n|\r|\n/)[range.line - 1] ?? ''
    return ok({ name: line.slice(range.column - 1, range.endColumn - 1), range })
  }

  /** The edits in all files of the project; none is made. */
  async rename(at: LanguagePosition, newName: string): Promise<Result<RenameReport>> {
    if (!(await this.clangd.ready())) return this.clangd.unavailable()
    const read = await this.readMentions(at)
    if (!read.ok) return read
    const params = { position: toPosition(at), newName }
    const answer = await this.ask<WorkspaceEdit>(at, 'textDocument/rename', params, asked)
    if (!answer.ok) return answer
    if (answer.value === null) {
      return err('request.invalid', 'clangd did not answer, so nothing was renamed.', {
        hint: 'Rename again.',
      })
    }
    const edits = fromWorkspaceEdit(answer.value)
    const outside = edits.find((edit) => !edit.file.startsWith(at.folder + path.sep))
    if (outside) {
      const { file, line } = outside
      return err(
        'request.invalid',
        `The rename would change ${file}, which is outside the project. Nothing was renamed.`,
        {
          file,
          line,
        },
      )
    }
    const { documents } = this.clangd
    const left = read.value.files.flatMap((file) =>
      mentionsLeft(file, documents.textOf(file), read.value.word, edits),
    )
    return ok({ edits, left })
  }

  /** Lets clangd read every file of the project in which the name at this place stands. */
  private async readMentions(
    at: LanguagePosition,
  ): Promise<Result<{ word: string; files: string[] }>> {
    const server = await this.clangd.ready()
    if (!server) return this.clangd.unavailable()
    const { documents } = this.clangd
    const here = this.clangd.fileOf(at)
    const word = wordAt(documents.textOf(here), at.line, at.column)
    const files = (await filesThatMention(at.folder, word)).filter((file) => file !== here)
    const reads: Promise<boolean>[] = []
    for (const file of files) {
      if (!documents.isShown(file)) {
        documents.lend(file, await fs.readFile(file, 'utf8').catch(() => ''))
      }
      const isRead = documents.isRead(file)
      documents.sync(server, file, true, files.length + 1)
      if (!isRead) reads.push(this.clangd.read(file, readLimit))
    }
    const done = await Promise.all(reads)
    return done.every(Boolean)
      ? ok({ word, files: [here, ...files] })
      : err('request.invalid', `clangd did not read all files that contain "${word}".`, {
          hint: 'clangd may be busy with other files: try again.',
        })
  }

  async inlayHints(range: LanguageRange): Promise<Result<InlayHint[]>> {
    const answer = await this.ask<LspInlayHint[]>(range, 'textDocument/inlayHint', {
      range: toRange(range),
    })
    return answer.ok ? ok(worthReading((answer.value ?? []).map(fromInlayHint))) : answer
  }

  async semanticTokens(file: LanguageFile): Promise<Result<SemanticTokens | null>> {
    const answer = await this.ask<LspSemanticTokens>(file, 'textDocument/semanticTokens/full', {})
    if (!answer.ok) return answer
    const server = await this.clangd.ready()
    if (!answer.value || !server) return ok(null)
    return ok({ legend: server.legend, data: answer.value.data })
  }

  async symbols(file: LanguageFile): Promise<Result<DocumentSymbol[]>> {
    const answer = await this.ask<LspDocumentSymbol[]>(file, 'textDocument/documentSymbol', {})
    return answer.ok ? ok((answer.value ?? []).map(fromSymbol)) : answer
  }

  /** As the nearest .clang-format says; without one, as LLVM does. */
  async format(file: LanguageFile, range?: LanguageRange): Promise<Result<TextEdit[]>> {
    const options = { tabSize: 2, insertSpaces: true }
    const answer = range
      ? await this.ask<LspTextEdit[]>(file, 'textDocument/rangeFormatting', {
          range: toRange(range),
          options,
        })
      : await this.ask<LspTextEdit[]>(file, 'textDocument/formatting', { options })
    if (!answer.ok) return answer
    const absolute = this.clangd.fileOf(file)
    return ok((answer.value ?? []).map((edit) => fromTextEdit(absolute, edit)))
  }

  /** Refactorings that clangd offers for what is selected; what they would change is worked out when one is chosen. */
  async actions(range: LanguageRange): Promise<Result<CodeAction[]>> {
    const answer = await this.ask<(LspCodeAction | Command)[]>(range, 'textDocument/codeAction', {
      range: toRange(range),
      context: { diagnostics: [], only: refactorKinds },
    })
    if (!answer.ok) return answer
    const offered = (answer.value ?? []).filter(
      (action): action is LspCodeAction =>
        'kind' in action && action.kind?.startsWith('refactor') === true,
    )
    this.offered = { file: this.clangd.fileOf(range), actions: offered }
    return ok(offered.map(({ title, kind = 'refactor' }, id) => ({ title, kind, id })))
  }

  async actionEdits(file: LanguageFile, id: number): Promise<Result<TextEdit[]>> {
    const action =
      this.offered.file === this.clangd.fileOf(file) ? this.offered.actions[id] : undefined
    const server = await this.clangd.ready()
    if (!action || !server)
      return err(
        'request.invalid',
        'This list of refactorings is out of date. Open the list again.',
      )
    const source = new CancellationTokenSource()
    try {
      const edit =
        action.edit ??
        (action.command ? await server.editsOf(action.command, source.token) : undefined)
      return ok(fromWorkspaceEdit(edit))
    } catch (error) {
      const failure = this.failed(error, server)
      return failure.ok ? ok([]) : failure
    } finally {
      source.dispose()
    }
  }
}
