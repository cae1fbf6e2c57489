import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { SourcePlace } from '../../../electron/contract/gpu-findings'
import type { Index3, StepView } from '../../../electron/contract/gpu-stepping'

export type SteppingState = {
  /** What is called: an operator or a function of the program; "" until there is one. */
  op: string
  argsText: string
  /** The block whose threads stop. */
  block: Index3
  /** Where they stop; null before a line was chosen. `file` is absolute. */
  place: SourcePlace | null
  /** The block that has stopped; null before. */
  view: StepView | null
  /** The block was told to go on, and `view` is where it was before. */
  isMoving: boolean
}

export const steppingStore = createStore<SteppingState>(() => ({
  op: '',
  argsText: '',
  block: [0, 0, 0],
  place: null,
  view: null,
  isMoving: false,
}))

export function useStepping<T>(select: (state: SteppingState) => T): T {
  return useStore(steppingStore, select)
}

export function forgetStepping(): void {
  steppingStore.setState(steppingStore.getInitialState(), true)
}
