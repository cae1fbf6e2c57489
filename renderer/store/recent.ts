import { machineOf, placeOf } from '../../electron/contract/project-place'
import { nameOf, useProject } from './project'
import { useSettings } from './settings'

export type RecentProject = {
  /** As openProject() takes it. */
  name: string
  /** The last part of its folder. */
  text: string
  folder: string
  /** "" for this machine. */
  machine: string
}

function recentProject(name: string): RecentProject {
  const { target, folder } = placeOf(name)
  const text = folder.slice(folder.lastIndexOf('/') + 1)
  return { name, text, folder, machine: machineOf(target) }
}

/** The projects that were opened before, newest first, without the open one. */
export function useRecent(most: number): RecentProject[] {
  const names = useSettings((settings) => settings.recentProjects)
  const open = useProject(({ project }) => project && nameOf(project))
  return names
    .filter((name) => name !== open)
    .slice(0, most)
    .map(recentProject)
}
