import type { Command } from '../../store/commands'
import { fileStatesStore } from '../../store/file-states'
import type { FileAction } from '../../store/feature'
import { filesStore } from '../../store/files'
import { layoutStore } from '../../store/layout'
import { changeSettings, settingsStore } from '../../store/settings'
import { isTracked } from './heads'

/** The project's file that was used last; null without one. */
function activePath(): string | null {
  const { active, files } = filesStore.getState()
  const path = layoutStore.getState().dock?.activeFile() ?? active?.path ?? null
  return path === null || files[path]?.external === true ? null : path
}

function compare(path: string): void {
  layoutStore.getState().dock?.showTab('git', path)
}

export const gitCommands: readonly Command[] = [
  {
    id: 'git.compare',
    title: 'Compare with HEAD',
    group: 'Git',
    enabled: () => {
      const path = activePath()
      return path !== null && isTracked(path)
    },
    run: () => {
      const path = activePath()
      if (path !== null) compare(path)
    },
  },
  {
    id: 'git.blame',
    title: 'Blame (who changed the line): on or off',
    group: 'Git',
    enabled: () => fileStatesStore.getState().isRepository,
    run: async () => {
      await changeSettings({ blame: !settingsStore.getState().settings.blame })
    },
  },
]

export const gitActions: readonly FileAction[] = [
  {
    id: 'git-compare',
    title: 'Compare with HEAD',
    order: 10,
    applies: ({ path, kind }) => kind === 'file' && isTracked(path),
    run: compare,
  },
]
