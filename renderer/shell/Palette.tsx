import { Command } from 'cmdk'
import { useEffect, useMemo, useRef, useState, type ReactElement } from 'react'

import type { ProjectFile } from '../../electron/contract/project'
import { call } from '../bridge/bridge'
import {
  commandStore,
  noteRecent,
  shortcutText,
  titleInGroup,
  type Command as Action,
} from '../store/commands'
import { closePalette, openFile, useLayout, type PaletteMode } from '../store/layout'
import { useProject } from '../store/project'
import { Icon } from './primitives/Icon'
import { SymbolItems } from './SymbolItems'

/** Every action and every file, by name; what was used lately comes first. */
export function Palette(): ReactElement | null {
  const mode = useLayout((state) => state.palette)
  if (mode === 'closed') return null
  return <OpenPalette key={mode} mode={mode} />
}

function OpenPalette({ mode }: { mode: PaletteMode }): ReactElement {
  const [search, setSearch] = useState('')
  const files = useOfferedFiles(mode)
  const [actions] = useState(offered)
  const [before] = useState(() => document.activeElement)
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.scrollTo({ top: 0 })
  }, [search])
  useEffect(
    () => () => {
      setTimeout(() => giveFocusBack(before), 0)
    },
    [before],
  )
  const afterwards = (work: () => unknown): void => {
    closePalette()
    // With the focus where it was: the work may want it.
    setTimeout(() => {
      giveFocusBack(before)
      void work()
    }, 0)
  }
  const run = (action: Action): void => {
    noteRecent(action.id)
    afterwards(action.run)
  }
  return (
    <Command.Dialog
      open
      onOpenChange={(open) => !open && closePalette()}
      label={labels[mode]}
      className="palette"
      overlayClassName="palette-overlay"
      contentClassName="palette-content"
      data-testid="palette"
      loop
    >
      <Command.Input
        value={search}
        onValueChange={setSearch}
        placeholder={mode === 'commands' && !files ? 'A command' : placeholders[mode]}
        data-testid="palette-input"
      />
      <Command.List ref={list}>
        <Command.Empty>No match.</Command.Empty>
        {mode === 'commands' &&
          actions.map((action) => <ActionItem key={action.id} action={action} run={run} />)}
        {mode === 'symbols' && <SymbolItems />}
        {(mode === 'symbols' ? [] : (files ?? [])).map((file) => (
          <Command.Item
            key={file.path}
            value={`${file.path} File`}
            onSelect={() => afterwards(() => openFile(file.path))}
          >
            <Icon name="file" />
            <span className="grow">{file.path}</span>
            {file.role !== 'other' && <span className="muted">{file.role}</span>}
          </Command.Item>
        ))}
      </Command.List>
    </Command.Dialog>
  )
}

/** The keyboard goes on where it was, unless something else has taken it by now. */
function giveFocusBack(before: Element | null): void {
  const { activeElement } = document
  const isLost = activeElement === null || activeElement === document.body
  if (!isLost && activeElement.closest('.palette-content') === null) return
  if (before instanceof HTMLElement && before.isConnected) before.focus()
}

/**
 * The project's files as they were read when it was opened; "Go to file" then adds those that nothing is built from:
 * hidden ones, and those of deep folders. To read them takes a moment in a large folder: they follow the others.
 */
function useOfferedFiles(mode: PaletteMode): readonly ProjectFile[] | undefined {
  const project = useProject((state) => state.project)
  const folder = project?.folder
  const [all, setAll] = useState<readonly string[]>([])
  useEffect(() => {
    if (mode !== 'files' || folder === undefined) return
    let isWanted = true
    void call('folder.files', { folder }).then((listed) => {
      if (isWanted && listed.ok) setAll(listed.value)
    })
    return () => {
      isWanted = false
    }
  }, [mode, folder])
  const files = project?.files
  return useMemo(() => {
    const known = new Set(files?.map((file) => file.path))
    const others = all.filter((path) => !known.has(path))
    return files && [...files, ...others.map((path) => ({ path, role: 'other' as const }))]
  }, [files, all])
}

const labels: Readonly<Record<PaletteMode, string>> = {
  commands: 'Command palette',
  files: 'Go to file',
  symbols: 'Go to symbol in the project',
}

const placeholders: Readonly<Record<PaletteMode, string>> = {
  commands: 'A command or a file',
  files: 'A file of the project',
  symbols: 'A function, a type, a macro or an operator of the project',
}

type ItemProps = { action: Action; run: (action: Action) => void }

function ActionItem({ action, run }: ItemProps): ReactElement {
  const { id, title, group, shortcut } = action
  return (
    <Command.Item
      // A match of the title's beginning comes before one of its group's; both may be typed.
      value={`${titleInGroup(action)} ${group} ${title}`}
      onSelect={() => run(action)}
      data-testid={`palette-${id}`}
    >
      <span className="muted palette-group">{group}</span>
      <span className="grow">{titleInGroup(action)}</span>
      {shortcut !== undefined && <kbd>{shortcutText(shortcut)}</kbd>}
    </Command.Item>
  )
}

/** What can be done now, each once: first what was chosen lately. */
function offered(): Action[] {
  const { commands, recent } = commandStore.getState()
  const possible = commands.filter(
    ({ id, isInternal, enabled }) =>
      !isInternal && id !== 'go.command' && (enabled === undefined || enabled()),
  )
  const place = ({ id }: Action): number => {
    const at = recent.indexOf(id)
    return at < 0 ? recent.length : at
  }
  return possible.toSorted((a, b) => place(a) - place(b))
}
