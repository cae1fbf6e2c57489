import type { WorkbenchError } from '../../electron/contract/outcome'
import { call, listen } from '../bridge/bridge'
import { changeFile, filesStore, touched } from '../store/files'
import { buildProject, programChanged } from '../store/loop'
import { notify, notifyError } from '../store/notifications'
import { currentFolder, roleOf } from '../store/project'
import { settingsStore } from '../store/settings'
import { alternativeVersion, loadModel, markSaved, modelOf, takeDiskText, textOf } from './models'

/** Writes of ours that are on their way: what the disk then tells us is no news. */
const writes = new Map<string, Promise<unknown>>()

export async function saveFile(path: string, react = true): Promise<boolean> {
  const model = modelOf(path)
  const file = filesStore.getState().files[path]
  if (!model || !file || file.external) return false
  if (!file.dirty && file.conflict === null) return true
  if (file.conflict !== null) {
    notify('warning', `${path} is not on disk as it was read.`, {
      hint: 'Decide in the bar above the text: keep yours or take what is on disk.',
    })
    return false
  }
  return writeFile(path, file.version, react)
}

/** Saves everything that is dirty; false when something could not be saved. */
export async function saveAll(): Promise<boolean> {
  const dirty = Object.values(filesStore.getState().files).filter((file) => file.dirty)
  let complete = true
  for (const file of dirty) complete = (await saveFile(file.path, false)) && complete
  return complete
}

async function writeFile(path: string, baseVersion: string, react: boolean): Promise<boolean> {
  const folder = currentFolder()
  const model = modelOf(path)
  if (folder === null || !model) return false
  // Two saves of one file in a row: the second must see the first one's version.
  const before = writes.get(path)
  if (before) {
    await before
    const file = filesStore.getState().files[path]
    return file?.dirty === true ? writeFile(path, file.version, react) : true
  }
  const versionId = alternativeVersion(path)
  changeFile(path, { saving: true })
  const write = call('file.write', { folder, path, text: textOf(model), baseVersion })
  writes.set(path, write)
  const result = await write
  writes.delete(path)
  changeFile(path, { saving: false })
  if (!result.ok) {
    await refused(path, result.error)
    return false
  }
  markSaved(path, versionId, result.value.version)
  touched(path)
  if (react) reactToSave(path)
  return true
}

async function refused(path: string, error: WorkbenchError): Promise<void> {
  if (error.code !== 'file.conflict') {
    notifyError(error)
    return
  }
  await showConflict(path)
}

async function showConflict(path: string): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const disk = await call('file.read', { folder, path })
  if (disk.ok) {
    const { text: diskText, version: diskVersion } = disk.value
    changeFile(path, { conflict: { kind: 'changed', diskText, diskVersion } })
  } else {
    changeFile(path, { conflict: { kind: 'deleted' }, version: '' })
  }
}

function reactToSave(path: string): void {
  const role = roleOf(path)
  if (role === 'program') void programChanged()
  const isBuilt = role === 'source' || role === 'header'
  // A changed manifest comes back as project.changed, and store/loop decides what it means.
  if (isBuilt && settingsStore.getState().settings.buildOnSave) void buildProject()
}

/** Mine over theirs: refused again should the file change once more in the meantime. */
export async function keepMine(path: string): Promise<void> {
  const file = filesStore.getState().files[path]
  if (!file?.conflict) return
  const base = file.conflict.kind === 'changed' ? file.conflict.diskVersion : ''
  changeFile(path, { conflict: null, version: base })
  await writeFile(path, base, true)
}

/** Theirs over mine, as an edit: undo brings mine back. */
export function takeTheirs(path: string): void {
  const conflict = filesStore.getState().files[path]?.conflict
  if (conflict?.kind !== 'changed') return
  takeDiskText(path, conflict.diskText, conflict.diskVersion)
  touched(path)
  reactToSave(path)
}

let rebuild: ReturnType<typeof setTimeout> | undefined

/** Files that were changed outside: picked up where nothing was typed, a conflict where something was. */
export function listenToDisk(): void {
  listen('file.changed', (event) => {
    if (event.folder === currentFolder()) void diskChanged(event.path, event.version)
  })
}

async function diskChanged(path: string, version: string): Promise<void> {
  await writes.get(path)
  // What is being read may be what was there before.
  if (filesStore.getState().files[path]?.state === 'loading') await loadModel(path)
  const file = filesStore.getState().files[path]
  if (file?.version === version && version !== '') return
  // Several files often change at once, by git or by a formatter: one build for all of them.
  touched(path)
  clearTimeout(rebuild)
  rebuild = setTimeout(() => reactToSave(path), 250)
  if (!file || file.state === 'loading') return
  if (version === '') {
    changeFile(path, { conflict: { kind: 'deleted' }, version: '' })
  } else if (file.dirty) {
    await showConflict(path)
  } else {
    await reload(path)
  }
}

async function reload(path: string): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const disk = await call('file.read', { folder, path })
  if (!disk.ok) return
  // Something may have been typed while the disk was read.
  if (filesStore.getState().files[path]?.dirty === true) await showConflict(path)
  else takeDiskText(path, disk.value.text, disk.value.version)
  changeFile(path, { state: 'ready', error: null })
}
