import type { Command } from '../../store/commands'
import { showPanel } from '../../store/layout'
import { projectStore } from '../../store/project'
import { checkOperators } from './store'

export const operatorCheckCommands: readonly Command[] = [
  {
    id: 'operatorChecks.all',
    title: 'Operator checks: Check all operators of the project',
    group: 'Operator checks',
    enabled: () => projectStore.getState().project !== null,
    run: () => {
      showPanel('operator-checks', false)
      return checkOperators()
    },
  },
]
