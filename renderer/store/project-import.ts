import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { WorkbenchError } from '../../electron/contract/outcome'
import type { ProjectProposal } from '../../electron/contract/project-import'
import { call } from '../bridge/bridge'

/** The proposal of an opsmith.json that is shown, for a folder without one. */
type Shown = {
  folder: string
  /** Null where setup.py must be run first to propose something. */
  proposal: ProjectProposal | null
  /** Main works on another proposal, or writes this one. */
  isBusy: boolean
  error: WorkbenchError | null
}

export const projectImportStore = createStore<{ shown: Shown | null }>(() => ({ shown: null }))

export function useProjectImport(): Shown | null {
  return useStore(projectImportStore, ({ shown }) => shown)
}

/**
 * Proposes an opsmith.json for a folder without one, and shows it.
 * @returns why there is nothing to show; null where there is
 */
export async function proposeFor(folder: string): Promise<WorkbenchError | null> {
  const result = await call('project.propose', { folder, extension: '', trusts: false })
  if (!result.ok && result.error.code !== 'project.restricted') return result.error
  projectImportStore.setState({
    shown: {
      folder: result.ok ? result.value.folder : folder,
      proposal: result.ok ? result.value : null,
      isBusy: false,
      error: result.ok ? null : result.error,
    },
  })
  return null
}

function change(folder: string, changed: Partial<Shown>): void {
  const { shown } = projectImportStore.getState()
  if (shown?.folder === folder) projectImportStore.setState({ shown: { ...shown, ...changed } })
}

/** Makes another proposal for the folder that is shown. @param trusts its authors are trusted from now on */
export async function proposeAgain(extension: string, trusts: boolean): Promise<void> {
  const { shown } = projectImportStore.getState()
  if (!shown) return
  const { folder } = shown
  change(folder, { isBusy: true, error: null })
  const result = await call('project.propose', { folder, extension, trusts })
  if (result.ok) change(folder, { isBusy: false, proposal: result.value })
  else change(folder, { isBusy: false, error: result.error })
}

/** Writes what is shown. @returns the folder, which is a project now; null where that failed */
export async function acceptProposal(): Promise<string | null> {
  const { shown } = projectImportStore.getState()
  if (!shown) return null
  const { folder } = shown
  change(folder, { isBusy: true, error: null })
  const result = await call('project.writeProposal', { folder })
  if (!result.ok) {
    change(folder, { isBusy: false, error: result.error })
    return null
  }
  cancelProposal()
  return folder
}

export function cancelProposal(): void {
  projectImportStore.setState({ shown: null })
}
