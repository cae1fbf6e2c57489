import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { TrustedFolder, TrustState } from '../../electron/contract/project'
import { call } from '../bridge/bridge'
import { notifyError } from './notifications'
import {
  currentFolder,
  currentName,
  openProject,
  projectChanged,
  projectStore,
  useProject,
} from './project'

type Store = {
  /** The question whether the open folder is trusted is shown. */
  isAsking: boolean
  /** What the user has decided about folders; null until it is looked at. */
  decisions: readonly TrustedFolder[] | null
}

export const trustStore = createStore<Store>(() => ({ isAsking: false, decisions: null }))

export function useTrust<T>(select: (state: Store) => T): T {
  return useStore(trustStore, select)
}

/** A project is open, and nothing of it is run. */
export function isRestricted(): boolean {
  const { project } = projectStore.getState()
  return project !== null && project.trust !== 'trusted'
}

export function useRestricted(): boolean {
  return useProject(({ project }) => project !== null && project.trust !== 'trusted')
}

export function askForTrust(): void {
  trustStore.setState({ isAsking: true })
}

/** The question is put away; until it is answered the folder stays restricted. */
export function stopAsking(): void {
  trustStore.setState({ isAsking: false })
}

/** @param parent the parent folder, with all that is in it, is trusted too */
export async function answerTrust(trusted: boolean, parent: boolean): Promise<void> {
  const folder = currentFolder()
  stopAsking()
  if (folder === null) return
  const result = await call('trust.answer', { folder, trusted, parent })
  if (result.ok) projectChanged(result.value)
  else notifyError(result.error)
  if (trustStore.getState().decisions !== null) await loadDecisions()
}

export async function loadDecisions(): Promise<void> {
  const result = await call('trust.list', {})
  if (result.ok) trustStore.setState({ decisions: result.value })
  else notifyError(result.error)
}

/** Takes a decision back. The open project may be restricted then. */
export async function forgetDecision(folder: string): Promise<void> {
  const result = await call('trust.forget', { folder })
  if (!result.ok) {
    notifyError(result.error)
    return
  }
  trustStore.setState({ decisions: result.value })
  const open = currentName()
  if (open !== null) await openProject(open)
}

/**
 * Asks about a folder when it is opened for the first time. Called once, when the window starts.
 * @param changed called when the open project becomes trusted, or is not any more
 */
export function followTrust(changed: (trust: TrustState) => void): void {
  projectStore.subscribe(({ project }, before) => {
    if (project?.trust === before.project?.trust && project?.folder === before.project?.folder)
      return
    trustStore.setState({ isAsking: project?.trust === 'unknown' })
    const isSame = project !== null && project.folder === before.project?.folder
    const wasTrusted = before.project?.trust === 'trusted'
    if (isSame && wasTrusted !== (project.trust === 'trusted')) changed(project.trust)
  })
}
