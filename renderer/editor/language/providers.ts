import type { AppCallName, AppOutput } from '../../../electron/contract/app-calls'
import type { LanguagePosition, LanguageRange } from '../../../electron/contract/language'
import type { Result } from '../../../electron/contract/outcome'
import { call } from '../../bridge/bridge'
import { addFile, filesStore, projectPath } from '../../store/files'
import { languageStore, whyNoClangd } from '../../store/language'
import { loadModel } from '../models'
import { monaco, type Monaco } from '../monaco'
import { editOf, locationOf, editorRange, suggestionOf, symbolOf, textRangeOf } from './convert'
import { cppLanguages, fileOf } from './documents'
import { provideRename } from './rename'
import { legend, tokensOf } from './tokens'

/** The answer; null where it failed, since an editor that says so at every key would be a nuisance. */
async function valueOf<N extends AppCallName>(
  answer: Promise<Result<AppOutput<N>>>,
): Promise<AppOutput<N> | null> {
  const result = await answer
  return result.ok ? result.value : null
}

function placeIn(
  model: Monaco.editor.ITextModel,
  position: Monaco.IPosition,
): LanguagePosition | null {
  const file = fileOf(model)
  return file && { ...file, line: position.lineNumber, column: position.column }
}

function rangeIn(
  model: Monaco.editor.ITextModel,
  range: Monaco.IRange,
  unasked = false,
): LanguageRange | null {
  const file = fileOf(model, unasked)
  return file && { ...file, ...textRangeOf(range) }
}

/** How many files at most are read for a list of places with a preview of each. */
const mostPreviews = 60

/** Monaco previews places in files that have a model, and fails with those that have none. */
async function withModels(
  locations: Monaco.languages.Location[],
): Promise<Monaco.languages.Location[]> {
  const files = [...new Set(locations.map((location) => location.uri.fsPath))]
  const shown = new Set<string>()
  await Promise.all(
    files.slice(0, mostPreviews).map(async (file) => {
      const { path, external } = projectPath(file)
      if (!filesStore.getState().files[path]) addFile(path, external)
      if (await loadModel(path)) shown.add(file)
    }),
  )
  return locations.filter((location) => shown.has(location.uri.fsPath))
}

/** How often completions are asked for that nobody but clangd withdrew. */
const mostAsked = 3

/** What clangd knows, as Monaco asks for it. */
export function registerProviders(): void {
  const { languages } = monaco
  languages.registerCompletionItemProvider(cppLanguages, {
    triggerCharacters: ['.', '>', ':', '<', '"', '/'],
    provideCompletionItems: async (model, position, context, token) => {
      const trigger = context.triggerCharacter ?? ''
      // The list is wanted as long as the editor says so, though clangd may withdraw an answer.
      for (let tries = 0; tries < mostAsked && !token.isCancellationRequested; tries += 1) {
        const at = placeIn(model, position)
        if (!at) return undefined
        const asked = call('language.complete', { ...at, trigger })
        const list = await valueOf<'language.complete'>(asked)
        if (list) return { suggestions: list.items.map(suggestionOf), incomplete: list.incomplete }
      }
      return undefined
    },
  })
  languages.registerHoverProvider(cppLanguages, {
    provideHover: async (model, position) => {
      const at = placeIn(model, position)
      const hover = at && (await valueOf<'language.hover'>(call('language.hover', at)))
      if (!hover) return null
      const contents = [{ value: hover.markdown }]
      return hover.range ? { contents, range: editorRange(hover.range) } : { contents }
    },
  })
  languages.registerSignatureHelpProvider(cppLanguages, {
    signatureHelpTriggerCharacters: ['(', '{', '<', ','],
    signatureHelpRetriggerCharacters: [',', ')', '>'],
    provideSignatureHelp: async (model, position) => {
      const at = placeIn(model, position)
      const help = at && (await valueOf<'language.signatures'>(call('language.signatures', at)))
      if (!help) return null
      const signatures = help.signatures.map(({ label, documentation, parameters }) => ({
        label,
        ...(documentation === '' ? {} : { documentation: { value: documentation } }),
        parameters: parameters.map((parameter) => ({ label: parameter })),
      }))
      const value = {
        signatures,
        activeSignature: help.active,
        activeParameter: help.activeParameter,
      }
      return { value, dispose: () => undefined }
    },
  })
  languages.registerDefinitionProvider(cppLanguages, {
    provideDefinition: async (model, position) => {
      const at = placeIn(model, position)
      const places = at && (await valueOf<'language.definition'>(call('language.definition', at)))
      const locations = (places ?? []).map(locationOf)
      return locations.length > 1 ? await withModels(locations) : locations
    },
  })
  languages.registerReferenceProvider(cppLanguages, {
    provideReferences: async (model, position) => {
      const at = placeIn(model, position)
      const places = at && (await valueOf<'language.references'>(call('language.references', at)))
      return await withModels((places ?? []).map(locationOf))
    },
  })
  languages.registerRenameProvider(cppLanguages, {
    provideRenameEdits: async (model, position, newName) => {
      const at = placeIn(model, position)
      return at ? await provideRename(at, newName) : { edits: [], rejectReason: whyNoClangd() }
    },
    resolveRenameLocation: async (model, position) => {
      const at = placeIn(model, position)
      const target =
        at && (await valueOf<'language.renameTarget'>(call('language.renameTarget', at)))
      if (target) return { range: editorRange(target.range), text: target.name }
      const range = monaco.Range.fromPositions(position)
      return {
        range,
        text: '',
        rejectReason: at
          ? 'The cursor is not on a name. Place the cursor on the name that you want to rename.'
          : whyNoClangd(),
      }
    },
  })
  languages.registerDocumentSymbolProvider(cppLanguages, {
    provideDocumentSymbols: async (model) => {
      const file = fileOf(model, true)
      const symbols = file && (await valueOf<'language.symbols'>(call('language.symbols', file)))
      return (symbols ?? []).map(symbolOf)
    },
  })
  languages.registerDocumentFormattingEditProvider(cppLanguages, {
    displayName: 'clang-format',
    provideDocumentFormattingEdits: async (model) => {
      const file = fileOf(model)
      const edits = file && (await valueOf<'language.format'>(call('language.format', file)))
      return (edits ?? []).map(editOf)
    },
  })
  languages.registerDocumentRangeFormattingEditProvider(cppLanguages, {
    provideDocumentRangeFormattingEdits: async (model, range) => {
      const at = rangeIn(model, range)
      const edits = at && (await valueOf<'language.formatRange'>(call('language.formatRange', at)))
      return (edits ?? []).map(editOf)
    },
  })
  registerRefactorings()
  registerDecorations()
}

