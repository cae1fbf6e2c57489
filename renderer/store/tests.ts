import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { HostExit } from '../../electron/contract/outcome'
import { allFeatures, type TestPlace, type TestRow, type TestSource, type Watched } from './feature'
import { projectPath } from './files'
import { throttled } from './line-log'
import { projectStore } from './project'
import { operatorKey, schemasStore } from './schemas'
import { stalenessStore } from './staleness'

export type TestGroup = { source: TestSource; rows: readonly TestRow[]; isRunning: boolean }

const store = createStore<{ groups: readonly TestGroup[] }>(() => ({ groups: [] }))

export const testsStore: Watched = store

export function useTestGroups(): readonly TestGroup[] {
  return useStore(store, (state) => state.groups)
}

export function testGroups(): readonly TestGroup[] {
  return store.getState().groups
}

/** Keeps the groups up to date; called once, when the window starts. */
export function followTests(): void {
  const sources = allFeatures().flatMap((feature) => feature.tests ?? [])
  sources.sort((a, b) => a.order - b.order)
  const collect = (): void => {
    const groups = sources.map((source) => {
      return { source, rows: source.current(), isRunning: source.isRunning() }
    })
    store.setState({ groups })
  }
  const soon = throttled(collect, 50)
  for (const source of sources) for (const watched of source.stores) watched.subscribe(soon)
  projectStore.subscribe(soon)
  schemasStore.subscribe(soon)
  stalenessStore.subscribe(soon)
  collect()
}

/** All that "Run all" runs, one group after the other: the op host does one thing at a time. */
export async function runAllTests(): Promise<void> {
  for (const { source, rows } of testGroups()) {
    if (source.isOnlyAlone !== true && rows.length > 0) await source.runAll()
  }
}

/** Where the kernel of an operator is registered, in the project's own sources. */
export function kernelPlace(op: string): TestPlace | null {
  const operators = schemasStore.getState().load?.operators ?? []
  const known =
    operators.find((item) => operatorKey(item) === op) ?? operators.find((item) => item.name === op)
  const kernel = known?.kernels.find(({ file }) => !projectPath(file).external)
  return kernel ? { name: op, file: kernel.file, line: kernel.line } : null
}

/** The user's own code in which an op host ended, or hung; null where the stack has none. */
export function placeOfExit(exit: HostExit | undefined): TestPlace | null {
  const frame = exit?.stack.find((one) => one.isUser && one.file !== undefined)
  if (frame?.file === undefined) return null
  return { name: frame.symbol.replace(/\(.*$/, ''), file: frame.file, line: frame.line ?? 0 }
}
