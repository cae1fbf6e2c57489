import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { InputSpec } from '../../electron/contract/manifest'
import { call } from '../bridge/bridge'
import { notifyError } from './notifications'
import { currentFolder, currentManifest, projectStore } from './project'

type InputsState = {
  /** Edits that are not in the manifest yet. */
  pending: Record<string, InputSpec>
  inFlight: number
  /** Where every input is made instead of where it says; "" follows the inputs. */
  device: string
}

export const inputsStore = createStore<InputsState>(() => ({
  pending: {},
  inFlight: 0,
  device: '',
}))

export function useInputs<T>(select: (state: InputsState) => T): T {
  return useStore(inputsStore, select)
}

const none: Record<string, InputSpec> = {}

/** The inputs as they stand, edits included. */
export function useInputSpecs(): Record<string, InputSpec> {
  const manifest = useStore(projectStore, (state) => state.project?.manifest?.inputs ?? none)
  const pending = useInputs((state) => state.pending)
  return Object.keys(pending).length === 0 ? manifest : { ...manifest, ...pending }
}

/** What a run uses: edits included, on the device that the toolbar chose. */
export function effectiveInputs(): Record<string, InputSpec> {
  const { pending, device } = inputsStore.getState()
  const inputs = { ...(currentManifest()?.inputs ?? {}), ...pending }
  if (device === '') return inputs
  return Object.fromEntries(
    Object.entries(inputs).map(([name, spec]) => [name, { ...spec, device }]),
  )
}

// Set by the editor: opsmith.json may have unsaved text, which the edit must not conflict with.
let saveManifest: () => Promise<boolean> = () => Promise.resolve(true)
export function beforeInputEdit(save: () => Promise<boolean>): void {
  saveManifest = save
}

/** Writes what is typed in opsmith.json and not saved; false when that can't be. */
export function manifestSaved(): Promise<boolean> {
  return saveManifest()
}

/** Keeps edited and new inputs in opsmith.json. Shown at once; taken back when they can't be written. */
export async function setInputs(inputs: Readonly<Record<string, InputSpec>>): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  inputsStore.setState((state) => ({
    pending: { ...state.pending, ...inputs },
    inFlight: state.inFlight + 1,
  }))
  const arrivalsBefore = arrivals
  const saved = await saveManifest()
  const result = saved ? await call('project.setInputs', { folder, inputs }) : null
  inputsStore.setState((state) => ({ inFlight: state.inFlight - 1 }))
  // The manifest may have come back before the answer did.
  if (result?.ok === true && arrivals > arrivalsBefore) manifestArrived()
  if (result?.ok !== true) {
    inputsStore.setState(({ pending }) => ({
      pending: Object.fromEntries(
        Object.entries(pending).filter(([name]) => !Object.hasOwn(inputs, name)),
      ),
    }))
    if (result?.ok === false) notifyError(result.error)
  }
}

let arrivals = 0

/** The manifest has caught up with what was sent. */
export function manifestArrived(): void {
  arrivals += 1
  if (inputsStore.getState().inFlight === 0) inputsStore.setState({ pending: {} })
}

export function forgetInputs(): void {
  inputsStore.setState({ pending: {}, device: '' })
}