/** Milliseconds that a menu may wait for clangd, which reads headers for seconds after a file is opened. */
const moment = 400

/** The editor's menu of fixes waits for every part of it: what is not there soon is left out. */
async function inAMoment<T>(answer: Promise<T | null>): Promise<T | null> {
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), moment))
  return await Promise.race([answer, late])
}

/** Quick fixes come with the problems; these are what else clangd can do with what is selected. */
function registerRefactorings(): void {
  const asked = new WeakMap<Monaco.languages.CodeAction, { at: LanguageRange; id: number }>()
  monaco.languages.registerCodeActionProvider(
    cppLanguages,
    {
      provideCodeActions: async (model, range, context) => {
        const wanted = context.only === undefined || context.only.startsWith('refactor')
        const automatic = context.trigger === monaco.languages.CodeActionTriggerType.Auto
        const at = wanted && !(automatic && range.isEmpty()) ? rangeIn(model, range) : null
        const found =
          at && (await inAMoment(valueOf<'language.actions'>(call('language.actions', at))))
        if (!at || !found) return null
        const actions = found.map(({ title, kind, id }) => {
          const action = { title, kind }
          asked.set(action, { at, id })
          return action
        })
        return { actions, dispose: () => undefined }
      },
      resolveCodeAction: async (action) => {
        const question = asked.get(action)
        if (!question) return action
        const { at, id } = question
        const answer = call('language.actionEdits', { folder: at.folder, path: at.path, id })
        const edits = (await valueOf<'language.actionEdits'>(answer)) ?? []
        action.edit = {
          edits: edits.map((edit) => ({
            resource: monaco.Uri.file(edit.file),
            textEdit: editOf(edit),
            versionId: undefined,
          })),
        }
        return action
      },
    },
    { providedCodeActionKinds: ['refactor'] },
  )
}

/** Inlay hints and colours: asked for again when clangd has read a newer text. */
function registerDecorations(): void {
  const changed = new monaco.Emitter<void>()
  languageStore.subscribe((now, before) => {
    if (now.said !== before.said || now.state.state !== before.state.state) changed.fire()
  })
  monaco.languages.registerInlayHintsProvider(cppLanguages, {
    onDidChangeInlayHints: changed.event,
    provideInlayHints: async (model, range) => {
      const at = rangeIn(model, range, true)
      const hints = at && (await valueOf<'language.inlayHints'>(call('language.inlayHints', at)))
      const { InlayHintKind: kinds } = monaco.languages
      return {
        hints: (hints ?? []).map((hint) => ({
          label: hint.label,
          position: { lineNumber: hint.line, column: hint.column },
          ...(hint.kind === 'other'
            ? {}
            : { kind: hint.kind === 'type' ? kinds.Type : kinds.Parameter }),
          paddingLeft: hint.padLeft,
          paddingRight: hint.padRight,
        })),
        dispose: () => undefined,
      }
    },
  })
  monaco.languages.registerDocumentSemanticTokensProvider(cppLanguages, {
    onDidChange: changed.event,
    getLegend: () => legend,
    provideDocumentSemanticTokens: async (model) => {
      const file = fileOf(model, true)
      const tokens =
        file && (await valueOf<'language.semanticTokens'>(call('language.semanticTokens', file)))
      return tokens && { data: tokensOf(tokens) }
    },
    releaseDocumentSemanticTokens: () => undefined,
  })
}
