import type {
  AddPanelOptions,
  DockviewApi,
  IDockviewPanel,
  SerializedDockview,
} from 'dockview-react'

import { tabClosed } from '../editor/models'
import { filesStore } from '../store/files'
import { featureOf, panelFeatures, startPage, tasks, type Area, type Task } from '../store/feature'
import { openFile, type Dock, type PanelId } from '../store/layout'
import { notify } from '../store/notifications'
import { projectStore } from '../store/project'
import { settingsStore } from '../store/settings'
import { canTake, firstIn } from './keep-focus'
import { savedLayout } from './layouts'

export function fileId(path: string): string {
  return `file:${path}`
}

/** The name of the component that shows a feature's tabs. */
export function tabComponent(feature: string): string {
  return `tab-${feature}`
}

/** "file:op.cpp"; "file.2:op.cpp" of another editor of the same file. */
export function filePathOf(panel: IDockviewPanel): string | null {
  return /^file(?:\.\d+)?:(?<path>.*)$/s.exec(panel.id)?.groups?.['path'] ?? null
}

/** The editors of a file. */
export function filePanels(api: DockviewApi, path: string): IDockviewPanel[] {
  return api.panels.filter((panel) => filePathOf(panel) === path)
}

/** The docking library in the words of store/layout. */
export function createDock(api: DockviewApi): Dock {
  return {
    showTool: (tool, focus) => {
      const panel = api.getPanel(tool) ?? addTool(api, tool)
      bringUp(api, panel, focus)
    },
    showFile: (path, focus) => {
      const panel = nearestEditor(api, path) ?? addFilePanel(api, path)
      bringUp(api, panel, focus)
      return panel.id
    },
    showTab: (feature, subject) => {
      const id = `${tabComponent(feature)}:${subject}`
      const panel = api.getPanel(id) ?? addTab(api, feature, subject, id)
      bringUp(api, panel, true)
    },
    closeFile: (path) => {
      const panel = nearestEditor(api, path)
      if (panel) api.removePanel(panel)
      if (filePanels(api, path).length === 0) tabClosed(path)
    },
    split: () => {
      const panel = editorInFront(api)
      const path = panel && filePathOf(panel)
      if (!panel || path === null || path === undefined) return
      const added = addFilePanel(api, path, {
        position: { referenceGroup: panel.group, direction: 'right' },
      })
      enter(api, added)
    },
    moveAcross: () => {
      const panel = editorInFront(api)
      if (!panel) return
      const other = api.groups.find(
        (group) =>
          group.id !== panel.group.id && group.panels.some((one) => filePathOf(one) !== null),
      )
      if (other) panel.api.moveTo({ group: other })
      else if (panel.group.panels.length > 1)
        panel.api.moveTo({ group: panel.group, position: 'right' })
      enter(api, panel)
    },
    renameFile: (path, newPath) => {
      const panels = filePanels(api, path)
      for (const panel of panels) {
        const { group } = panel
        const wasInFront = group.activePanel === panel
        const place = { referenceGroup: group, index: group.panels.indexOf(panel) }
        const renamed = addFilePanel(api, newPath, { position: place, inactive: !wasInFront })
        api.removePanel(panel)
        if (wasInFront) renamed.api.setActive()
      }
      return panels.length > 0
    },
    // What else a closed file needs follows from the removal of its panel.
    closeTab: () => api.activePanel?.api.close(),
    focusActive: () => {
      if (api.activePanel) enter(api, api.activePanel)
    },
    activeFile: () => {
      const active = api.activePanel
      const path = active ? filePathOf(active) : null
      return path ?? filesStore.getState().active?.path ?? null
    },
    activeTool: () => {
      const { activePanel } = api
      return activePanel && filePathOf(activePanel) === null ? activePanel.id : null
    },
    isShown: (tool) => api.getPanel(tool)?.api.isVisible === true,
    nextTab: (step) => {
      const group = api.activeGroup
      if (!group || group.panels.length < 2) return
      const at = group.panels.findIndex((panel) => panel.id === group.activePanel?.id)
      const next = group.panels[(at + step + group.panels.length) % group.panels.length]
      if (next) enter(api, next)
    },
    nextGroup: (step) => {
      const groups = api.groups.filter((group) => group.activePanel !== undefined)
      const at = groups.findIndex((group) => group.id === api.activeGroup?.id)
      const next = groups[(at + step + groups.length) % groups.length]?.activePanel
      if (next) enter(api, next)
    },
    toggleEnlarged: (tool) => {
      if (api.hasMaximizedGroup()) api.exitMaximizedGroup()
      else {
        const panel = tool === undefined ? api.activePanel : api.getPanel(tool)
        if (panel) api.maximizeGroup(panel)
      }
    },
    resize: (part) => {
      if (api.hasMaximizedGroup()) api.exitMaximizedGroup()
      api.activeGroup?.api.setSize({ width: Math.round(window.innerWidth * part) })
    },
    moveToCentre: () => {
      const panel = toolInFront(api)
      const middle = mateIn(api, 'middle')
      if (!panel || !middle || panel.group === middle.group) return
      panel.api.moveTo({ group: middle.group })
      panel.api.setActive()
    },
    moveBelow: () => {
      const panel = toolInFront(api)
      if (!panel || panel.group.panels.length < 2) return
      panel.api.moveTo({ group: panel.group, position: 'bottom' })
      panel.api.setActive()
    },
    arrange: (task) => {
      const open = openFiles(api)
      const front = editorInFront(api)
      const path = front && filePathOf(front)
      api.clear()
      arrange(api, open, task)
      const panel = path && filePanels(api, path)[0]
      if (panel) enter(api, panel)
    },
    read: () => api.toJSON(),
    apply: (layout) => {
      const open = openFiles(api)
      const before = api.toJSON()
      try {
        api.fromJSON(layout as SerializedDockview)
      } catch {
        api.fromJSON(before)
        return false
      }
      dropUnknown(api)
      for (const path of open) if (filePanels(api, path).length === 0) addFilePanel(api, path)
      return true
    },
  }
}

