import type { Result } from '../../electron/contract/outcome'
import type { FileContent } from '../../electron/contract/project'
import { call } from '../bridge/bridge'
import { askedAt } from '../store/asked-at'
import { changeFile, filesStore, touched, type OpenFile } from '../store/files'
import { filesChanged, startsBuild } from '../store/loop'
import { notify, notifyError } from '../store/notifications'
import { currentFolder } from '../store/project'
import { holdStaleness } from '../store/staleness'
import { alternativeVersion, markSaved, modelOf, takeDiskText, textOf } from './models'

/** Writes of ours that have not ended yet, by path. */
const writes = new Map<string, Promise<unknown>>()

/** Resolves when no write of ours is under way: what the disk reports until then is no news. */
export async function writeEnded(path: string): Promise<void> {
  await writes.get(path)
}

/**
 * Saves a file that is open in the editor.
 * @param react whether the save is followed by what a change of this file means: a build, a new reading
 * @returns false when the disk does not hold the editor's text; the reason is shown
 */
export async function saveFile(path: string, react = true): Promise<boolean> {
  const since = askedAt()
  const file = filesStore.getState().files[path]
  if (!file || file.external || !modelOf(path)) return false
  if (file.conflict !== null) {
    const isDeleted = file.conflict.kind === 'deleted'
    const what = isDeleted ? 'was deleted' : 'changed'
    notify('warning', `${path} was not saved: the file ${what} on disk after you opened it.`, {
      hint: isDeleted
        ? 'In the bar above the editor, choose “Write the file again” to keep your text, or “Discard the text” to close the file.'
        : 'In the bar above the editor, choose “Keep my text” to overwrite the file, or “Load the text on disk” to replace your edits (Undo brings them back).',
    })
    return false
  }
  return file.dirty ? write(path, react ? { since } : null) : true
}

/** Saves everything that is dirty; false when something could not be saved. */
export async function saveAll(): Promise<boolean> {
  const dirty = Object.values(filesStore.getState().files).filter((file) => file.dirty)
  let complete = true
  for (const file of dirty) complete = (await saveFile(file.path, false)) && complete
  return complete
}

/** What follows a write: a build, a new reading. `since` is when the user asked, as in asked-at.ts. */
type Reaction = { since: number }

/** Writes the editor's text over the version on disk that it is based on; main refuses to write over another. */
async function write(path: string, reaction: Reaction | null): Promise<boolean> {
  // Two saves of one file in a row: the second must see the first one's version.
  if (writes.has(path)) {
    await writeEnded(path)
    return filesStore.getState().files[path]?.dirty === true ? write(path, reaction) : true
  }
  const folder = currentFolder()
  const model = modelOf(path)
  const file = filesStore.getState().files[path]
  if (folder === null || !model || !file) return false
  const versionId = alternativeVersion(path)
  const text = textOf(model)
  const writing = call('file.write', { folder, path, text, baseVersion: file.version })
  writes.set(path, writing)
  const written = await writing
  writes.delete(path)
  // A file of the same name may be open in the next project.
  if (currentFolder() !== folder) return written.ok
  if (written.ok) {
    if (reaction && startsBuild(path)) holdStaleness()
    markSaved(path, versionId, written.value.version)
    touched(path)
    if (reaction) filesChanged([path], reaction.since)
  } else if (written.error.code === 'file.conflict') {
    const disk = await call('file.read', { folder, path })
    if (currentFolder() === folder) changeFile(path, conflictWith(disk))
  } else {
    notifyError(written.error)
  }
  return written.ok
}

/** How the file changes that is in conflict with what was read from disk. */
export function conflictWith(disk: Result<FileContent>): Partial<OpenFile> {
  if (!disk.ok) return { conflict: { kind: 'deleted' }, version: '' }
  const { text: diskText, version: diskVersion } = disk.value
  return { conflict: { kind: 'changed', diskText, diskVersion } }
}

/** Mine over theirs: refused again should the file change once more in the meantime. */
export async function keepMine(path: string): Promise<void> {
  const since = askedAt()
  const file = filesStore.getState().files[path]
  if (!file?.conflict) return
  const version = file.conflict.kind === 'changed' ? file.conflict.diskVersion : ''
  changeFile(path, { conflict: null, version })
  await write(path, { since })
}

/** Theirs over mine, as an edit: undo brings mine back. */
export function takeTheirs(path: string): void {
  const conflict = filesStore.getState().files[path]?.conflict
  if (conflict?.kind !== 'changed') return
  takeDiskText(path, conflict.diskText, conflict.diskVersion)
  touched(path)
  filesChanged([path])
}
