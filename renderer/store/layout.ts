import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import { addFile, filesStore, projectPath } from './files'

/** The panels that are not files. */
export const toolPanels = {
  explorer: 'Explorer',
  problems: 'Problems',
  build: 'Build',
  'host-output': 'Host output',
  schemas: 'Schemas',
  run: 'Run',
  graph: 'Graph',
  gradcheck: 'Gradcheck',
  timings: 'Timings',
  profile: 'Profile',
  assembly: 'Assembly',
  export: 'Export',
  doctor: 'Doctor',
  settings: 'Settings',
  gallery: 'Samples',
} as const
export type ToolPanel = keyof typeof toolPanels

/** What the shell's docking does for everybody else. */
export type Dock = {
  showTool(panel: ToolPanel, focus: boolean): void
  showFile(path: string, focus: boolean): void
  closeFile(path: string): void
  activeFile(): string | null
  /** The panel is in front of its group. */
  isShown(panel: ToolPanel): boolean
  /** The next tab of this group, the next group. */
  nextTab(step: 1 | -1): void
  nextGroup(step: 1 | -1): void
  /** The group of the panel (of the active one) over the whole window, or back in its place. */
  toggleEnlarged(panel?: ToolPanel): void
  reset(): void
}

type LayoutState = {
  dock: Dock | null
  palette: 'closed' | 'commands' | 'files'
  /** "starting" until it is known what to show. */
  page: 'starting' | 'workbench' | 'gallery' | 'doctor'
  /** One group of tabs takes the whole window. */
  enlarged: boolean
  /** Panels that are in front of their groups. */
  visible: ReadonlySet<ToolPanel>
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

export function noteVisible(panel: ToolPanel, isVisible: boolean): void {
  const visible = new Set(layoutStore.getState().visible)
  if (visible.has(panel) === isVisible) return
  if (isVisible) visible.add(panel)
  else visible.delete(panel)
  layoutStore.setState({ visible })
}

export function showPanel(panel: ToolPanel, focus = true): void {
  const { dock } = layoutStore.getState()
  if (dock) dock.showTool(panel, focus)
  else if (panel === 'doctor' || panel === 'gallery') layoutStore.setState({ page: panel })
}

let nonce = 0

/** Opens a file by project path or absolute path, and goes to the line; lines and columns are 1-based. */
export function openFile(file: string, line = 0, column = 1, focus = true): void {
  const { path, external } = projectPath(file)
  if (!filesStore.getState().files[path]) addFile(path, external)
  layoutStore.getState().dock?.showFile(path, focus)
  if (line > 0 || focus) {
    nonce += 1
    filesStore.setState({ reveal: { path, line, column, nonce, focus } })
  }
}

export function openPalette(mode: 'commands' | 'files'): void {
  layoutStore.setState({ palette: mode })
}

export function closePalette(): void {
  layoutStore.setState({ palette: 'closed' })
}
