import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { WorkbenchError } from '../../electron/contract/outcome'
import type { ProjectTemplate } from '../../electron/contract/project'
import { call } from '../bridge/bridge'
import type { RemoteStart } from '../../electron/contract/remote-calls'
import { notifyError } from './notifications'

type Choice = Pick<ProjectTemplate, 'id' | 'title' | 'description'> & { kind?: RemoteStart['kind'] }

/** What the dialog for a new project shows. */
type Shown = {
  /** Where it is made; "" for this machine. */
  target: string
  /** Of another machine, samples too. */
  templates: readonly Choice[]
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
      target: '',
      templates,
      template: templates[0]?.id ?? '',
      name: folder.slice(end + 1),
      parent: folder === '' ? parent : folder.slice(0, end) || '/',
      isBusy: false,
      error: null,
    },
  })
}

/** Shows the dialog for a project on another machine. @returns why that is impossible; null if it is shown */
export async function askForNewProjectOn(target: string): Promise<WorkbenchError | null> {
  const result = await call('remote.starts', { target })
  if (!result.ok) return result.error
  const { starts, parent } = result.value
  newProjectStore.setState({
    shown: {
      target,
      // A sample may have the name of a template.
      templates: starts.map((start) => ({ ...start, id: `${start.kind}:${start.id}` })),
      template: `template:${starts[0]?.id ?? ''}`,
      name: '',
      parent,
      isBusy: false,
      error: null,
    },
  })
  return null
}

/** Samples keep their names. */
export function isOfSample({ template }: Pick<Shown, 'template'>): boolean {
  return template.startsWith('sample:')
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
  const { target, name, parent, template } = shown
  changeNewProject({ isBusy: true, error: null })
  const start = {
    target,
    kind: isOfSample(shown) ? ('sample' as const) : ('template' as const),
    id: template.slice(template.indexOf(':') + 1),
  }
  const made =
    target === ''
      ? await call('project.new', { name, parent, template })
      : await call('remote.make', { ...start, name, parent })
  if (!made.ok) {
    changeNewProject({ isBusy: false, error: made.error })
    return null
  }
  newProjectStore.setState({ shown: null })
  return made.value.folder
}

export function cancelNewProject(): void {
  // The connection that was for this dialog.
  if ((newProjectStore.getState().shown?.target ?? '') !== '') void call('remote.stop', {})
  newProjectStore.setState({ shown: null })
}
