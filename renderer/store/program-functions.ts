import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { WorkbenchError } from '../../electron/contract/outcome'
import type { ProgramFunction } from '../../electron/contract/run'
import { call } from '../bridge/bridge'
import { currentFolder, currentManifest } from './project'

/** The functions of the project's TorchScript program, as the compiler last read it. */
type ProgramFunctionsState = {
  functions: ProgramFunction[]
  error: WorkbenchError | null
}

export const programFunctionsStore = createStore<ProgramFunctionsState>(() => ({
  functions: [],
  error: null,
}))

export function useProgramFunctions(): ProgramFunction[] {
  return useStore(programFunctionsStore, (state) => state.functions)
}

export function programFunctions(): ProgramFunction[] {
  return programFunctionsStore.getState().functions
}

export async function loadProgramFunctions(): Promise<void> {
  const folder = currentFolder()
  if (folder === null || currentManifest()?.program === undefined) {
    programFunctionsStore.setState({ functions: [], error: null })
    return
  }
  const result = await call('program.functions', { folder })
  if (currentFolder() !== folder) return
  if (result.ok) programFunctionsStore.setState({ functions: result.value, error: null })
  else programFunctionsStore.setState({ functions: [], error: result.error })
}

export function forgetProgramFunctions(): void {
  programFunctionsStore.setState(programFunctionsStore.getInitialState(), true)
}
