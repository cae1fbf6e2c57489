import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { FolderEntry, ListedFolder } from '../../../electron/contract/file-calls'
import { call, listen } from '../../bridge/bridge'
import { buildJob } from '../../store/build'
import { filesStore } from '../../store/files'
import { layoutStore } from '../../store/layout'
import { notifyError } from '../../store/notifications'
import { currentFolder, projectStore } from '../../store/project'

/** A name that is being typed. */
export type Naming =
  | { kind: 'rename'; path: string }
  | { kind: 'newFile' | 'newFolder'; parent: string }

type TreeState = {
  /** What was listed, by path; "" is the project's own folder. */
  folders: Readonly<Record<string, ListedFolder>>
  open: ReadonlySet<string>
  /** The row that the keyboard is on; "" for the first one. */
  selected: string
  naming: Naming | null
  /** The folder that what is dragged would be copied or moved to; null while nothing is. */
  dropInto: string | null
}

export const treeStore = createStore<TreeState>(() => ({
  folders: {},
  open: new Set(),
  selected: '',
  naming: null,
  dropInto: null,
}))

export function useTree<T>(select: (state: TreeState) => T): T {
  return useStore(treeStore, select)
}

export type TreeRow = {
  /** Relative to the project. */
  path: string
  name: string
  kind: FolderEntry['kind']
  /** 0 for what lies in the project's own folder. */
  depth: number
  isOpen: boolean
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0))
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

export function joined(parent: string, name: string): string {
  return parent === '' ? name : `${parent}/${name}`
}

function byKindAndName(a: FolderEntry, b: FolderEntry): number {
  const isFile = (entry: FolderEntry): number => (entry.kind === 'file' ? 1 : 0)
  return isFile(a) - isFile(b) || a.name.localeCompare(b.name, 'en', { numeric: true })
}

/** The rows in view order: folders first, and what is in open ones below them. */
export function rowsOf({ folders, open }: Pick<TreeState, 'folders' | 'open'>): TreeRow[] {
  const rows: TreeRow[] = []
  const add = (parent: string, depth: number): void => {
    for (const entry of (folders[parent]?.entries ?? []).toSorted(byKindAndName)) {
      const path = joined(parent, entry.name)
      const isOpen = entry.kind === 'folder' && open.has(path)
      rows.push({ path, name: entry.name, kind: entry.kind, depth, isOpen })
      if (isOpen) add(path, depth + 1)
    }
  }
  add('', 0)
  return rows
}

let reading = 0

/** Lists the folders that are open; a newer wish takes the place of one that is under way. */
export async function readTree(): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  reading += 1
  const mine = reading
  const paths = ['', ...treeStore.getState().open]
  const listed = await call('folder.list', { folder, paths })
  if (mine !== reading || currentFolder() !== folder) return
  if (!listed.ok) {
    notifyError(listed.error)
    return
  }
  const folders = Object.fromEntries(listed.value.map((one) => [one.path, one]))
  treeStore.setState({ folders })
}

export function setOpen(path: string, isOpen: boolean): void {
  const open = new Set(treeStore.getState().open)
  if (open.has(path) === isOpen) return
  if (isOpen) open.add(path)
  else open.delete(path)
  treeStore.setState({ open })
  if (isOpen) void readTree()
}

/** Opens all folders above a file, and puts the keyboard's row on it. */
export function showInTree(path: string): void {
  const open = new Set(treeStore.getState().open)
  for (let above = parentOf(path); above !== ''; above = parentOf(above)) open.add(above)
  const isNew = open.size > treeStore.getState().open.size
  treeStore.setState({ selected: path, ...(isNew && { open }) })
  if (isNew) readSoon()
}

/** Milliseconds: git and builds write several files at once. */
const quiet = 150
let timer: ReturnType<typeof setTimeout> | undefined

/** Lists again soon, where the panel is open. */
function readSoon(): void {
  clearTimeout(timer)
  if (layoutStore.getState().visible.has('explorer'))
    timer = setTimeout(() => void readTree(), quiet)
}

/** Called once, when the window starts. */
export function followTree(): void {
  // Hidden names and ignored folders are not watched: who comes back to the window sees them as they are.
  window.addEventListener('focus', readSoon)
  listen('file.changed', readSoon)
  // Nor is build/, which each build writes to.
  buildJob.store.subscribe((now, before) => {
    if (now.value !== before.value) readSoon()
  })
  projectStore.subscribe((now, before) => {
    if (now.project !== before.project) readSoon()
  })
  layoutStore.subscribe((now, before) => {
    if (now.visible.has('explorer') && !before.visible.has('explorer')) readSoon()
  })
  filesStore.subscribe((now, before) => {
    const path = now.active?.path
    if (path !== undefined && path !== before.active?.path && !now.files[path]?.external)
      showInTree(path)
  })
}

export function forgetTree(): void {
  clearTimeout(timer)
  treeStore.setState(treeStore.getInitialState(), true)
}

/** The folders that were open, for the next window. */
export function savedFolders(): unknown {
  return [...treeStore.getState().open].slice(0, 200)
}

export function restoreFolders(saved: unknown): void {
  const paths = Array.isArray(saved) ? saved.filter((path) => typeof path === 'string') : []
  treeStore.setState({ open: new Set(paths) })
  readSoon()
}
