import { createStore } from 'zustand/vanilla'

import type { Diagnostic } from '../../electron/contract/diagnostics'
import { call } from '../bridge/bridge'
import { currentFolder, currentManifest } from './project'

/** What the TorchScript compiler says of the program as it is in the editor. */
type ProgramProblems = {
  diagnostics: Diagnostic[]
  /** How many checks have ended: for those who wait for one. */
  checked: number
}

const none: Diagnostic[] = []

export const programProblemsStore = createStore<ProgramProblems>(() => ({
  diagnostics: none,
  checked: 0,
}))

/** The program's path in the project; null: it has none. */
export function programPath(): string | null {
  return currentManifest()?.program ?? null
}

/** @param text as it is in the editor; undefined takes what is on disk */
export async function checkProgram(text: string | undefined): Promise<void> {
  const folder = currentFolder()
  if (folder === null || programPath() === null) {
    forgetProgramProblems()
    return
  }
  const result = await call('program.check', { folder, ...(text === undefined ? {} : { text }) })
  if (currentFolder() !== folder) return
  // A newer text is being checked, or the op host has ended: the last word stands.
  if (!result.ok) return
  const { checked, diagnostics } = programProblemsStore.getState()
  const isSame = JSON.stringify(diagnostics) === JSON.stringify(result.value)
  programProblemsStore.setState({
    checked: checked + 1,
    diagnostics: isSame ? diagnostics : result.value,
  })
}

export function forgetProgramProblems(): void {
  programProblemsStore.setState({ diagnostics: none })
}
