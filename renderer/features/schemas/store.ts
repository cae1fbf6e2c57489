import { z } from 'zod'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { SavedChoice } from '../../store/feature'

const view = z.object({
  /** Whose operators are listed. */
  view: z.enum(['project', 'all']),
  /** What is searched for among the project's operators. */
  query: z.string(),
  /** What is searched for among all of libtorch's. */
  registryQuery: z.string(),
})
type SchemasView = z.infer<typeof view>

export const schemasViewStore = createStore<SchemasView>(() => ({
  view: 'project',
  query: '',
  registryQuery: '',
}))

export function useSchemasView<T>(select: (state: SchemasView) => T): T {
  return useStore(schemasViewStore, select)
}

export const schemasChoice: SavedChoice = {
  stores: [schemasViewStore],
  read: schemasViewStore.getState,
  restore: (saved) => {
    const parsed = view.safeParse(saved)
    if (parsed.success) schemasViewStore.setState(parsed.data)
  },
}

export function forgetSchemasView(): void {
  schemasViewStore.setState(schemasViewStore.getInitialState(), true)
}
