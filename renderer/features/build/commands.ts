import { saveAll } from '../../editor/saving'
import { askedAt } from '../../store/asked-at'
import type { Command } from '../../store/commands'
import { showPanel } from '../../store/layout'
import { requestBuild } from '../../store/loop'
import { projectStore } from '../../store/project'
import { changeSettings, settingsStore } from '../../store/settings'
import { sanitizeJob } from './sanitize'

const hasProject = (): boolean => projectStore.getState().project !== null

async function saveAndBuild(timeTrace = false): Promise<void> {
  const since = askedAt()
  // A file that could not be saved shows why; what is on disk is built all the same.
  await saveAll()
  await requestBuild('asked', { timeTrace, since })
}

export const buildCommands: readonly Command[] = [
  {
    id: 'build.run',
    title: 'Build',
    group: 'Build',
    shortcut: 'Ctrl+B',
    enabled: hasProject,
    run: () => saveAndBuild(),
  },
  {
    id: 'build.trace',
    title: 'Rebuild and trace the build time',
    group: 'Build',
    enabled: hasProject,
    run: () => {
      showPanel('build', false)
      return saveAndBuild(true)
    },
  },
  {
    id: 'build.sanitize',
    title: 'Build and run with ASan and UBSan',
    group: 'Build',
    enabled: hasProject,
    run: async () => {
      showPanel('build', false)
      await saveAll()
      await sanitizeJob.run()
    },
  },
  {
    id: 'build.onSave',
    title: 'Build on save: turn on or off',
    group: 'Build',
    run: async () => {
      await changeSettings({ buildOnSave: !settingsStore.getState().settings.buildOnSave })
    },
  },
]
