import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { OperatorDetail, OperatorSummary } from '../../electron/contract/operators'
import type { WorkbenchError } from '../../electron/contract/outcome'
import { call } from '../bridge/bridge'

export type RegistryEntry = OperatorSummary & { key: string; lower: string }

type RegistryState = {
  entries: RegistryEntry[] | null
  loading: boolean
  error: WorkbenchError | null
  selected: string | null
  detail: OperatorDetail | null
  detailError: WorkbenchError | null
}

export const registryStore = createStore<RegistryState>(() => ({
  entries: null,
  loading: false,
  error: null,
  selected: null,
  detail: null,
  detailError: null,
}))

export function useRegistry<T>(select: (state: RegistryState) => T): T {
  return useStore(registryStore, select)
}

export async function loadRegistry(): Promise<void> {
  if (registryStore.getState().loading) return
  registryStore.setState({ loading: true, error: null })
  const result = await call('registry.list', {})
  if (!result.ok) {
    registryStore.setState({ loading: false, error: result.error })
    return
  }
  const entries = result.value.map((summary): RegistryEntry => {
    const key = summary.overload === '' ? summary.name : `${summary.name}.${summary.overload}`
    return { ...summary, key, lower: `${key} ${summary.schema}`.toLowerCase() }
  })
  entries.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  registryStore.setState({ entries, loading: false })
}

/** A build may have registered operators: the list is fetched again when it is next looked at. */
export function forgetRegistry(): void {
  registryStore.setState({ entries: null })
}

/** All words must occur; names that begin with the first word come first. */
export function filterRegistry(entries: RegistryEntry[], query: string): RegistryEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const first = words[0]
  if (first === undefined) return entries
  const found = entries.filter((entry) => words.every((word) => entry.lower.includes(word)))
  const rank = (entry: RegistryEntry): number => {
    const name = entry.name.toLowerCase()
    const bare = name.slice(name.indexOf('::') + 2)
    // Of namesakes, aten's own is the one that is looked for.
    const aten = name.startsWith('aten::') ? 0 : 0.5
    if (name === first || bare === first) return aten
    if (name.startsWith(first) || bare.startsWith(first)) return 1 + aten
    return (name.includes(first) ? 2 : 3) + aten
  }
  const ranked = found.map((entry) => ({ entry, rank: rank(entry) }))
  ranked.sort((a, b) => a.rank - b.rank)
  return ranked.map((item) => item.entry)
}

export async function describeOperator(entry: OperatorSummary): Promise<void> {
  const key = entry.overload === '' ? entry.name : `${entry.name}.${entry.overload}`
  registryStore.setState({ selected: key, detail: null, detailError: null })
  const result = await call('registry.describe', { name: entry.name, overload: entry.overload })
  if (registryStore.getState().selected !== key) return
  if (result.ok) registryStore.setState({ detail: result.value })
  else registryStore.setState({ detailError: result.error })
}