function openFiles(api: DockviewApi): string[] {
  return [...new Set(api.panels.map(filePathOf).filter((path) => path !== null))]
}

/** The file that was used last, by its panel: links of tools open where one was. */
const lastUsed = new WeakMap<DockviewApi, IDockviewPanel>()

/** Remembers in which group of tabs files are opened. */
export function followFiles(api: DockviewApi): void {
  api.onDidActivePanelChange(() => {
    const { activePanel } = api
    if (activePanel && filePathOf(activePanel) !== null) lastUsed.set(api, activePanel)
  })
}

/** The editor in use; undefined where no file is open. */
function editorInFront(api: DockviewApi): IDockviewPanel | undefined {
  const last = lastUsed.get(api)
  if (last && api.panels.includes(last)) return last
  return api.panels.find((panel) => filePathOf(panel) !== null)
}

/** Of a file's editors the one in use, else one of the same group. */
function nearestEditor(api: DockviewApi, path: string): IDockviewPanel | undefined {
  const panels = filePanels(api, path)
  const front = editorInFront(api)
  return (
    panels.find((panel) => panel === front) ??
    panels.find((panel) => panel.group === front?.group) ??
    panels[0]
  )
}

/** The active panel, or where that is a file, the tool that was in front last at the right. */
function toolInFront(api: DockviewApi): IDockviewPanel | undefined {
  const active = api.activePanel
  if (active && filePathOf(active) === null) return active
  return mateIn(api, 'right')?.group.activePanel
}

/** The remembered layout where there is one that can still be read, else the default. */
export function restore(api: DockviewApi, folder: string): void {
  const saved = savedLayout(folder)
  if (saved !== null) {
    try {
      api.fromJSON(saved)
      dropUnknown(api)
      if (api.panels.length > 0) return
    } catch (problem) {
      notify('info', 'The saved layout could not be used. The default layout is shown.', {
        detail: problem instanceof Error ? (problem.stack ?? problem.message) : String(problem),
      })
    }
    api.clear()
  }
  arrange(api, firstFiles(), tasks[0])
}

/** The share of the window's width that the tools at the right take in each task. */
const shares: Record<Task, number> = { write: 0.38, check: 0.5, measure: 0.5, ship: 0.45 }

