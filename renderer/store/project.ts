import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { Manifest } from '../../electron/contract/manifest'
import type { Result, WorkbenchError } from '../../electron/contract/outcome'
import type { Project, ProjectFile, Sample } from '../../electron/contract/project'
import { placeName, placeOf, type ProjectPlace } from '../../electron/contract/project-place'
import { call, listen } from '../bridge/bridge'
import { notifyError } from './notifications'
import { askForNewProject } from './new-project'
import { proposeFor } from './project-import'
import { loadSettings } from './settings'

type ProjectState = {
  project: Project | null
  /** The folder that is being opened. */
  opening: string | null
  error: WorkbenchError | null
  samples: Sample[] | null
}

export const projectStore = createStore<ProjectState>(() => ({
  project: null,
  opening: null,
  error: null,
  samples: null,
}))

export function useProject<T>(select: (state: ProjectState) => T): T {
  return useStore(projectStore, select)
}

export function currentFolder(): string | null {
  return projectStore.getState().project?.folder ?? null
}

export function currentManifest(): Manifest | null {
  return projectStore.getState().project?.manifest ?? null
}

export function roleOf(path: string): ProjectFile['role'] | null {
  const files = projectStore.getState().project?.files ?? []
  return files.find((file) => file.path === path)?.role ?? null
}

/** Whether a build reads files of this role. */
export function isForBuild(role: ProjectFile['role'] | null): boolean {
  return role === 'source' || role === 'header'
}

/** What must be written of the project that is left, while main still takes it. */
const keepers: (() => Promise<void>)[] = []
export function beforeLeaving(keep: () => Promise<void>): void {
  keepers.push(keep)
}

async function keepAll(): Promise<void> {
  await Promise.all(keepers.map((keep) => keep()))
}

// Set by the shell: the window shows its first page before it fetches the editor's code.
let startEditing: () => Promise<void> = () => Promise.resolve()
/** No project opens before what `start` returns has resolved. It is called for each project. */
export function openProjectsAfter(start: () => Promise<void>): void {
  startEditing = start
}

/** How recent projects name a project: its folder, with its target if it is on another machine. */
export function nameOf({ target = '', folder }: Pick<Project, 'target' | 'folder'>): string {
  return placeName({ target, folder })
}

/** The files of the open project are on this machine. */
export function isHere(): boolean {
  return (projectStore.getState().project?.target ?? '') === ''
}

/** The name of the open project; null for none. */
export function currentName(): string | null {
  const { project } = projectStore.getState()
  return project && nameOf(project)
}

// Set by the shell: a dialog that shows how far connecting is.
let openElsewhere: (place: ProjectPlace) => Promise<boolean> = () => Promise.resolve(false)
/** Projects of other machines are opened by `open`. */
export function openRemoteProjectsWith(open: (place: ProjectPlace) => Promise<boolean>): void {
  openElsewhere = open
}

/** Opens a project in place of the one that is open, which main closes. @param name as nameOf() makes it */
export async function openProject(name: string): Promise<boolean> {
  const place = placeOf(name)
  if (place.target !== '' && name !== currentName()) return openElsewhere(place)
  const entered = await enterProject(place)
  if (entered.ok) return true
  const isNoProject = entered.error.code === 'project.missing' && place.target === ''
  if (isNoProject) projectStore.setState({ opening: name })
  let error = isNoProject ? await proposeFor(name) : entered.error
  if (error?.code === 'project.empty') {
    await askForNewProject(name)
    error = null
  }
  projectStore.setState({ opening: null, error })
  return false
}

/** Opens a project; what is open stays so if that fails. */
export async function enterProject({ target, folder }: ProjectPlace): Promise<Result<Project>> {
  projectStore.setState({ opening: folder, error: null })
  // Main reads the project while the editor's code is fetched; its files may change in that time.
  let changed: Project | null = null
  const stop = listen('project.changed', (project) => {
    changed = project
  })
  const asked = target === '' ? { folder } : { folder, target }
  const [result] = await Promise.all([
    keepAll().then(() => call('project.open', asked)),
    startEditing(),
  ])
  stop()
  if (!result.ok) {
    projectStore.setState({ opening: null })
    return result
  }
  const project = newest(result.value, changed)
  const before = projectStore.getState().project
  // Another machine may have a folder of this name: nothing of that one is shown here.
  if (before?.folder === project.folder && nameOf(before) !== nameOf(project))
    projectStore.setState({ project: null })
  projectStore.setState({ project, opening: null, error: null })
  void loadSettings() // main has moved the project to the front of the recent ones
  return result
}

function newest(opened: Project, changed: Project | null): Project {
  return changed && nameOf(changed) === nameOf(opened) ? changed : opened
}

export async function chooseProject(): Promise<boolean> {
  const chosen = await call('project.choose', { purpose: 'project' })
  if (!chosen.ok) {
    notifyError(chosen.error)
    return false
  }
  return chosen.value === null ? false : openProject(chosen.value.folder)
}

export async function closeProject(): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  await keepAll()
  projectStore.setState({ project: null, error: null })
  const result = await call('project.close', { folder })
  if (!result.ok) notifyError(result.error)
}

export async function openSampleCopy(name: string): Promise<boolean> {
  projectStore.setState({ opening: name, error: null })
  const copy = await call('project.copySample', { name, parent: '' })
  if (!copy.ok) {
    projectStore.setState({ opening: null, error: copy.error })
    return false
  }
  return openProject(copy.value.folder)
}

let samplesLoad: Promise<void> | undefined

/** Asks main once; whoever asks meanwhile waits for the same answer. */
export function loadSamples(): Promise<void> {
  samplesLoad ??= askForSamples().finally(() => {
    samplesLoad = undefined
  })
  return samplesLoad
}

async function askForSamples(): Promise<void> {
  const result = await call('project.samples', {})
  if (result.ok) projectStore.setState({ samples: result.value })
  else projectStore.setState({ samples: [], error: result.error })
}

export function projectChanged(project: Project): void {
  if (nameOf(project) === currentName()) projectStore.setState({ project })
}
