import { manifest } from '../../electron/contract/manifest'
import type { ProjectFile } from '../../electron/contract/project'
import { projectStore } from '../../renderer/store/project'

/** Opens a project in the window's stores without a call of main; null closes it. `given` is said in opsmith.json. */
export function openInWindow(
  folder: string | null,
  given: Record<string, unknown> = {},
  files: ProjectFile[] = [],
): void {
  const name = 'my_op'
  const described = manifest.parse({ name, sources: ['op.cpp'], ...given })
  projectStore.setState({
    project:
      folder === null
        ? null
        : {
            folder,
            manifestFile: `${folder}/opsmith.json`,
            name,
            files,
            manifest: described,
            trust: 'trusted',
          },
  })
}
