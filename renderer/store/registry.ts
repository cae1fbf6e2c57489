import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { OperatorDetail, OperatorSummary } from '../../electron/contract/operators'
import { ok } from '../../electron/contract/outcome'
import { call } from '../bridge/bridge'
import { createJob, type Job } from './job'
import { operatorKey } from './schemas'

export type RegistryEntry = OperatorSummary & { key: string; lower: string }

type RegistryState = {
  /** The operator that is looked at, by its key. */
  selected: string | null
}

export const registryStore = createStore<RegistryState>(() => ({ selected: null }))

export function useRegistry<T>(select: (state: RegistryState) => T): T {
  return useStore(registryStore, select)
}

/** Every operator of this libtorch, by name. */
export const registryJob: Job<void, RegistryEntry[]> = createJob({
  kind: 'registry',
  latest: 'refused',
  run: async () => {
    registryJob.set({ error: null })
    const result = await call('registry.list', {})
    if (!result.ok) return result
    const entries = result.value.map((summary): RegistryEntry => {
      const key = operatorKey(summary)
      return { ...summary, key, lower: `${key} ${summary.schema}`.toLowerCase() }
    })
    return ok(entries.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)))
  },
})

/** All that is known of one of them. */
export const operatorJob: Job<OperatorSummary, OperatorDetail> = createJob({
  kind: 'operator',
  latest: 'overtakes',
  run: ({ name, overload }) => {
    operatorJob.set({ value: null, error: null })
    return call('registry.describe', { name, overload })
  },
})

/** A build may have registered operators: the list is fetched again when it is next looked at. */
export function forgetRegistry(): void {
  registryJob.reset()
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

/** Shows all that is known of one of them. */
export async function describeOperator(entry: OperatorSummary): Promise<void> {
  registryStore.setState({ selected: operatorKey(entry) })
  await operatorJob.run(entry)
}

/** Another project opens: what was looked at may be of the old one's library. */
export function forgetSelectedOperator(): void {
  operatorJob.reset()
  registryStore.setState(registryStore.getInitialState(), true)
}
