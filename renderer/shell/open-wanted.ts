import { call } from '../bridge/bridge'
import { runCommand } from '../store/commands'
import { layoutStore } from '../store/layout'
import { notifyError } from '../store/notifications'
import { currentFolder, currentName, openProject } from '../store/project'

/** Opens what a start named: a project, a model in the project that is open, or in one of its own. */
export async function openWanted(folder: string, model: string): Promise<void> {
  if (folder !== '' && folder !== currentName()) await openProject(folder)
  if (model === '') return
  if (currentFolder() === null) {
    const made = await call('project.ofModels', {})
    if (!made.ok) {
      notifyError(made.error)
      return
    }
    if (!(await openProject(made.value.folder))) return
  }
  await dockIsThere()
  runCommand('graph.openFile', model)
}

/** The panels of a project that was opened a moment ago. */
async function dockIsThere(): Promise<void> {
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (layoutStore.getState().dock === null) return
      stop()
      resolve()
    }
    const stop = layoutStore.subscribe(look)
    look()
  })
}
