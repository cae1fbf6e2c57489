import { Command } from 'cmdk'
import { useState, type ReactElement } from 'react'

import { commandStore, shortcutText, type Command as Action } from '../store/commands'
import { closePalette, openFile, useLayout } from '../store/layout'
import { useProject } from '../store/project'
import { Icon } from './primitives/Icon'

/** Every action and every file, by name. */
export function Palette(): ReactElement | null {
  const mode = useLayout((state) => state.palette)
  if (mode === 'closed') return null
  return <OpenPalette key={mode} mode={mode} />
}

function OpenPalette({ mode }: { mode: 'commands' | 'files' }): ReactElement {
  const [search, setSearch] = useState('')
  const files = useProject((state) => state.project?.files)
  const actions = commandStore
    .getState()
    .commands.filter(
      (action) => !action.isInternal && !action.id.startsWith('go.command') && isEnabled(action),
    )
  const run = (action: Action): void => {
    closePalette()
    // After the dialog gave the focus back: the action may want it.
    setTimeout(() => void action.run(), 0)
  }
  return (
    <Command.Dialog
      open
      onOpenChange={(open) => !open && closePalette()}
      label={mode === 'files' ? 'Go to file' : 'Command palette'}
      className="palette"
      overlayClassName="palette-overlay"
      contentClassName="palette-content"
      data-testid="palette"
      loop
    >
      <Command.Input
        value={search}
        onValueChange={setSearch}
        placeholder={mode === 'files' ? 'A file of the project' : 'A command or a file'}
        data-testid="palette-input"
      />
      <Command.List>
        <Command.Empty>Nothing is called that.</Command.Empty>
        {mode === 'commands' &&
          actions.map((action) => (
            <Command.Item
              key={action.id}
              value={`${action.group} ${action.title}`}
              onSelect={() => run(action)}
              data-testid={`palette-${action.id}`}
            >
              <span className="muted palette-group">{action.group}</span>
              <span className="grow">{action.title}</span>
              {action.shortcut !== undefined && <kbd>{shortcutText(action.shortcut)}</kbd>}
            </Command.Item>
          ))}
        {(files ?? []).map((file) => (
          <Command.Item
            key={file.path}
            value={`File ${file.path}`}
            onSelect={() => {
              closePalette()
              setTimeout(() => openFile(file.path), 0)
            }}
          >
            <Icon name="file" />
            <span className="grow">{file.path}</span>
            <span className="muted">{file.role}</span>
          </Command.Item>
        ))}
      </Command.List>
    </Command.Dialog>
  )
}

function isEnabled(action: Action): boolean {
  return action.enabled?.() ?? true
}
