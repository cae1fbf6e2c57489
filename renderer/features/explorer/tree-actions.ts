import { call } from '../../bridge/bridge'
import { fileDeleted, fileMoved, unsavedBelow } from '../../editor/moved-files'
import { copyText } from '../../shell/primitives/CopyButton'
import { runCommand } from '../../store/commands'
import { openFile } from '../../store/layout'
import { notify, notifyError } from '../../store/notifications'
import { currentFolder } from '../../store/project'
import { askToGoOn } from '../../store/questions'
import { isModel } from './file-kinds'
import { joined, nameOf, parentOf, readTree, setOpen, showInTree, treeStore } from './tree'
import type { Naming, TreeRow } from './tree'

/** Opens a file, or a model's graph; opens and closes a folder. */
export function openRow({ path, kind, isOpen }: Pick<TreeRow, 'path' | 'kind' | 'isOpen'>): void {
  treeStore.setState({ selected: path })
  if (kind === 'folder') setOpen(path, !isOpen)
  else if (kind === 'linkedFolder')
    notify('info', `${path} is a link to a folder: open the folder itself to see its files.`)
  else if (isModel(path)) runCommand('graph.openFile', path)
  else openFile(path)
}

export function beginNaming(naming: Naming): void {
  if (naming.kind !== 'rename' && naming.parent !== '') setOpen(naming.parent, true)
  treeStore.setState({ naming })
}

/** Takes the name that was typed; "" and the same name as before change nothing. */
export async function endNaming(naming: Naming, typed: string): Promise<void> {
  const folder = currentFolder()
  const name = typed.trim()
  treeStore.setState({ naming: null })
  const isSame = naming.kind === 'rename' && name === nameOf(naming.path)
  if (folder === null || name === '' || isSame) return
  const parent = naming.kind === 'rename' ? parentOf(naming.path) : naming.parent
  const path = joined(parent, name)
  if (naming.kind === 'rename') await move(folder, naming.path, path)
  else await create(folder, naming.kind, path)
}

async function create(folder: string, kind: 'newFile' | 'newFolder', path: string): Promise<void> {
  const made =
    kind === 'newFile'
      ? await call('file.create', { folder, path })
      : await call('folder.create', { folder, path })
  if (!made.ok) {
    notifyError(made.error)
    return
  }
  showInTree(path)
  await readTree()
  if (kind === 'newFile') openFile(path)
}

async function move(folder: string, path: string, newPath: string): Promise<void> {
  const moved = await call('file.move', { folder, path, newPath })
  if (!moved.ok) {
    notifyError(moved.error)
    return
  }
  const { open } = treeStore.getState()
  const renamed = [...open].map((one) =>
    one === path || one.startsWith(`${path}/`) ? newPath + one.slice(path.length) : one,
  )
  treeStore.setState({ open: new Set(renamed) })
  await fileMoved(path, newPath)
  showInTree(newPath)
  await readTree()
}

/** Moves a file or folder of the project into another folder of it; "" is the project's own. */
export async function moveInto(path: string, into: string): Promise<void> {
  const folder = currentFolder()
  if (folder === null || !canMoveInto(path, into)) return
  if (into !== '') setOpen(into, true)
  await move(folder, path, joined(into, nameOf(path)))
}

/** Not where it is already, and no folder into itself. */
export function canMoveInto(path: string, into: string): boolean {
  return path !== '' && parentOf(path) !== into && into !== path && !into.startsWith(`${path}/`)
}

/** Moves it to the trash, after a question. */
export async function deleteRow({ path, kind }: Pick<TreeRow, 'path' | 'kind'>): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const unsaved = unsavedBelow(path)
  const lost = unsaved.length > 0 ? `Unsaved text will be lost: ${unsaved.join(', ')}. ` : ''
  const what = kind === 'folder' ? 'The folder with its files' : 'The file'
  const goesOn = await askToGoOn({
    title: `Delete ${path}?`,
    detail: `${lost}${what} can be restored from the trash.`,
    action: 'Move to the trash',
  })
  if (!goesOn || currentFolder() !== folder) return
  const trashed = await call('file.trash', { folder, path })
  if (!trashed.ok) notifyError(trashed.error)
  if (!trashed.ok || !trashed.value.gone) return
  fileDeleted(path)
  treeStore.setState({ selected: parentOf(path) })
  await readTree()
}

export async function duplicateRow(path: string): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const copied = await call('file.duplicate', { folder, path })
  if (!copied.ok) {
    notifyError(copied.error)
    return
  }
  showInTree(copied.value.path)
  await readTree()
}

export async function revealRow(path: string): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const shown = await call('file.reveal', { folder, path })
  if (!shown.ok) notifyError(shown.error)
}

/** @param isAbsolute from the root of the disk, else from the project */
export async function copyPath(path: string, isAbsolute: boolean): Promise<void> {
  const folder = currentFolder() ?? ''
  const whole = path === '' ? folder : `${folder}/${path}`
  const isCopied = await copyText(isAbsolute ? whole : path)
  if (!isCopied) notify('error', 'Could not copy to the clipboard.')
}
