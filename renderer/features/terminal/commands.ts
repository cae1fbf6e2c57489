import type { Command } from '../../store/commands'
import { filesStore } from '../../store/files'
import { layoutStore, openFile, showPanel } from '../../store/layout'
import { projectStore } from '../../store/project'
import { closeTerminal, openTerminal, stepTerminal, terminalsStore } from './store'
import { views } from './load-views'

const hasProject = (): boolean => projectStore.getState().project !== null
const hasTerminal = (): boolean => terminalsStore.getState().shown !== null
const hasSeveral = (): boolean => terminalsStore.getState().terminals.length > 1

/** The keyboard goes to the shown terminal, once there is one. */
export function focusShown(): void {
  const { shown } = terminalsStore.getState()
  if (shown !== null) views()?.focusView(shown)
}

/** To the terminal; who is there already goes back to the file. */
function toggle(): void {
  const isThere = document.activeElement?.closest('.terminal-view') !== null
  if (isThere) {
    const { active } = filesStore.getState()
    const path = active?.path ?? layoutStore.getState().dock?.activeFile()
    if (path !== null && path !== undefined) openFile(path)
    return
  }
  showPanel('terminal', false)
  // The panel makes the first terminal when it is shown.
  setTimeout(focusShown, 0)
}

export const terminalCommands: readonly Command[] = [
  {
    id: 'terminal.toggle',
    title: 'Terminal: show, or go back to the file',
    group: 'Terminal',
    shortcut: 'Ctrl+`',
    enabled: hasProject,
    run: toggle,
  },
  {
    id: 'terminal.new',
    title: 'Terminal: new',
    group: 'Terminal',
    enabled: hasProject,
    run: async () => {
      showPanel('terminal', false)
      await openTerminal()
      focusShown()
    },
  },
  {
    id: 'terminal.next',
    title: 'Terminal: next',
    group: 'Terminal',
    enabled: hasSeveral,
    run: () => {
      stepTerminal(1)
      setTimeout(focusShown, 0)
    },
  },
  {
    id: 'terminal.close',
    title: 'Terminal: close, and end its processes',
    group: 'Terminal',
    enabled: hasTerminal,
    run: async () => {
      const { shown } = terminalsStore.getState()
      if (shown !== null) await closeTerminal(shown)
    },
  },
]
