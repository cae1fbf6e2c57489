import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import { featureOf, type Task } from './feature'
import { addFile, filesStore, projectPath, type Place } from './files'

/** The feature whose panel it is. */
export type PanelId = string

/** What the shell's docking does for everybody else. */
export type Dock = {
  showTool(panel: PanelId, focus: boolean): void
  /** Answers the name of the panel: a file may be open in several. */
  showFile(path: string, focus: boolean): string
  /** A feature's tab about a subject, made where there is none. */
  showTab(feature: string, subject: string): void
  closeFile(path: string): void
  /** A file is called otherwise now: its tabs stay where they are. Answers false where it has none. */
  renameFile(path: string, newPath: string): boolean
  /** Another editor of the file in use, at the right of it. */
  split(): void
  /** The tab of the file in use to the other group of files, or to one of its own. */
  moveAcross(): void
  /** Closes the active tab, a file's or a panel's. */
  closeTab(): void
  /** Gives the keyboard to the panel in front, whose element with the keyboard may be gone. */
  focusActive(): void
  activeFile(): string | null
  /** The panel whose tab is active; null while a file's is. */
  activeTool(): PanelId | null
  /** The panel is in front of its group. */
  isShown(panel: PanelId): boolean
  /** The next tab of this group, the next group. */
  nextTab(step: 1 | -1): void
  nextGroup(step: 1 | -1): void
  /** The group of the panel (of the active one) over the whole window, or back in its place. */
  toggleEnlarged(panel?: PanelId): void
  /** The active group over this part of the window's width, 0 to 1. */
  resize(part: number): void
  /** The tool that is in front, as a tab among the files. */
  moveToCentre(): void
  /** The tool that is in front, in a group of its own below the others. */
  moveBelow(): void
  /** The layout of a task; open files stay open. */
  arrange(task: Task): void
  /** The layout as it is, as JSON. */
  read(): unknown
  /** A layout that was read; open files stay open. Answers false, and changes nothing, when it cannot be used. */
  apply(layout: unknown): boolean
}

/** What the palette offers: all there is, or one kind of it. */
export type PaletteMode = 'commands' | 'files' | 'symbols'

type LayoutState = {
  dock: Dock | null
  palette: 'closed' | PaletteMode
  /** "starting" until it is known what to show; without a project, the feature whose page is shown. */
  page: string
  /** One group of tabs takes the whole window. */
  enlarged: boolean
  /** Panels that are in front of their groups. */
  visible: ReadonlySet<PanelId>
}

export const layoutStore = createStore<LayoutState>(() => ({
  dock: null,
  palette: 'closed',
  page: 'starting',
  enlarged: false,
  visible: new Set(),
}))

export function useLayout<T>(select: (state: LayoutState) => T): T {
  return useStore(layoutStore, select)
}

export function noteVisible(panel: PanelId, isVisible: boolean): void {
  const visible = new Set(layoutStore.getState().visible)
  if (visible.has(panel) === isVisible) return
  if (isVisible) visible.add(panel)
  else visible.delete(panel)
  layoutStore.setState({ visible })
}

export function showPanel(panel: PanelId, focus = true): void {
  const { dock } = layoutStore.getState()
  if (dock) dock.showTool(panel, focus)
  else if (featureOf(panel)?.panel?.Page) layoutStore.setState({ page: panel })
}

let nonce = 0

/** Opens a file by project path or absolute path, and goes to the line; lines and columns are 1-based. */
export function openFile(file: string, line = 0, column = 1, focus = true): void {
  goTo(file, { line, column, focus })
}

/** As openFile(); the editor shows the message of the problem that is there. */
export function openProblem({ file, line, column, message }: Problem): void {
  goTo(file, { line, column: Math.max(column, 1), focus: true, message })
}

type Problem = { file: string; line: number; column: number; message: string }

/** Goes where somebody was before: as openFile(), which is no jump to a new place. */
export function openFileAgain({ path, line, column }: Place): void {
  show(path, { line, column, focus: true })
}

let leave: () => void = () => undefined

/** Called before a file takes the keyboard, while the place before still has it. */
export function beforeJump(note: () => void): void {
  leave = note
}

type Wish = { line: number; column: number; focus: boolean; message?: string }

function goTo(file: string, wish: Wish): void {
  if (wish.focus) leave()
  show(file, wish)
}

function show(file: string, wish: Wish): void {
  const { path, external } = projectPath(file)
  if (!filesStore.getState().files[path]) addFile(path, external)
  const panel = layoutStore.getState().dock?.showFile(path, wish.focus)
  if (wish.line > 0 || wish.focus) {
    nonce += 1
    filesStore.setState({
      reveal: { ...wish, path, nonce, ...(panel === undefined ? {} : { panel }) },
    })
  }
}

export function openPalette(mode: PaletteMode): void {
  layoutStore.setState({ palette: mode })
}

export function closePalette(): void {
  layoutStore.setState({ palette: 'closed' })
}
