import { filesStore } from '../store/files'
import { layoutStore, openFile } from '../store/layout'
import { discardFile, moveModel } from './models'

/** Open files that are the entry, or below the folder that it is. */
function openBelow(path: string): string[] {
  return Object.values(filesStore.getState().files)
    .filter((file) => !file.external && (file.path === path || file.path.startsWith(`${path}/`)))
    .map((file) => file.path)
}

/** The unsaved ones of them. */
export function unsavedBelow(path: string): string[] {
  const { files } = filesStore.getState()
  return openBelow(path).filter((open) => files[open]?.dirty === true)
}

/** A file or a folder was renamed on disk: tabs keep their places and their unsaved text. */
export async function fileMoved(path: string, newPath: string): Promise<void> {
  const { dock } = layoutStore.getState()
  const { active } = filesStore.getState()
  for (const before of openBelow(path)) {
    const after = newPath + before.slice(path.length)
    await moveModel(before, after)
    const hasTab = dock?.renameFile(before, after) ?? false
    if (hasTab && active?.path === before) openFile(after, active.line, active.column, false)
  }
}

/** A file or a folder was deleted, and the user knows of unsaved text in it: its tabs close. */
export function fileDeleted(path: string): void {
  for (const open of openBelow(path)) {
    layoutStore.getState().dock?.closeFile(open)
    discardFile(open)
  }
}
