import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

/** An action as data: the palette, the toolbar, shortcuts and the native menu all run the same one. */
export type Command = {
  id: string
  title: string
  /** Sorts the palette: a feature's title, or a word of the shell. */
  group: string
  /** "Ctrl+Shift+P"; on a Mac Ctrl is the command key. */
  shortcut?: string
  /** The shortcut is one of the editor's own: it is shown here and heard there. */
  keyOfEditor?: true
  /** Left out: always. */
  enabled?: () => boolean
  /** A field counts when it is left: what was just typed is taken before the command runs. */
  readsFields?: true
  /** Only code runs it, with an argument; the palette leaves it out. */
  isInternal?: true
  /** @param argument what the command is about, for those that need one */
  run: (argument?: string) => void | Promise<void>
}

export const commandStore = createStore<{ commands: readonly Command[] }>(() => ({ commands: [] }))

export function useCommands(): readonly Command[] {
  return useStore(commandStore, (state) => state.commands)
}

export function registerCommands(commands: readonly Command[]): void {
  commandStore.setState({ commands })
}

export function runCommand(id: string, argument?: string): void {
  const command = commandStore.getState().commands.find((item) => item.id === id)
  if (command && (command.enabled?.() ?? true)) void command.run(argument)
}

const isMac = navigator.userAgent.includes('Mac')

export function shortcutText(shortcut: string): string {
  if (!isMac) return shortcut
  return shortcut.replace('Ctrl', '⌘').replace('Shift', '⇧').replace('Alt', '⌥').replaceAll('+', '')
}

export function shortcutOf(id: string): string {
  const shortcut = commandStore.getState().commands.find((item) => item.id === id)?.shortcut
  return shortcut === undefined ? '' : shortcutText(shortcut)
}

/** The command that a key press asks for. */
export function commandFor(event: KeyboardEvent): Command | null {
  for (const command of commandStore.getState().commands) {
    const { shortcut, keyOfEditor } = command
    if (shortcut !== undefined && !keyOfEditor && matches(shortcut, event)) return command
  }
  return null
}

function matches(shortcut: string, event: KeyboardEvent): boolean {
  const parts = shortcut.split('+')
  const key = parts.pop() ?? ''
  const control = isMac ? event.metaKey : event.ctrlKey
  return (
    event.key.toLowerCase() === key.toLowerCase() &&
    control === parts.includes('Ctrl') &&
    event.shiftKey === parts.includes('Shift') &&
    event.altKey === parts.includes('Alt')
  )
}
