import { call, droppedPaths } from '../../bridge/bridge'
import { runCommand } from '../../store/commands'
import { notify, notifyError } from '../../store/notifications'
import { currentFolder } from '../../store/project'
import { isModel } from './file-kinds'
import { canMoveInto, moveInto } from './tree-actions'
import { readTree, setOpen, showInTree, treeStore } from './tree'

/**
 * Files from outside: a model that is dropped anywhere shows its graph, other files are copied to the folder of the
 * Explorer that they are dropped on. Rows of the Explorer are moved there. Called once, when the window starts.
 */
export function followDrops(): void {
  // In the capture phase: the editor would write the names of dropped files into its text.
  window.addEventListener('dragover', noteOver, { capture: true })
  window.addEventListener('dragleave', noteLeft, { capture: true })
  window.addEventListener('drop', take, { capture: true })
}

function holdsFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') ?? false
}

/** The Explorer's folder under the pointer; null elsewhere. */
function folderUnder({ target }: DragEvent): string | null {
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-drop-folder]') : null
  return row?.dataset['dropFolder'] ?? null
}

/** The row that is dragged; a drag from outside has none. */
let dragged: string | null = null

/** A row of the tree begins to be dragged, or (null) was dropped. */
export function dragRow(path: string | null): void {
  dragged = path
  if (path === null) treeStore.setState({ dropInto: null })
}

function noteRowOver(event: DragEvent, path: string): void {
  const into = folderUnder(event)
  const dropInto = into !== null && canMoveInto(path, into) ? into : null
  if (dropInto !== null) {
    event.preventDefault()
    if (event.dataTransfer) event.dataTransfer.dropEffect = 'move'
  }
  if (dropInto !== treeStore.getState().dropInto) treeStore.setState({ dropInto })
}

function noteOver(event: DragEvent): void {
  if (dragged !== null) {
    noteRowOver(event, dragged)
    return
  }
  if (!holdsFiles(event) || currentFolder() === null) return
  event.preventDefault()
  event.stopPropagation()
  if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy'
  const dropInto = folderUnder(event)
  if (dropInto !== treeStore.getState().dropInto) treeStore.setState({ dropInto })
}

function noteLeft(event: DragEvent): void {
  // Without a related target the pointer has left the window.
  if (event.relatedTarget === null) treeStore.setState({ dropInto: null })
}

function take(event: DragEvent): void {
  if (dragged !== null) {
    const [path, into] = [dragged, folderUnder(event)]
    dragRow(null)
    if (into === null) return
    event.preventDefault()
    event.stopPropagation()
    void moveInto(path, into)
    return
  }
  if (!holdsFiles(event) || currentFolder() === null) return
  event.preventDefault()
  event.stopPropagation()
  const into = folderUnder(event)
  treeStore.setState({ dropInto: null })
  void takeFiles([...(event.dataTransfer?.files ?? [])], into)
}

async function takeFiles(files: readonly File[], into: string | null): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const paths = await droppedPaths(files)
  const model = paths.find(isModel)
  if (model !== undefined) runCommand('graph.openFile', model)
  const others = paths.filter((path) => !isModel(path))
  if (others.length === 0) return
  if (into === null) {
    notify('info', 'To copy files into the project, drop them on the Explorer.')
    return
  }
  const copied = await call('file.import', { folder, into, sources: others })
  if (!copied.ok) notifyError(copied.error)
  if (into !== '') setOpen(into, true)
  const [first] = copied.ok ? copied.value.paths : []
  if (first !== undefined) showInTree(first)
  await readTree()
}
