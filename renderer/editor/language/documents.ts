import type { DocumentText } from '../../../electron/contract/language'
import { call } from '../../bridge/bridge'
import { filesStore } from '../../store/files'
import { forgetLanguageDiagnostics, languageStore } from '../../store/language'
import { currentFolder, projectStore } from '../../store/project'
import { pathOf } from '../models'
import { monaco, type Monaco } from '../monaco'

export const cppLanguages = ['cpp', 'cuda']

/** Milliseconds without a key before clangd is asked to judge the text. */
const pause = 150
/** Beyond this nobody's source is; main refuses it, too. */
const largest = 2_000_000

type Followed = { timer: ReturnType<typeof setTimeout> | undefined; sent: number; judged: number }

const followed = new Map<Monaco.editor.ITextModel, Followed>()

/** Shows main every C++ and CUDA text that an editor shows, as it is typed. */
export function followDocuments(): void {
  monaco.editor.onDidCreateModel(follow)
  for (const model of monaco.editor.getModels()) follow(model)
  // clangd was given up, or came late: what is open is shown again.
  languageStore.subscribe((now, before) => {
    if (now.state.state === before.state.state || now.state.state !== 'ready') return
    showDocumentsAgain()
  })
  // In restricted mode main took none of them.
  projectStore.subscribe(({ project }, before) => {
    if (project?.folder !== before.project?.folder || project?.trust === before.project?.trust)
      return
    showDocumentsAgain()
  })
}

/** Shows an engine that knows none of them the texts that are open. */
export function showDocumentsAgain(): void {
  for (const [model, state] of followed) if (state.sent >= 0) showNow(model, true)
}

function follow(model: Monaco.editor.ITextModel): void {
  if (!cppLanguages.includes(model.getLanguageId()) || model.uri.scheme !== 'file') return
  const state: Followed = { timer: undefined, sent: -1, judged: -1 }
  followed.set(model, state)
  const listeners = [
    model.onDidChangeAttached(() => {
      if (model.isAttachedToEditor() && state.sent < 0 && isOfProject(model)) showNow(model, true)
    }),
    model.onDidChangeContent(() => {
      // A file that nobody has looked at yet is not read for nothing.
      if (state.sent < 0 && !model.isAttachedToEditor()) return
      clearTimeout(state.timer)
      state.timer = setTimeout(() => showNow(model, true), pause)
    }),
    model.onWillDispose(() => {
      clearTimeout(state.timer)
      followed.delete(model)
      for (const listener of listeners) listener.dispose()
      hide(model, state)
    }),
  ]
}

function hide(model: Monaco.editor.ITextModel, state: Followed): void {
  if (state.sent < 0) return
  forgetLanguageDiagnostics(model.uri.fsPath)
  const folder = currentFolder()
  if (folder !== null) void call('language.hide', { folder, path: namedPath(model, folder) })
}

/** As main names files: relative to the project, or absolute outside it. */
function namedPath(model: Monaco.editor.ITextModel, folder: string): string {
  const file = model.uri.fsPath
  return file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : file
}

function isOfProject(model: Monaco.editor.ITextModel): boolean {
  return model.uri.fsPath.startsWith(`${currentFolder() ?? ''}/`)
}

/**
 * Sends the text if clangd has not got it yet. What is asked after it is about this text: messages to
 * main keep their order.
 */
export function showNow(model: Monaco.editor.ITextModel, judge: boolean): void {
  const state = followed.get(model)
  const folder = currentFolder()
  if (!state || folder === null || model.isDisposed()) return
  const version = model.getVersionId()
  if (state.sent === version && (!judge || state.judged === version)) {
    if (languageStore.getState().state.state === 'ready') return
  }
  const path = namedPath(model, folder)
  if (model.getValueLength() > largest) return
  const document: DocumentText = { folder, path, text: model.getValue(), version }
  state.sent = version
  if (judge) state.judged = version
  void call('language.show', { ...document, judge })
}

/**
 * The file of a question, its text shown first; null where the model is no file of ours.
 * @param unasked nobody asked, Monaco did: for that no header of libtorch's is read
 */
export function fileOf(
  model: Monaco.editor.ITextModel,
  unasked = false,
): { folder: string; path: string } | null {
  const folder = projectStore.getState().project?.folder
  const path = pathOf(model)
  if (folder === undefined || path === null || !filesStore.getState().files[path]) return null
  if (languageStore.getState().state.state !== 'ready') return null
  if (unasked && !isOfProject(model) && (followed.get(model)?.sent ?? -1) < 0) return null
  showNow(model, false)
  return { folder, path }
}
