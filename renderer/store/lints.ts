import { createStore } from 'zustand/vanilla'

import type { Diagnostic } from '../../electron/contract/diagnostics'

/** What the lints say of the sources as they stand in the editors. */
export const lintStore = createStore<{ found: Diagnostic[] }>(() => ({ found: [] }))
