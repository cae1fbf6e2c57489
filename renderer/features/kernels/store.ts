import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { GpuReport } from '../../../electron/contract/gpu-findings'

export type KernelsState = {
  /** Builds are to make kernels that report mistakes. */
  isOn: boolean
  /** What checked kernels did since the last build. */
  report: GpuReport
}

export const kernelsStore = createStore<KernelsState>(() => ({
  isOn: false,
  report: { launches: 0, accesses: 0, findings: [] },
}))

export function useKernels<T>(select: (state: KernelsState) => T): T {
  return useStore(kernelsStore, select)
}

export function forgetKernels(): void {
  kernelsStore.setState(kernelsStore.getInitialState(), true)
}
