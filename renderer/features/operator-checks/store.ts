import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { CheckEntry } from '../../../electron/contract/manifest'
import type { OperatorCheckOutcome } from '../../../electron/contract/operator-check'
import { call } from '../../bridge/bridge'
import { currentFolder } from '../../store/project'
import { emptyOperatorCheckDraft, type OperatorCheckDraft } from './case'

/** The state of the panel; its work is in jobs.ts. */
export type OperatorChecksState = {
  /** What is checked of the project, in this order: opsmith.json's `checks`, else calls and operators. */
  entries: CheckEntry[]
  /** By place among `entries`, and the sources they are of. */
  outcomes: Record<number, { outcome: OperatorCheckOutcome; stamp: string }>
  /** Set once the user asked for all: from then on they repeat after each good build. */
  repeats: boolean
  /** The sanitizers' checks too, when checks run next: they take a build of their own. */
  sanitize: boolean
  /** The checks too that take long or suit some operators only, when checks run next. */
  thorough: boolean
  /** The entry that the fields were filled from, while they still say the same. */
  entry: number | null
  draft: OperatorCheckDraft
}

export const operatorChecksStore = createStore<OperatorChecksState>(() => ({
  entries: [],
  outcomes: {},
  repeats: false,
  sanitize: false,
  thorough: false,
  entry: null,
  draft: emptyOperatorCheckDraft(),
}))

export function useOperatorChecks<T>(select: (state: OperatorChecksState) => T): T {
  return useStore(operatorChecksStore, select)
}

/** What is checked; outcomes stay with the entries that still say the same. */
export async function loadEntries(): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const result = await call('operatorCheck.entries', { folder })
  if (!result.ok || currentFolder() !== folder) return
  operatorChecksStore.setState((state) => {
    const key = (entry: CheckEntry | undefined): string => JSON.stringify(entry)
    const outcomes = Object.entries(state.outcomes).filter(
      ([index]) => key(state.entries[Number(index)]) === key(result.value[Number(index)]),
    )
    return { entries: result.value, outcomes: Object.fromEntries(outcomes) }
  })
}

/** Holds for the checks that are made from now on. */
export function setSanitize(sanitize: boolean): void {
  operatorChecksStore.setState({ sanitize })
}

/** Holds for the checks that are made from now on. */
export function setThorough(thorough: boolean): void {
  operatorChecksStore.setState({ thorough })
}
