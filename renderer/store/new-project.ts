import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { WorkbenchError } from '../../electron/contract/outcome'
import type { ProjectTemplate } from '../../electron/contract/project'
import { call } from '../bridge/bridge'
import { notifyError } from './notifications'

/** What the dialog for a new project shows. */
type Shown = {
  templates: readonly ProjectTemplate[]
  /** The id of the chosen one. */
  template: string
  name: string
  /** The folder that the project's own folder is made in; absolute. */
  parent: string
  isBusy: boolean
  error: WorkbenchError | null
}

export const newProjectStore = createStore<{ shown: Shown | null }>(() => ({ shown: null }))

export function useNewProject(): Shown | null {
  return useStore(newProjectStore, ({ shown }) => shown)
}

/** Shows the dialog. @param folder a folder without files, which is to become the project; "" for none */
export async function askForNewProject(folder = ''): Promise<void> {
  const result = await call('project.templates', {})
  if (!result.ok) {
    notifyError(result.error)
    return
  }
  const { templates, parent } = result.value
  const end = folder.lastIndexOf('/')
  newProjectStore.setState({
    shown: {
      templates,
      template: templates[0]?.id ?? '',
      name: folder.slice(end + 1),
      parent: folder === '' ? parent : folder.slice(0, end) || '/',
      isBusy: false,
      error: null,
    },
  })
}

export function changeNewProject(changed: Partial<Shown>): void {
  const { shown } = newProjectStore.getState()
  if (shown) newProjectStore.setState({ shown: { ...shown, ...changed } })
}

/** Asks for the folder that the project's own folder is made in. */
export async function chooseParent(): Promise<void> {
  const chosen = await call('project.choose', { purpose: 'parent' })
  if (!chosen.ok) changeNewProject({ error: chosen.error })
  else if (chosen.value) changeNewProject({ parent: chosen.value.folder, error: null })
}

/** @returns the folder of the new project; null where it could not be made, and the dialog says why */
export async function createProject(): Promise<string | null> {
  const { shown } = newProjectStore.getState()
  if (!shown) return null
  const { name, parent, template } = shown
  changeNewProject({ isBusy: true, error: null })
  const made = await call('project.new', { name, parent, template })
  if (!made.ok) {
    changeNewProject({ isBusy: false, error: made.error })
    return null
  }
  cancelNewProject()
  return made.value.folder
}

export function cancelNewProject(): void {
  newProjectStore.setState({ shown: null })
}