/** The layout of a task: Explorer at the left, files in the middle, the task's tools at the right, output below. */
function arrange(api: DockviewApi, files: string[], task: Task): void {
  const inArea = (area: Area): string[] =>
    panelFeatures()
      .filter(({ panel }) => panel.area === area)
      .map(({ id }) => id)
  // Those of no task in particular are open in all of them.
  const atLeft = inArea('left').filter((id) => {
    const tasksOf = featureOf(id)?.panel?.tasks
    return tasksOf === undefined || tasksOf[task] !== undefined
  })
  const inHalf = (half: 'above' | 'below'): string[] =>
    panelFeatures()
      .filter(({ panel }) => panel.area === 'right' && panel.tasks?.[task] === half)
      .map(({ id }) => id)
  for (const id of atLeft) addTool(api, id)
  for (const path of files) addFilePanel(api, path)
  const start = startPage()
  if (files.length === 0 && start !== undefined) addTool(api, start)
  const above = inHalf('above')
  const below = inHalf('below')
  for (const id of above) addTool(api, id)
  const upper = api.getPanel(above[0] ?? '')
  const [lowest, ...others] = below
  if (upper && lowest !== undefined) {
    const position = { referenceGroup: upper.group, direction: 'below' as const }
    const lower = addTool(api, lowest, { position })
    for (const id of others) addTool(api, id, { position: { referenceGroup: lower.group } })
  }
  const bottom = inArea('bottom')
  for (const id of bottom) addTool(api, id)
  for (const id of [atLeft.at(-1), bottom[0], below[0], above[0]]) {
    if (id !== undefined) api.getPanel(id)?.api.setActive()
  }
  // The first panel takes the whole window, whatever width it asked for.
  const left = api.getPanel(atLeft[0] ?? '')
  const hasTaskAtLeft = atLeft.some((id) => featureOf(id)?.panel?.tasks !== undefined)
  left?.group.api.setSize({ width: hasTaskAtLeft ? widerLeft() : leftWidth() })
  upper?.group.api.setSize({ width: Math.round(window.innerWidth * shares[task]) })
  const first = files[0]
  if (first !== undefined) filePanels(api, first)[0]?.api.setActive()
}

/** What to read first: the sources in the manifest's order, then the program and the manifest. */
function firstFiles(): string[] {
  const files = projectStore.getState().project?.files ?? []
  const of = (role: string): string[] =>
    files.filter((file) => file.role === role).map((file) => file.path)
  return [...of('source').slice(0, 3), ...of('program').slice(0, 1), ...of('manifest')]
}

/** Tabs of files that are gone, and of panels that this version does not have. */
function dropUnknown(api: DockviewApi): void {
  const files = new Set((projectStore.getState().project?.files ?? []).map((file) => file.path))
  for (const panel of [...api.panels]) {
    const path = filePathOf(panel)
    const known = path === null ? featureOf(panel.id)?.panel !== undefined : files.has(path)
    if (!known) api.removePanel(panel)
  }
}

function addTool(api: DockviewApi, tool: PanelId, place?: Position): IDockviewPanel {
  const feature = featureOf(tool)
  return api.addPanel({
    id: tool,
    component: tool,
    tabComponent: 'tool',
    title: feature?.title ?? tool,
    ...(place ?? positionIn(api, feature?.panel?.area ?? 'right')),
  })
}

function addFilePanel(api: DockviewApi, path: string, place?: Position): IDockviewPanel {
  let id = fileId(path)
  for (let number = 2; api.getPanel(id); number += 1) id = `file.${number}:${path}`
  return api.addPanel({
    id,
    component: 'file',
    tabComponent: 'file',
    title: path.slice(path.lastIndexOf('/') + 1),
    params: { path },
    ...(place ?? positionIn(api, 'middle')),
  })
}

function addTab(api: DockviewApi, feature: string, subject: string, id: string): IDockviewPanel {
  return api.addPanel({
    id,
    component: tabComponent(feature),
    tabComponent: 'tab',
    title: featureOf(feature)?.tab?.title(subject) ?? subject,
    params: { feature, subject },
    ...positionIn(api, 'middle'),
  })
}

type Position = Pick<AddPanelOptions, 'position' | 'initialWidth' | 'initialHeight' | 'inactive'>

/** Beside what is in that area already; else where the area belongs. */
function positionIn(api: DockviewApi, area: Area): Position {
  const mate = mateIn(api, area)
  if (mate) return { position: { referenceGroup: mate.group }, inactive: true }
  if (area === 'left') return { position: { direction: 'left' }, initialWidth: leftWidth() }
  if (area === 'right') return { position: { direction: 'right' }, initialWidth: rightWidth() }
  const middle = mateIn(api, 'middle')
  if (area === 'bottom') {
    return middle
      ? {
          position: { referenceGroup: middle.group, direction: 'below' },
          initialHeight: Math.round(window.innerHeight * 0.26),
        }
      : { position: { direction: 'below' }, initialHeight: 240 }
  }
  const bottom = mateIn(api, 'bottom')
  if (bottom) return { position: { referenceGroup: bottom.group, direction: 'above' } }
  const left = mateIn(api, 'left')
  if (left) return { position: { referenceGroup: left.group, direction: 'right' } }
  return { position: { direction: 'right' } }
}

