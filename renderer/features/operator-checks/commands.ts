import type { Command } from '../../store/commands'
import { showPanel } from '../../store/layout'
import { projectStore } from '../../store/project'
import { runCommands } from '../../store/run-commands'
import { checkAll } from './all'
import { operatorCheckJobs, stopOperatorChecks } from './jobs'
import { keepCheck, runOperator } from './run'
import { operatorCheckRuns } from './runs'
import { operatorChecksStore, setSanitize, setThorough } from './store'

const hasProject = (): boolean => projectStore.getState().project !== null
const hasCase = (): boolean => operatorChecksStore.getState().draft.op !== ''
const canKeep = (): boolean => hasCase() && operatorChecksStore.getState().entry === null
const isAnyRunning = (): boolean => operatorCheckJobs.some((job) => job.isRunning())

/** Everything that can be done with operator checks; the panel comes to the front. */
export const operatorCheckCommands: readonly Command[] = [
  // Where no operator was chosen yet, the panel that opens chooses the first and checks it.
  command('run', 'Check the chosen operator', () => runOperator(), hasProject, 'Ctrl+Shift+F9'),
  command('all', 'Run all operator checks', () => checkAll(), hasProject, 'Ctrl+F9'),
  command('stop', 'Stop', stopOperatorChecks, isAnyRunning),
  ...runCommands(operatorCheckRuns, 'operatorChecks', 'Operator checks'),
  command('keep', 'Save these checks to opsmith.json', () => keepCheck(), canKeep),
  command(
    'sanitize',
    'Sanitizers on or off',
    () => setSanitize(!operatorChecksStore.getState().sanitize),
    hasProject,
  ),
  command(
    'thorough',
    'Thorough checks on or off',
    () => setThorough(!operatorChecksStore.getState().thorough),
    hasProject,
  ),
]

function command(
  id: string,
  title: string,
  run: () => void | Promise<void>,
  enabled: () => boolean,
  shortcut?: string,
): Command {
  return {
    id: `operatorChecks.${id}`,
    title: `Operator checks: ${title}`,
    group: 'Operator checks',
    enabled,
    run: () => {
      operatorCheckRuns.hide()
      showPanel('operator-checks', false)
      return run()
    },
    ...(shortcut === undefined ? {} : { shortcut }),
  }
}
