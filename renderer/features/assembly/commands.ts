import type { Command } from '../../store/commands'
import { showPanel } from '../../store/layout'
import { projectStore } from '../../store/project'
import { setFollows } from './run'

export const assemblyCommands: readonly Command[] = [
  {
    id: 'assembly.cursor',
    title: 'Assembly: Show the function at the cursor',
    group: 'Assembly',
    shortcut: 'Ctrl+Alt+A',
    enabled: () => projectStore.getState().project !== null,
    run: () => {
      showPanel('assembly', false)
      setFollows(true)
    },
  },
]