/** A share of the window's width, within limits in text sizes: names have as many letters in larger text. */
function columnWidth(share: number, least: number, most: number): number {
  const { fontSize } = settingsStore.getState().settings
  return Math.round(
    Math.min(most * fontSize, Math.max(least * fontSize, window.innerWidth * share)),
  )
}

function leftWidth(): number {
  return columnWidth(0.14, 15.5, 18)
}

/** Of lists with a sentence in each row. */
function widerLeft(): number {
  return columnWidth(0.2, 17, 24.5)
}

function rightWidth(): number {
  return Math.round(Math.max(360, window.innerWidth * shares.write))
}

function mateIn(api: DockviewApi, area: Area): IDockviewPanel | undefined {
  const belongs = (panel: IDockviewPanel): boolean => {
    if (filePathOf(panel) !== null) return area === 'middle'
    return featureOf(panel.id)?.panel?.area === area
  }
  const active = api.activePanel
  if (active && belongs(active)) return active
  return area === 'middle'
    ? (editorInFront(api) ?? api.panels.find(belongs))
    : api.panels.find(belongs)
}

function bringUp(api: DockviewApi, panel: IDockviewPanel, focus: boolean): void {
  const before = api.activePanel
  const focused = document.activeElement
  showPlace(api, panel)
  panel.api.setActive()
  if (focus) {
    // Files take the focus themselves, once their editor is there.
    if (filePathOf(panel) === null) setTimeout(() => focusInside(panel), 0)
    return
  }
  if (before && before !== panel && before.group !== panel.group) before.api.setActive()
  if (!(focused instanceof HTMLElement) || focused === document.body) return
  if (canTake(focused)) focused.focus()
  // It is behind the panel now.
  else setTimeout(() => focusInside(panel), 0)
}

/** What another group covers cannot be seen. */
function showPlace(api: DockviewApi, panel: IDockviewPanel): void {
  if (api.hasMaximizedGroup() && !panel.api.isMaximized()) api.exitMaximizedGroup()
}

/** To the front, and the keyboard with it. */
function enter(api: DockviewApi, panel: IDockviewPanel): void {
  showPlace(api, panel)
  panel.api.setActive()
  const path = filePathOf(panel)
  if (path === null) setTimeout(() => focusInside(panel), 0)
  else openFile(path)
}

/** Where the work of a panel begins, the best first: in a list the entry that is chosen, else its first one. */
const beginnings = [
  '.split-list .entry-row[aria-pressed=true]',
  '[data-takes-focus]',
  '.split-list .section-body',
  '.split-body',
  '[role=tree]',
  '.case-form',
  '.scroll',
]

/**
 * In a panel with a list its first entry takes the keyboard, not the buttons of the panel's bar. A part that chose
 * itself where the keyboard goes, such as a heading of a page, keeps it.
 */
function focusInside(panel: IDockviewPanel): void {
  const content = panel.view.content.element
  if (content.querySelector('[data-keeps-focus]')?.contains(document.activeElement)) return
  const first = beginningOf(content)
  if (first) {
    first.focus()
    return
  }
  // A panel without controls takes the keyboard itself: in the panel before, keys would mean something else.
  content.tabIndex = -1
  content.focus()
  followContent(content)
}

/** Above the work of a panel, or there only until it is done. */
const asides = '.panel-bar *, [role=status] *, [aria-haspopup=menu]'

function beginningOf(content: HTMLElement): HTMLElement | undefined {
  return [...beginnings, null].flatMap((part) => {
    const place = part === null ? content : content.querySelector(part)
    const first = place && firstIn(place, asides)
    return first && first !== content ? [first] : []
  })[0]
}

/** What a panel is for may take a moment: a graph is captured first. It takes the keyboard if the panel still has it. */
function followContent(content: HTMLElement): void {
  const observer = new MutationObserver(() => {
    if (document.activeElement !== content) observer.disconnect()
    else beginningOf(content)?.focus()
  })
  observer.observe(content, { childList: true, subtree: true, attributeFilter: ['disabled'] })
}
