import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { AppOutput } from '../../electron/contract/app-calls'
import type { WorkbenchError } from '../../electron/contract/outcome'
import type { ImportSwitch } from '../../electron/contract/project-import'
import { call } from '../bridge/bridge'

/** The proposal of an opsmith.json that is shown, for a folder without one. */
type Shown = {
  folder: string
  /** Null where setup.py must be run first to propose something. */
  proposal: AppOutput<'project.propose'> | null
  /** The extension that was chosen; "" for none. */
  extension: string
  /** Values that were chosen for switches. */
  definitions: Readonly<Record<string, string>>
  /** opsmith.json is kept in a folder of its own. */
  isApart: boolean
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
  const request = { folder, extension: '', definitions: [], trusts: false }
  const result = await call('project.propose', request)
  if (!result.ok && result.error.code !== 'project.restricted') return result.error
  projectImportStore.setState({
    shown: {
      folder: result.ok ? result.value.folder : folder,
      proposal: result.ok ? result.value : null,
      extension: '',
      definitions: {},
      isApart: false,
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

/** What may be chosen of a proposal. */
type Choices = Partial<Pick<Shown, 'extension' | 'definitions'>>

/** Makes another proposal for the folder that is shown. @param trusts its authors are trusted from now on */
export async function proposeAgain(choices: Choices, trusts = false): Promise<void> {
  const { shown } = projectImportStore.getState()
  if (!shown) return
  const { folder, extension, definitions } = { ...shown, ...choices }
  change(folder, { ...choices, isBusy: true, error: null })
  const result = await call('project.propose', {
    folder,
    extension,
    definitions: Object.entries(definitions).map(([name, value]) => `${name}=${value}`),
    trusts,
  })
  if (result.ok) change(folder, { isBusy: false, proposal: result.value })
  else change(folder, { isBusy: false, error: result.error })
}

/** Gives a switch of the build file a value. "" for an environment variable takes it out. */
export async function setSwitch({ name, isOption }: ImportSwitch, value: string): Promise<void> {
  const { shown } = projectImportStore.getState()
  if (!shown) return
  const { [name]: before, ...others } = shown.definitions
  if (value === (before ?? '') && !isOption) return
  await proposeAgain({
    definitions: value === '' ? others : { ...others, [name]: value },
  })
}

/** Keeps opsmith.json in a folder of its own, or next to the sources. */
export function keepApart(isApart: boolean): void {
  const { shown } = projectImportStore.getState()
  if (shown) change(shown.folder, { isApart, error: null })
}

/** Writes what is shown. @returns the folder of its opsmith.json; null where that failed */
export async function acceptProposal(): Promise<string | null> {
  const { shown } = projectImportStore.getState()
  if (!shown) return null
  const { folder, isApart } = shown
  change(folder, { isBusy: true, error: null })
  const result = await call('project.writeProposal', { folder, isApart })
  if (!result.ok) {
    change(folder, { isBusy: false, error: result.error })
    return null
  }
  cancelProposal()
  return result.value.folder
}

export function cancelProposal(): void {
  projectImportStore.setState({ shown: null })
}
