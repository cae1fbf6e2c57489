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
  /** A second key for the same. */
  otherKey?: string
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

type Commands = {
  commands: readonly Command[]
  /** Ids of what was chosen in the palette, the newest first; kept from one window to the next. */
  recent: readonly string[]
}

export const commandStore = createStore<Commands>(() => ({ commands: [], recent: [] }))

const mostRecent = 6

export function noteRecent(id: string): void {
  commandStore.setState(({ recent }) => ({
    recent: [id, ...recent.filter((other) => other !== id)].slice(0, mostRecent),
  }))
}

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

/** Asked when a key is: this file is also read where no window is. */
const isMac = (): boolean => navigator.userAgent.includes('Mac')

export function shortcutText(given: string): string {
  // "Alt+Left", as keyboards have it.
  const shortcut = given.replace('Arrow', '')
  if (!isMac()) return shortcut
  return shortcut.replace('Ctrl', '⌘').replace('Shift', '⇧').replace('Alt', '⌥').replaceAll('+', '')
}

/** What the command is called below the name of its group: "Capture again", not "Graph: Capture again". */
export function titleInGroup({ title, group }: Command): string {
  return title.startsWith(`${group}: `) ? title.slice(group.length + 2) : title
}

export function shortcutOf(id: string): string {
  const shortcut = commandStore.getState().commands.find((item) => item.id === id)?.shortcut
  return shortcut === undefined ? '' : shortcutText(shortcut)
}

/** The command that a key press asks for. */
export function commandFor(event: KeyboardEvent): Command | null {
  for (const command of commandStore.getState().commands) {
    const { shortcut, otherKey, keyOfEditor } = command
    if (keyOfEditor) continue
    if ([shortcut, otherKey].some((key) => key !== undefined && matches(key, event))) return command
  }
  return null
}

function matches(shortcut: string, event: KeyboardEvent): boolean {
  const parts = shortcut.split('+')
  const key = parts.pop() ?? ''
  const control = isMac() ? event.metaKey : event.ctrlKey
  return (
    event.key.toLowerCase() === key.toLowerCase() &&
    control === parts.includes('Ctrl') &&
    // Where "?" is typed with shift depends on the keyboard.
    (event.shiftKey === parts.includes('Shift') || key === '?') &&
    event.altKey === parts.includes('Alt')
  )
}
