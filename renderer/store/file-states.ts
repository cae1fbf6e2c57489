import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { FileState } from '../../electron/contract/git'

type FileStates = {
  /**
   * By path below the project. A folder's path ends with "/", and its state holds for all below; that of the
   * project's own folder is "".
   */
  states: ReadonlyMap<string, FileState>
  /** The branch that is checked out; "" without one, and where there is no repository. */
  branch: string
  isRepository: boolean
}

/** What git says of the project's files; empty where there is no repository or no git, and in restricted mode. */
export const fileStatesStore = createStore<FileStates>(() => ({
  states: new Map(),
  branch: '',
  isRepository: false,
}))

export function useFileStates<T>(select: (states: FileStates) => T): T {
  return useStore(fileStatesStore, select)
}

/** The state of a file or a folder: its own, or that of a folder above it; null where git has nothing to say. */
export function stateOf(states: FileStates['states'], path: string): FileState | null {
  const own = states.get(path) ?? states.get(`${path}/`)
  if (own !== undefined) return own
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
    const above = states.get(path.slice(0, slash + 1))
    if (above !== undefined) return above
  }
  return states.get('') ?? null
}

/** Folders that something changed in, without "/" at their ends. */
export function changedFolders(states: FileStates['states']): ReadonlySet<string> {
  const folders = new Set<string>()
  for (const [path, state] of states) {
    if (state === 'ignored') continue
    const inner = path.endsWith('/') ? path.slice(0, -1) : path
    for (let slash = inner.lastIndexOf('/'); slash > 0; slash = inner.lastIndexOf('/', slash - 1))
      folders.add(inner.slice(0, slash))
  }
  return folders
}
