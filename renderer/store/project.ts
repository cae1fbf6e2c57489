import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { Manifest } from '../../electron/contract/manifest'
import type { WorkbenchError } from '../../electron/contract/outcome'
import type { Project, ProjectFile, Sample } from '../../electron/contract/project'
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

/** Opens a project in place of the one that is open, which main closes. */
export async function openProject(folder: string): Promise<boolean> {
  projectStore.setState({ opening: folder, error: null })
  // Main reads the project while the editor's code is fetched; its files may change in that time.
  let changed: Project | null = null
  const stop = listen('project.changed', (project) => {
    changed = project
  })
  const [result] = await Promise.all([
    keepAll().then(() => call('project.open', { folder })),
    startEditing(),
  ])
  stop()
  if (!result.ok) {
    const isNoProject = result.error.code === 'project.missing'
    let error = isNoProject ? await proposeFor(folder) : result.error
    if (error?.code === 'project.empty') {
      await askForNewProject(folder)
      error = null
    }
    projectStore.setState({ opening: null, error })
    return false
  }
  const project = newest(result.value, changed)
  projectStore.setState({ project, opening: null, error: null })
  void loadSettings() // main has moved the project to the front of the recent ones
  return true
}

function newest(opened: Project, changed: Project | null): Project {
  return changed?.folder === opened.folder ? changed : opened
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
  if (project.folder === currentFolder()) projectStore.setState({ project })
}
