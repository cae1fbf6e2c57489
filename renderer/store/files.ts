import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import { manifestFileName } from '../../electron/contract/manifest'
import type { WorkbenchError } from '../../electron/contract/outcome'
import { isForBuild, projectStore, roleOf } from './project'

/** The disk and the editor disagree. */
export type Conflict =
  | { kind: 'changed'; diskText: string; diskVersion: string }
  | { kind: 'deleted' }

export const manifestFile = 'opsmith.json'

export type OpenFile = {
  /** Relative to the project, or absolute for a file outside it. */
  path: string
  external: boolean
  /** What the editor's text was last read from or written as; "" when the file is gone. */
  version: string
  dirty: boolean
  conflict: Conflict | null
  error: WorkbenchError | null
  state: 'loading' | 'ready' | 'failed'
}

export type Place = { path: string; line: number; column: number }

type FilesState = {
  files: Record<string, OpenFile>
  /** Counts saves and outside changes of what a build reads. */
  sourceRevision: number
  /** The same for the TorchScript program, which needs no build. */
  programRevision: number
  /** The file in front and its cursor, for the status bar. */
  active: Place | null
  /**
   * Where an editor is asked to go, of one panel where it is known, and the message of the problem that it shows
   * there; `nonce` tells one wish from the next.
   */
  reveal: (Place & { nonce: number; focus: boolean; panel?: string; message?: string }) | null
}

export const filesStore = createStore<FilesState>(() => ({
  files: {},
  sourceRevision: 0,
  programRevision: 0,
  active: null,
  reveal: null,
}))

export function useFiles<T>(select: (state: FilesState) => T): T {
  return useStore(filesStore, select)
}

export function changeFile(path: string, change: Partial<OpenFile>): void {
  filesStore.setState((state) => {
    const file = state.files[path]
    return file ? { files: { ...state.files, [path]: { ...file, ...change } } } : {}
  })
}

export function addFile(path: string, external: boolean): void {
  const file: OpenFile = {
    path,
    external,
    version: '',
    dirty: false,
    conflict: null,
    error: null,
    state: 'loading',
  }
  filesStore.setState((state) => ({ files: { ...state.files, [path]: file } }))
}

export function removeFile(path: string): void {
  filesStore.setState((state) => {
    const files = { ...state.files }
    delete files[path]
    return { files, active: state.active?.path === path ? null : state.active }
  })
}

/** Notes that a file on disk is not what it was, so that older results can say so. */
export function touched(path: string): void {
  const role = roleOf(path)
  filesStore.setState((state) => {
    if (isForBuild(role)) return { sourceRevision: state.sourceRevision + 1 }
    if (role === 'program') return { programRevision: state.programRevision + 1 }
    return {}
  })
}

/** Absolute paths of compilers and stacks become project paths where they can. */
export function projectPath(file: string): { path: string; external: boolean } {
  const { folder, manifestFile } = projectStore.getState().project ?? {}
  if (file === manifestFile) return { path: manifestFileName, external: false }
  if (!file.startsWith('/') && !/^[A-Za-z]:[\\/]/.test(file)) return { path: file, external: false }
  if (folder !== undefined && file.startsWith(`${folder}/`)) {
    return { path: file.slice(folder.length + 1), external: false }
  }
  return { path: file, external: true }
}

/** Identifies what a build would read now; results keep the stamp they were made from. */
export function buildStamp(): string {
  return `${filesStore.getState().sourceRevision}|${manifestKey()}`
}

/** What the open files are on disk, as far as the window knows: what a build that begins now reads. */
export function openVersions(): Record<string, string> {
  const files = Object.values(filesStore.getState().files)
  return Object.fromEntries(files.map((file) => [file.path, file.version]))
}

/** A build's stamp with that of the program: what a run depends on. */
export function withProgram(build: string): string {
  return `${build}|${filesStore.getState().programRevision}`
}

/** The stamp that a run of the files on disk would have now. */
export function runStamp(): string {
  return withProgram(buildStamp())
}

const earlier = 'earlier session '

/**
 * Of a result of an earlier session: equal to no stamp of this one, since nobody knows what the sources were.
 * @param madeAt milliseconds since 1970
 */
export function earlierStamp(madeAt: number): string {
  return `${earlier}${madeAt}`
}

/** When a result of an earlier session was made, in milliseconds since 1970; null for one of this session. */
export function earlierTime(stamp: string | null): number | null {
  return stamp?.startsWith(earlier) === true ? Number(stamp.slice(earlier.length)) : null
}

/** The part of the manifest that a build reads: editing an input must not make a build look old. */
function manifestKey(): string {
  const manifest = projectStore.getState().project?.manifest
  if (!manifest) return ''
  const { name, sources, functions, includePaths, cflags, cudaCflags, ldflags } = manifest
  const { pkgConfig, autograd, toolchain } = manifest
  return JSON.stringify([
    name,
    sources,
    functions,
    includePaths,
    cflags,
    cudaCflags,
    ldflags,
    pkgConfig,
    autograd,
    toolchain,
  ])
}
