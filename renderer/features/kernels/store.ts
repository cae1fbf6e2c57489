import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { KernelVariant } from '../../../electron/contract/build'
import { countsBasis, type GpuCounts } from '../../../electron/contract/gpu-counts'
import type { GpuReport } from '../../../electron/contract/gpu-findings'
import type { OccupancyArchitecture } from '../../../electron/contract/occupancy'
import type { Metric } from './metrics'

export type KernelsState = {
  /** What builds compile kernels for. */
  variant: KernelVariant
  /** What checked kernels did since the last build. */
  report: GpuReport
  /** What counted kernels did since the last build. */
  counts: GpuCounts
  /** What the column next to the lines in the editor shows; null: there is no column. */
  metric: Metric | null
  /** What occupancy is calculated for. */
  architecture: OccupancyArchitecture
  /** The GPU that times are estimated for, as the engine names it. */
  model: string
}

export const kernelsStore = createStore<KernelsState>(() => ({
  variant: 'plain',
  report: { launches: 0, accesses: 0, findings: [] },
  counts: { basis: countsBasis, launches: 0, missedAccesses: 0, kernels: [] },
  metric: 'sectors',
  architecture: 'sm_80',
  model: '',
}))

export function useKernels<T>(select: (state: KernelsState) => T): T {
  return useStore(kernelsStore, select)
}

export function forgetKernels(): void {
  kernelsStore.setState(kernelsStore.getInitialState(), true)
}
