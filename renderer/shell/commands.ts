import { editorCommands } from '../editor/editor-commands'
import { saveAll, saveFile } from '../editor/saving'
import { askedAt, beginAt } from '../store/asked-at'
import { isBusy, stopAll } from '../store/busy'
import { commandFor, registerCommands, type Command } from '../store/commands'
import { allFeatures, panelFeatures, tasks, taskTitles } from '../store/feature'
import { filesStore } from '../store/files'
import { layoutStore, openFile, openPalette, showPanel } from '../store/layout'
import { requestBuild } from '../store/loop'
import { askForNewOperator } from '../store/new-operator'
import { askForNewProject } from '../store/new-project'
import { chooseProject, closeProject, projectStore } from '../store/project'
import { askForMachine, reconnect, remoteStore } from '../store/remote'
import { changeSettings, settingsStore } from '../store/settings'
import { askText } from './AskText'
import { canGo, go } from './go-back'
import { applyLayout, namedLayouts, nameLayout } from './layouts'

const hasProject = (): boolean => projectStore.getState().project !== null
const activeFile = (): string | null => layoutStore.getState().dock?.activeFile() ?? null

/** Every action of the window, once. */
export function installCommands(): void {
  registerAll()
  namedLayouts.subscribe(registerAll)
  // In the capture phase: the editor has meanings of its own for some of these keys.
  window.addEventListener('keydown', onKey, { capture: true })
}

function registerAll(): void {
  registerCommands([
    ...project,
    ...file,
    ...editorCommands(),
    ...work,
    ...goTo,
    ...walk,
    ...views(),
    ...arrange,
    ...namedArrangements(),
    ...allFeatures().flatMap((feature) => feature.commands ?? []),
    ...look,
  ])
}

function onKey(event: KeyboardEvent): void {
  const command = commandFor(event)
  if (!command || !(command.enabled?.() ?? true)) return
  if (isOfShell(event) || (event.key === '?' && isTyping())) return
  event.preventDefault()
  event.stopPropagation()
  if (command.readsFields) settleField()
  beginAt(event.timeStamp, () => void command.run())
}

/** The keyboard is where letters are text. */
function isTyping(): boolean {
  const fields = 'input, textarea, select, [role="textbox"], .monaco-editor'
  return document.activeElement?.closest(fields) != null
}

/** In a terminal, control and a letter are the shell's, as are keys without modifiers that it knows. */
function isOfShell(event: KeyboardEvent): boolean {
  const isInTerminal = event.target instanceof Element && event.target.closest('.terminal-view')
  const isLetter = /^[a-z\[\]\\ ]$/i.test(event.key) || event.key === 'Enter'
  // Readline goes from word to word with them.
  const isArrow = event.altKey && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')
  if (!isInTerminal || event.shiftKey) return false
  return isArrow || (event.ctrlKey && !event.altKey && isLetter)
}

function settleField(): void {
  const field = document.activeElement
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return
  if (field.closest('.monaco-editor')) return
  field.blur()
  field.focus()
}

const project: Command[] = [
  {
    id: 'project.open',
    title: 'Open folder …',
    group: 'Project',
    shortcut: 'Ctrl+O',
    run: async () => {
      await chooseProject()
    },
  },
  {
    id: 'project.connect',
    title: 'Connect to …',
    group: 'Project',
    run: () => askForMachine(),
  },
  {
    id: 'project.reconnect',
    title: 'Reconnect to the machine of the project',
    group: 'Project',
    enabled: () => remoteStore.getState().connection.state === 'lost',
    run: reconnect,
  },
  {
    id: 'project.new',
    title: 'New project …',
    group: 'Project',
    shortcut: 'Ctrl+Shift+N',
    run: () => askForNewProject(),
  },
  {
    id: 'project.newOperator',
    title: 'New operator …',
    group: 'Project',
    shortcut: 'Ctrl+Alt+N',
    enabled: hasProject,
    run: askForNewOperator,
  },
  {
    id: 'project.close',
    title: 'Close project',
    group: 'Project',
    enabled: hasProject,
    run: closeProject,
  },
]

