import type { Draft } from '../../electron/contract/project'
import { call } from '../bridge/bridge'
import { addFile, changeFile, filesStore, removeFile } from '../store/files'
import { currentFolder } from '../store/project'
import { dropDraft, keepAllDrafts, keepDraftSoon, takeRestoredDraft } from './drafts'
import { languageOf } from './languages'
import { monaco, type Monaco } from './monaco'

/** A file's one model: kept over saves and reloads, so that undo reaches back past both. */
type Entry = {
  model: Monaco.editor.ITextModel
  folder: string
  /** The model's version that equals the disk; undoing back to it makes the file clean again. */
  savedVersionId: number
  dispose(): void
}

const entries = new Map<string, Entry>()
const loads = new Map<string, Promise<Monaco.editor.ITextModel | null>>()

export function modelOf(path: string): Monaco.editor.ITextModel | null {
  return entries.get(path)?.model ?? null
}

export function pathOf(model: Monaco.editor.ITextModel): string | null {
  for (const [path, entry] of entries) if (entry.model === model) return path
  return null
}

/** The file's model, read from disk when it is not open; null: it can't be read, and the file's entry says why. */
export function loadModel(path: string): Promise<Monaco.editor.ITextModel | null> {
  const known = entries.get(path)
  if (known) return Promise.resolve(known.model)
  let loading = loads.get(path)
  if (!loading) {
    loading = readModel(path).finally(() => loads.delete(path))
    loads.set(path, loading)
  }
  return loading
}

async function readModel(path: string): Promise<Monaco.editor.ITextModel | null> {
  const folder = currentFolder()
  const file = filesStore.getState().files[path]
  if (folder === null || !file) return null
  const result = file.external
    ? await call('file.readExternal', { path })
    : await call('file.read', { folder, path })
  if (currentFolder() !== folder || !filesStore.getState().files[path]) return null
  const draft = file.external ? null : takeRestoredDraft(path)
  if (!result.ok) {
    if (draft !== null) return restoreDeleted(path, folder, draft)
    changeFile(path, { state: 'failed', error: result.error })
    return null
  }
  const entry = addModel(path, folder, result.value.text, file.external)
  changeFile(path, { state: 'ready', error: null, version: result.value.version })
  if (draft !== null) {
    replaceText(entry.model, draft.text)
    if (draft.baseVersion !== result.value.version) {
      const { text: diskText, version: diskVersion } = result.value
      changeFile(path, { conflict: { kind: 'changed', diskText, diskVersion } })
    }
  }
  return entry.model
}

/** The file is gone, what was typed is not. */
function restoreDeleted(path: string, folder: string, draft: Draft): Monaco.editor.ITextModel {
  const entry = addModel(path, folder, '', false)
  changeFile(path, { state: 'ready', version: '', conflict: { kind: 'deleted' } })
  replaceText(entry.model, draft.text)
  return entry.model
}

function addModel(path: string, folder: string, text: string, external: boolean): Entry {
  const uri = monaco.Uri.file(external ? path : `${folder}/${path}`)
  // A model of a file that was closed and opened again would be the same object: start anew.
  monaco.editor.getModel(uri)?.dispose()
  const model = monaco.editor.createModel(text, languageOf(path), uri)
  const listener = model.onDidChangeContent(() => noteEdit(path))
  const entry: Entry = {
    model,
    folder,
    savedVersionId: model.getAlternativeVersionId(),
    dispose: () => {
      listener.dispose()
      model.dispose()
    },
  }
  entries.set(path, entry)
  return entry
}

function noteEdit(path: string): void {
  const entry = entries.get(path)
  const file = filesStore.getState().files[path]
  if (!entry || !file || file.external) return
  const dirty = entry.model.getAlternativeVersionId() !== entry.savedVersionId
  if (dirty !== file.dirty) changeFile(path, { dirty })
  if (dirty) keepDraftSoon(entry.folder, path, () => draftOf(path))
  else void dropDraft(entry.folder, path)
}

function draftOf(path: string): Draft | null {
  const entry = entries.get(path)
  const file = filesStore.getState().files[path]
  if (!entry || !file?.dirty) return null
  return { path, text: textOf(entry.model), baseVersion: file.version }
}

