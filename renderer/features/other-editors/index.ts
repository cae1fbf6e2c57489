import { call } from '../../bridge/bridge'
import type { Command } from '../../store/commands'
import { defineFeature, type FileAction } from '../../store/feature'
import { filesStore, type Place } from '../../store/files'
import { layoutStore } from '../../store/layout'
import { notify, notifyError } from '../../store/notifications'
import { currentFolder, isHere } from '../../store/project'

type Kind = 'vscode' | 'system'

/** Where the cursor is in the file that was used last; null for what lies outside the project. */
function activePlace(): Place | null {
  const { active, files } = filesStore.getState()
  const path = layoutStore.getState().dock?.activeFile() ?? active?.path
  if (path === undefined || files[path]?.external === true) return null
  return active?.path === path ? active : { path, line: 1, column: 1 }
}

async function open(kind: Kind, { path, line, column }: Place): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const opened = await call('file.openElsewhere', { folder, path, line, column, kind })
  if (!opened.ok) notifyError(opened.error)
  else if (filesStore.getState().files[path]?.dirty === true)
    notify(
      'info',
      `${opened.value.name} shows ${path} from disk, without the unsaved text in Opsmith.`,
    )
}

const kinds: readonly { kind: Kind; name: string }[] = [
  { kind: 'vscode', name: 'VS Code' },
  { kind: 'system', name: 'the system’s text editor' },
]

export const feature = defineFeature({
  id: 'other-editors',
  title: 'Other editors',
  commands: kinds.map(({ kind, name }): Command => ({
    id: `otherEditors.${kind}`,
    title: `Open in ${name} at this line`,
    group: 'File',
    enabled: () => isHere() && activePlace() !== null,
    run: async () => {
      const place = activePlace()
      if (place !== null) await open(kind, place)
    },
  })),
  fileActions: kinds.map(({ kind, name }, index): FileAction => ({
    id: `open-in-${kind}`,
    title: `Open in ${name}`,
    order: 30 + index,
    applies: (entry) => isHere() && entry.kind === 'file',
    run: (path) => {
      const { active } = filesStore.getState()
      return open(kind, active?.path === path ? active : { path, line: 1, column: 1 })
    },
  })),
})
