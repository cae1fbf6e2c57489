import { call, listen } from '../bridge/bridge'
import { changeFile, filesStore, touched } from '../store/files'
import { filesChanged } from '../store/loop'
import { currentFolder } from '../store/project'
import { loadModel, takeDiskText } from './models'
import { conflictWith, writeEnded } from './saving'

/** Milliseconds without a further change: git and formatters write several files at once, for one build. */
const quiet = 250

/** What changed outside the editor and was not reacted to yet. */
const changes = {
  paths: new Set<string>(),
  timer: undefined as ReturnType<typeof setTimeout> | undefined,
}

/** Files that were changed outside: picked up where nothing was typed, a conflict where something was. */
export function listenToDisk(): void {
  listen('file.changed', (event) => {
    if (event.folder === currentFolder()) void diskChanged(event)
  })
}

/** Another project opens, or none. */
export function forgetDiskChanges(): void {
  clearTimeout(changes.timer)
  changes.paths.clear()
}

type DiskChange = {
  folder: string
  path: string
  /** "" when the file is gone. */
  version: string
}

async function diskChanged({ folder, path, version }: DiskChange): Promise<void> {
  await writeEnded(path)
  // What is being read may be what was there before.
  if (filesStore.getState().files[path]?.state === 'loading') await loadModel(path)
  if (currentFolder() !== folder) return
  const file = filesStore.getState().files[path]
  if (file?.version === version && version !== '') return
  touched(path)
  reactSoon(path)
  if (!file || file.state === 'loading') return
  if (version === '') changeFile(path, { conflict: { kind: 'deleted' }, version: '' })
  else await readAgain(folder, path, file.dirty)
}

/** Compares all open files with the disk: nobody has said what changed while there was no connection. */
export async function compareWithDisk(): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const open = Object.values(filesStore.getState().files).filter((file) => !file.external)
  for (const { path } of open) {
    const disk = await call('file.read', { folder, path })
    if (disk.ok) await diskChanged({ folder, path, version: disk.value.version })
    else if (disk.error.code === 'io') await diskChanged({ folder, path, version: '' })
  }
}

function reactSoon(path: string): void {
  changes.paths.add(path)
  clearTimeout(changes.timer)
  changes.timer = setTimeout(() => {
    const paths = [...changes.paths]
    changes.paths.clear()
    filesChanged(paths)
  }, quiet)
}

async function readAgain(folder: string, path: string, wasDirty: boolean): Promise<void> {
  const disk = await call('file.read', { folder, path })
  if (currentFolder() !== folder) return
  // Something may have been typed while the disk was read.
  if (wasDirty || (disk.ok && filesStore.getState().files[path]?.dirty === true)) {
    changeFile(path, conflictWith(disk))
  } else if (disk.ok) {
    takeDiskText(path, disk.value.text, disk.value.version)
  }
  if (!wasDirty && disk.ok) changeFile(path, { state: 'ready', error: null })
}