const file: Command[] = [
  {
    id: 'file.save',
    title: 'Save',
    group: 'File',
    shortcut: 'Ctrl+S',
    enabled: hasProject,
    run: async () => {
      const path = activeFile()
      if (path !== null) await saveFile(path)
    },
  },
  {
    id: 'file.saveAll',
    title: 'Save all',
    group: 'File',
    shortcut: 'Ctrl+Shift+S',
    enabled: hasProject,
    run: async () => {
      const since = askedAt()
      const wasDirty = Object.values(filesStore.getState().files).some((item) => item.dirty)
      await saveAll()
      if (wasDirty) await requestBuild('saved', { since })
    },
  },
  {
    id: 'file.close',
    title: 'Close file',
    group: 'File',
    shortcut: 'Ctrl+W',
    enabled: () => activeFile() !== null,
    run: () => {
      const path = activeFile()
      if (path !== null) layoutStore.getState().dock?.closeFile(path)
    },
  },
]

const work: Command[] = [
  {
    id: 'work.stop',
    title: 'Stop',
    group: 'Build',
    shortcut: 'Shift+F5',
    enabled: isBusy,
    run: stopAll,
  },
]

const goTo: Command[] = [
  {
    id: 'go.command',
    title: 'Command palette',
    group: 'Go',
    shortcut: 'Ctrl+Shift+P',
    otherKey: 'F1',
    run: () => openPalette('commands'),
  },
  {
    id: 'go.file',
    title: 'Go to file …',
    group: 'Go',
    shortcut: 'Ctrl+P',
    enabled: hasProject,
    run: () => openPalette('files'),
  },
  {
    id: 'go.symbol',
    title: 'Go to symbol in the project …',
    group: 'Go',
    shortcut: 'Ctrl+T',
    enabled: hasProject,
    run: () => openPalette('symbols'),
  },
]

const walk: Command[] = [
  {
    id: 'go.back',
    title: 'Go back',
    group: 'Go',
    shortcut: 'Alt+ArrowLeft',
    enabled: () => hasProject() && canGo(-1),
    run: () => go(-1),
  },
  {
    id: 'go.forward',
    title: 'Go forward',
    group: 'Go',
    shortcut: 'Alt+ArrowRight',
    enabled: () => hasProject() && canGo(1),
    run: () => go(1),
  },
  {
    id: 'go.editor',
    title: 'Focus the editor',
    group: 'Go',
    shortcut: 'Ctrl+Alt+E',
    enabled: () => activeFile() !== null,
    run: () => {
      const path = activeFile()
      if (path !== null) openFile(path)
    },
  },
  ...(['nextTab', 'nextGroup'] as const).flatMap((what) =>
    ([1, -1] as const).map((step): Command => {
      const key = what === 'nextTab' ? (step > 0 ? 'Ctrl+PageDown' : 'Ctrl+PageUp') : 'F6'
      return {
        id: `go.${what}${step > 0 ? '' : 'Back'}`,
        title: `${step > 0 ? 'Next' : 'Previous'} ${what === 'nextTab' ? 'tab' : 'group of tabs'}`,
        group: 'Go',
        shortcut: what === 'nextGroup' && step < 0 ? 'Shift+F6' : key,
        enabled: hasProject,
        run: () => layoutStore.getState().dock?.[what](step),
      }
    }),
  ),
]

function views(): Command[] {
  return panelFeatures().map(({ id, title, panel }): Command => {
    return {
      id: `view.${id}`,
      title: `Show ${title}`,
      group: 'View',
      ...(panel.shortcut === undefined ? {} : { shortcut: panel.shortcut }),
      enabled: () => hasProject() || panel.Page !== undefined,
      run: () => showPanel(id),
    }
  })
}

