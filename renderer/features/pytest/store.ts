import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import { isBadOutcome, type PytestTest } from '../../../electron/contract/pytest'
import type { RecordedCall } from '../../../electron/contract/recorded-calls'
import { isOlder } from '../../store/staleness'

/** What is known of a test, and the sources that it is known of. */
export type KnownTest = { test: PytestTest; stamp: string }

type PytestState = {
  /** By node id, in pytest's order. */
  tests: Readonly<Record<string, KnownTest>>
  /** The node id of the test that is looked at. */
  chosen: string | null
  /** Keys of the files and classes whose tests are hidden. */
  folded: readonly string[]
  /** All tests run after each good build. */
  afterBuild: boolean
  /** Runs note the calls that tests make of the project's operators. */
  recordsCalls: boolean
  /** Of the last run that recorded calls; null where none did. */
  calls: readonly RecordedCall[] | null
  view: PytestView
}

/** What the panel shows: the tests, or the calls that they made. */
export type PytestView = 'tests' | 'calls'

export const pytestStore = createStore<PytestState>(() => ({
  tests: {},
  chosen: null,
  folded: [],
  afterBuild: false,
  recordsCalls: false,
  calls: null,
  view: 'tests',
}))

export function usePytest<T>(select: (state: PytestState) => T): T {
  return useStore(pytestStore, select)
}

/** Takes what a run found or finished. A test that is only found keeps what is known of it. */
export function noteTests(tests: readonly PytestTest[], stamp: string): void {
  if (tests.length === 0) return
  pytestStore.setState((state) => {
    const known = { ...state.tests }
    for (const test of tests) {
      const before = known[test.id]
      if (test.outcome !== 'none' || before === undefined) known[test.id] = { test, stamp }
    }
    return { tests: known }
  })
}

/** Takes the answer of a run of all tests: what it does not name is gone from the sources. */
export function keepTests(tests: readonly PytestTest[]): void {
  pytestStore.setState((state) => {
    const kept = tests.flatMap(({ id }) => {
      const known = state.tests[id]
      return known ? [[id, known] as const] : []
    })
    return { tests: Object.fromEntries(kept) }
  })
}

export function isBad({ test }: KnownTest): boolean {
  return isBadOutcome(test.outcome)
}

/** Node ids of the tests that failed when they ran last. */
export function failedIds(): string[] {
  return Object.values(pytestStore.getState().tests)
    .filter(isBad)
    .map(({ test }) => test.id)
}

/** Tests that failed with the sources as they are. */
export function freshFailures({ tests }: PytestState): number {
  return Object.values(tests).filter((known) => isBad(known) && !isOlder(known.stamp, 'run')).length
}

export function chooseTest(id: string): void {
  pytestStore.setState({ chosen: id })
}

export function setAfterBuild(afterBuild: boolean): void {
  pytestStore.setState({ afterBuild })
}

export function setRecordsCalls(recordsCalls: boolean): void {
  pytestStore.setState({ recordsCalls })
}

export function showView(view: PytestView): void {
  pytestStore.setState({ view })
}

/** Takes the calls of a run, and shows them. */
export function noteCalls(calls: readonly RecordedCall[]): void {
  pytestStore.setState({ calls, view: 'calls' })
}

/** Hides or shows the tests of a file or a class. */
export function toggleFold(key: string): void {
  pytestStore.setState(({ folded }) => ({
    folded: folded.includes(key) ? folded.filter((one) => one !== key) : [...folded, key],
  }))
}
