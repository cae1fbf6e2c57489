import type { Command } from '../../store/commands'
import { showPanel } from '../../store/layout'
import { canRunTests, listTests, pytestJob, runFailedTests, runTests } from './job'
import { failedIds, pytestStore, setAfterBuild } from './store'

/** What can be done with the project's own tests; the panel comes to the front. */
export const pytestCommands: readonly Command[] = [
  command('all', 'Run all tests', () => runTests(), canRunTests, 'Shift+Alt+F9'),
  command('chosen', 'Run the chosen test', runChosen, () => canRunTests() && chosen() !== null),
  command('failed', 'Run failed tests', runFailedTests, () => {
    return canRunTests() && failedIds().length > 0
  }),
  command('record', 'Run all tests and record the operator calls', recordAll, canRunTests),
  command('list', 'List tests', listTests, canRunTests),
  command('stop', 'Stop', pytestJob.stop, pytestJob.isRunning),
  command('afterBuild', 'Run after each build: on or off', switchAfterBuild, () => true),
]

function chosen(): string | null {
  return pytestStore.getState().chosen
}

async function runChosen(): Promise<void> {
  const id = chosen()
  if (id !== null) await runTests([id])
}

async function recordAll(): Promise<void> {
  await pytestJob.run({ ids: [], onlyList: false, recordsCalls: true })
}

function switchAfterBuild(): Promise<void> {
  setAfterBuild(!pytestStore.getState().afterBuild)
  return Promise.resolve()
}

function command(
  id: string,
  title: string,
  run: () => Promise<unknown>,
  enabled: () => boolean,
  shortcut?: string,
): Command {
  return {
    id: `pytest.${id}`,
    title: `Pytest: ${title}`,
    group: 'Pytest',
    enabled,
    run: async () => {
      showPanel('pytest', false)
      await run()
    },
    ...(shortcut === undefined ? {} : { shortcut }),
  }
}
