import type { Command } from '../../store/commands'
import { showPanel } from '../../store/layout'
import { currentManifest, projectStore } from '../../store/project'
import { keepCall } from './keep-call'
import { runOrMakeInputs } from './make-inputs'
import { chooseCall, chooseOperator, runStore } from './run'

const hasChosen = (): boolean =>
  projectStore.getState().project !== null && runStore.getState().op !== ''

export const runCommands: readonly Command[] = [
  {
    id: 'run.go',
    title: 'Run',
    group: 'Run',
    shortcut: 'Ctrl+Enter',
    readsFields: true,
    enabled: hasChosen,
    run: () => {
      showPanel('run', false)
      return runOrMakeInputs()
    },
  },
  {
    id: 'run.keepCall',
    title: 'Save this call to opsmith.json',
    group: 'Run',
    enabled: hasChosen,
    run: keepCall,
  },
  {
    id: 'run.choose',
    title: 'Run an operator',
    group: 'Run',
    isInternal: true,
    run: (operator = '') => {
      showPanel('run')
      return chooseOperator(operator)
    },
  },
  {
    id: 'run.chooseCall',
    title: 'Choose the first call of an operator',
    group: 'Run',
    isInternal: true,
    run: (operator = '') => {
      showPanel('run', false)
      return chooseCall((currentManifest()?.calls ?? []).findIndex(({ op }) => op === operator))
    },
  },
]
