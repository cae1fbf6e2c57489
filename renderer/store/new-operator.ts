import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { WorkbenchError } from '../../electron/contract/outcome'
import type { ProjectTemplate } from '../../electron/contract/project'
import { call } from '../bridge/bridge'
import { runCommand } from './commands'
import { manifestSaved } from './inputs'
import { openFile } from './layout'
import { buildsFor, requestBuild } from './loop'
import { notifyError } from './notifications'
import { currentFolder, currentManifest, projectStore } from './project'

/** What the dialog for a new operator shows. */
type Shown = {
  templates: readonly ProjectTemplate[]
  /** The id of the chosen one. */
  template: string
  name: string
  isBusy: boolean
  error: WorkbenchError | null
}

export const newOperatorStore = createStore<{ shown: Shown | null }>(() => ({ shown: null }))

export function useNewOperator(): Shown | null {
  return useStore(newOperatorStore, ({ shown }) => shown)
}

/** Shows the dialog. */
export async function askForNewOperator(): Promise<void> {
  const result = await call('project.templates', {})
  if (!result.ok) {
    notifyError(result.error)
    return
  }
  if (currentFolder() === null) return
  const templates = result.value.templates.filter(({ isOperator }) => isOperator)
  const template = templates[0]?.id ?? ''
  newOperatorStore.setState({
    shown: { templates, template, name: '', isBusy: false, error: null },
  })
}

export function changeNewOperator(changed: Partial<Shown>): void {
  const { shown } = newOperatorStore.getState()
  if (shown) newOperatorStore.setState({ shown: { ...shown, ...changed } })
}

export function cancelNewOperator(): void {
  newOperatorStore.setState({ shown: null })
}

/** Adds the operator, opens its source, builds it and chooses its call in Run. The dialog says why it could not be. */
export async function createOperator(): Promise<void> {
  const { shown } = newOperatorStore.getState()
  const folder = currentFolder()
  if (!shown || folder === null) return
  const { name, template } = shown
  changeNewOperator({ isBusy: true, error: null })
  const isSaved = await manifestSaved()
  const added = isSaved ? await call('project.addOperator', { folder, name, template }) : null
  if (added?.ok !== true) {
    changeNewOperator({ isBusy: false, error: added?.error ?? null })
    return
  }
  cancelNewOperator()
  const { operator, file } = added.value
  await arrived(folder, operator)
  if (currentFolder() !== folder) return
  // With build on save, the change of opsmith.json builds.
  if (!buildsFor('manifestChanged')) void requestBuild('asked')
  runCommand('run.chooseCall', operator)
  openFile(file)
}

/** Waits until main has seen the new opsmith.json, or another project is open. */
function arrived(folder: string, operator: string): Promise<void> {
  const isThere = (): boolean =>
    currentFolder() !== folder ||
    currentManifest()?.calls.some(({ op }) => op === operator) === true
  return new Promise((resolve) => {
    if (isThere()) {
      resolve()
      return
    }
    const stop = projectStore.subscribe(() => {
      if (!isThere()) return
      stop()
      resolve()
    })
  })
}