/** Where panels are; `dock` is there while a project is open. */
const arrange: Command[] = [
  ...tasks.map((task): Command => ({
    id: `layout.${task}`,
    title: `Layout: ${taskTitles[task]}`,
    group: 'Layout',
    shortcut: `Ctrl+Alt+${taskTitles[task].charAt(0)}`,
    enabled: hasProject,
    run: () => layoutStore.getState().dock?.arrange(task),
  })),
  {
    id: 'layout.name',
    title: 'Layout: save under a name …',
    group: 'Layout',
    enabled: hasProject,
    run: async () => {
      const name = await askText({ title: 'Name of this layout', action: 'Keep' })
      const layout = layoutStore.getState().dock?.read()
      if (name !== null && layout !== undefined) nameLayout(name, layout)
    },
  },
  ...(
    [
      ['half', 'half of the window', 1 / 2, 'Ctrl+Alt+2'],
      ['third', 'a third of the window', 1 / 3, 'Ctrl+Alt+3'],
    ] as const
  ).map(([name, words, part, shortcut]): Command => ({
    id: `layout.${name}`,
    title: `Resize the active panel to ${words}`,
    group: 'Layout',
    shortcut,
    enabled: hasProject,
    run: () => layoutStore.getState().dock?.resize(part),
  })),
  {
    id: 'layout.centre',
    title: 'Move the panel to the centre',
    group: 'Layout',
    enabled: hasProject,
    run: () => layoutStore.getState().dock?.moveToCentre(),
  },
  {
    id: 'layout.below',
    title: 'Move the panel below its neighbours',
    group: 'Layout',
    enabled: hasProject,
    run: () => layoutStore.getState().dock?.moveBelow(),
  },
]

/** The layouts that the user named. */
function namedArrangements(): Command[] {
  return Object.keys(namedLayouts.getState()).map((name) => ({
    id: `layout.named.${name}`,
    title: `Layout: ${name}`,
    group: 'Layout',
    enabled: hasProject,
    run: () => applyLayout(name),
  }))
}

const look: Command[] = [
  {
    id: 'view.enlarge',
    title: 'Enlarge the panel, or restore it',
    group: 'View',
    shortcut: 'Ctrl+Shift+M',
    enabled: hasProject,
    run: () => layoutStore.getState().dock?.toggleEnlarged(),
  },
  {
    id: 'view.split',
    title: 'Split the editor',
    group: 'View',
    shortcut: 'Ctrl+\\',
    enabled: () => activeFile() !== null,
    run: () => layoutStore.getState().dock?.split(),
  },
  {
    id: 'view.moveAcross',
    title: 'Move the file to the other group of tabs',
    group: 'View',
    enabled: () => activeFile() !== null,
    run: () => layoutStore.getState().dock?.moveAcross(),
  },
  {
    id: 'view.closeTab',
    title: 'Close this tab',
    group: 'View',
    shortcut: 'Ctrl+F4',
    enabled: hasProject,
    run: () => layoutStore.getState().dock?.closeTab(),
  },
  ...(['system', 'dark', 'light', 'contrast'] as const).map((theme): Command => {
    const name = theme === 'contrast' ? 'high contrast' : theme
    return {
      id: `view.theme.${theme}`,
      title: `Theme: ${name === 'system' ? 'same as the system' : name}`,
      group: 'View',
      run: async () => {
        await changeSettings({ theme })
      },
    }
  }),
  textSize('view.larger', 'Larger text', 'Ctrl+=', (size) => size + 1),
  textSize('view.smaller', 'Smaller text', 'Ctrl+-', (size) => size - 1),
  textSize('view.normal', 'Normal text size', 'Ctrl+0', () => 13),
]

function textSize(
  id: string,
  title: string,
  shortcut: string,
  next: (size: number) => number,
): Command {
  return {
    id,
    title,
    group: 'View',
    shortcut,
    run: async () => {
      const size = next(settingsStore.getState().settings.fontSize)
      await changeSettings({ fontSize: Math.min(Math.max(size, 8), 32) })
    },
  }
}
