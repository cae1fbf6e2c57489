import { saveAll } from '../../editor/saving'
import type { Command } from '../../store/commands'
import { exportStore } from './store'
import {
  chosenForms,
  chooseFolder,
  exportChosen,
  isExporting,
  keepExports,
  leaveReview,
  showChanges,
  stopExport,
} from './run'
import { exportRuns } from './runs'
import { filesStore } from '../../store/files'
import { showPanel } from '../../store/layout'
import { requestBuild } from '../../store/loop'
import { projectStore } from '../../store/project'
import { runCommands } from '../../store/run-commands'

const hasProject = (): boolean => projectStore.getState().project !== null
const isIdle = (): boolean => hasProject() && !isExporting()
const canExport = (): boolean => isIdle() && chosenForms().length > 0

/** What is exported is what is on disk: that has to be what is seen. */
async function saved(then: () => Promise<void>): Promise<void> {
  const wasDirty = Object.values(filesStore.getState().files).some((file) => file.dirty)
  if (!(await saveAll())) return
  if (wasDirty) await requestBuild('beforeExport')
  await then()
}

/** Everything that can be done with exports; the panel comes to the front. */
export function exportCommands(): Command[] {
  return [
    command('run', 'Export the chosen forms', () => saved(exportChosen), canExport, 'F7'),
    command('diff', 'Show changes', () => saved(showChanges), canExport),
    command('folder', 'Choose the folder …', () => chooseFolder(''), isIdle),
    command('keep', 'Save the choice of forms to opsmith.json', keepExports, canExport),
    command('leave', 'Close the list of changes', leaveReview, () => {
      return exportStore.getState().review !== null
    }),
    command('stop', 'Stop exporting', stopExport, isExporting),
    ...runCommands(exportRuns, 'export', 'Export'),
  ]
}

function command(
  id: string,
  title: string,
  run: () => void | Promise<void>,
  enabled: () => boolean,
  shortcut?: string,
): Command {
  return {
    id: `export.${id}`,
    title: `Export: ${title}`,
    group: 'Export',
    enabled,
    run: () => {
      showPanel('export', false)
      return run()
    },
    ...(shortcut === undefined ? {} : { shortcut }),
  }
}
