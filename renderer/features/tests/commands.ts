import type { Command } from '../../store/commands'
import type { TestRow } from '../../store/feature'
import { showPanel } from '../../store/layout'
import { runAllTests, testGroups } from '../../store/tests'

const hasTests = (): boolean => testGroups().some(({ rows }) => rows.length > 0)
const failedRows = (): TestRow[] =>
  testGroups().flatMap(({ rows }) => rows.filter(({ state }) => isFailure(state)))

export function isFailure(state: TestRow['state']): boolean {
  return state === 'failed' || state === 'crashed'
}

export const testsCommands: readonly Command[] = [
  {
    id: 'tests.all',
    title: 'Tests: Run all',
    group: 'Tests',
    shortcut: 'Alt+F9',
    enabled: hasTests,
    run: () => {
      showPanel('tests', false)
      return runAllTests()
    },
  },
  {
    id: 'tests.failed',
    title: 'Tests: Run failed tests',
    group: 'Tests',
    enabled: () => failedRows().length > 0,
    run: async () => {
      showPanel('tests', false)
      for (const row of failedRows()) await row.run()
    },
  },
]
