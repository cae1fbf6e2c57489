import { z } from 'zod'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { SavedChoice } from '../../store/feature'

type TestsView = {
  /** Only tests that failed are listed. */
  onlyFailed: boolean
}

export const testsViewStore = createStore<TestsView>(() => ({ onlyFailed: false }))

export function useTestsView<T>(select: (state: TestsView) => T): T {
  return useStore(testsViewStore, select)
}

export const testsChoice: SavedChoice = {
  stores: [testsViewStore],
  read: testsViewStore.getState,
  restore: (saved) => {
    const parsed = z.object({ onlyFailed: z.boolean() }).safeParse(saved)
    if (parsed.success) testsViewStore.setState(parsed.data)
  },
}

export function forgetTestsView(): void {
  testsViewStore.setState(testsViewStore.getInitialState(), true)
}