export function textOf(model: Monaco.editor.ITextModel): string {
  return model.getValue(undefined, true)
}

/** Files of the project that are not as they are on disk. */
export function unsavedTexts(): { path: string; text: string }[] {
  return Object.values(filesStore.getState().files).flatMap(({ path, dirty, external }) => {
    const model = dirty && !external ? modelOf(path) : null
    return model ? [{ path, text: textOf(model) }] : []
  })
}

export function alternativeVersion(path: string): number {
  return entries.get(path)?.model.getAlternativeVersionId() ?? 0
}

/** The text of this version of the model is on disk now; what was typed since stays dirty. */
export function markSaved(path: string, versionId: number, diskVersion: string): void {
  const entry = entries.get(path)
  if (!entry) return
  entry.savedVersionId = versionId
  const dirty = entry.model.getAlternativeVersionId() !== versionId
  changeFile(path, { version: diskVersion, dirty, conflict: null })
  if (dirty) keepDraftSoon(entry.folder, path, () => draftOf(path))
  else void dropDraft(entry.folder, path)
}

/** Takes the text from disk as one edit that can be undone; cursors outside the change stay put. */
export function takeDiskText(path: string, text: string, diskVersion: string): void {
  const entry = entries.get(path)
  if (!entry) return
  replaceText(entry.model, text)
  markSaved(path, entry.model.getAlternativeVersionId(), diskVersion)
}

/** Replaces only what differs: a replaced whole text would lose cursors, folds and markers. */
export function replaceText(model: Monaco.editor.ITextModel, text: string): void {
  const before = textOf(model)
  if (before === text) return
  let start = 0
  const shorter = Math.min(before.length, text.length)
  while (start < shorter && before[start] === text[start]) start += 1
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === text.at(-1 - end)) end += 1
  // An offset between the two halves of a line end or of a character has no position in the model.
  while (start > 0 && /[\r\uD800-\uDBFF]/.test(before[start - 1] ?? '')) start -= 1
  while (end > 0 && /[\n\uDC00-\uDFFF]/.test(before[before.length - end] ?? '')) end -= 1
  const range = monaco.Range.fromPositions(
    model.getPositionAt(start),
    model.getPositionAt(before.length - end),
  )
  model.pushStackElement()
  model.pushEditOperations(
    null,
    [{ range, text: text.slice(start, text.length - end) }],
    () => null,
  )
  model.pushStackElement()
}

/**
 * The file is called otherwise on disk now. What was typed and not saved goes with it, and so does a conflict with
 * the disk; undo begins anew.
 */
export async function moveModel(path: string, newPath: string): Promise<void> {
  const file = filesStore.getState().files[path]
  const entry = entries.get(path)
  if (!file) return
  const typed = entry && file.dirty ? textOf(entry.model) : null
  const hadConflict = file.conflict !== null
  closeModel(path)
  addFile(newPath, false)
  const model = await loadModel(newPath)
  if (model && typed !== null) {
    const { version } = filesStore.getState().files[newPath] ?? { version: '' }
    const diskText = textOf(model)
    replaceText(model, typed)
    if (hadConflict)
      changeFile(newPath, { conflict: { kind: 'changed', diskText, diskVersion: version } })
    // The new draft is there before the old one goes.
    await keepAllDrafts()
  }
  if (entry) await dropDraft(entry.folder, path)
}

/** The text goes, and with it the draft: only when the user says so. */
export function discardFile(path: string): void {
  const folder = entries.get(path)?.folder
  closeModel(path)
  if (folder !== undefined) void dropDraft(folder, path)
}

/**
 * A closed tab keeps its model, so that unsaved text and undo survive; files outside the project and
 * deleted ones with nothing typed have nothing to keep.
 */
export function tabClosed(path: string): void {
  const file = filesStore.getState().files[path]
  if (!file) return
  if (
    file.external ||
    file.state !== 'ready' ||
    (file.conflict?.kind === 'deleted' && !file.dirty)
  ) {
    closeModel(path)
  }
}

function closeModel(path: string): void {
  const entry = entries.get(path)
  entries.delete(path)
  removeFile(path)
  entry?.dispose()
}

export function closeAllModels(): void {
  for (const path of [...entries.keys()]) closeModel(path)
  filesStore.setState({ files: {}, active: null, reveal: null })
}
