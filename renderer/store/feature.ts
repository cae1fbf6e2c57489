import type { FunctionComponent, ReactElement } from 'react'

import type { Diagnostic } from '../../electron/contract/diagnostics'
import type { Command } from './commands'
import type { AnyJob } from './job'

/**
 * A feature is a folder of renderer/features. Its index.ts declares what the shell needs to know:
 * dock, palette, menus, shortcuts, Stop, badges, Problems, the refresh after a build and the reset
 * when a project closes all read these declarations, and no list elsewhere names the features.
 */
export type Feature = {
  /** The name of its folder. */
  id: string
  /** The title of its panel, and the group of its commands. */
  title: string
  panel?: PanelDeclaration
  tab?: TabDeclaration
  /** Shown in the panel's tab, after the title. */
  Badge?: FunctionComponent
  commands?: readonly Command[]
  /** What can run and be stopped. */
  jobs?: readonly AnyJob[]
  problems?: ProblemSource
  explorer?: ExplorerSource
  /** Entries of the Explorer's menu for files and folders. */
  fileActions?: readonly FileAction[]
  /** A group of the Tests panel, and marks in the editors. */
  tests?: TestSource
  refresh?: Refresh
  manifest?: readonly ManifestWatch[]
  /** What is chosen in its panel is kept by project, from one window to the next. */
  choice?: SavedChoice
  /** What its panel shows is kept by project, and shown in the next session as one of this. */
  results?: SavedResults
  /** Called once, when the window starts. */
  start?: () => void
  /** Called when a project was opened, before its first build. */
  enter?: () => void
  /** Another project opens, or none: drops what is known of the old one. Its jobs are reset already. */
  forget?: () => void
  /** What end-to-end tests may ask of the feature. */
  testHook?: () => unknown
}

export type Area = 'left' | 'middle' | 'bottom' | 'right'

/** What a user is at. Each task has a layout of its own; a project opens with that of the first. */
export const tasks = ['write', 'check', 'measure', 'ship'] as const
export type Task = (typeof tasks)[number]
export const taskTitles: Record<Task, string> = {
  write: 'Write',
  check: 'Check',
  measure: 'Measure',
  ship: 'Ship',
}

export type PanelDeclaration = {
  Panel: FunctionComponent
  /** An SVG path on a 16 x 16 grid, drawn as a line of 1.4 px. */
  icon: string
  /** What the "?" of its tab says. */
  help: PanelHelp
  /** Where it opens. */
  area: Area
  /** Its place among the panels of its area. */
  order: number
  /** The layouts in which a panel at the right is open from the start, in the upper or the lower half. */
  tasks?: Partial<Record<Task, 'above' | 'below'>>
  /** Brings the panel to the front. */
  shortcut?: string
  /** What it shows in place of the workbench while no project is open. */
  Page?: FunctionComponent
  /** Its page is what a window without a project begins with. */
  isStartPage?: true
  /** The section of the project menu that lists it. */
  menu?: 'project' | 'tools'
}

/** A view of one thing, as a tab among the files: a file next to its last commit. Dock.showTab() opens it. */
export type TabDeclaration = {
  Tab: FunctionComponent<{ subject: string }>
  title: (subject: string) => string
  /** An SVG path, as a panel's. */
  icon: string
}

/** For somebody who sees the panel for the first time. */
export type PanelHelp = {
  /** What it is for and how to begin, a paragraph each. */
  about: readonly string[]
  /** Keys of its own, while the keyboard is in it; its commands' shortcuts are listed with them. */
  keys?: readonly (readonly [key: string, meaning: string])[]
}

/** A part of the Problems panel and of the editors' markers. */
export type ProblemSource = {
  /** `current` is asked again when one of these changes, or a file, the project, a build or the schemas. */
  stores: readonly Watched[]
  /** Answers with the same array while nothing changed. */
  current: () => readonly Diagnostic[]
}

export type Watched = { subscribe: (listener: () => void) => () => void }

/** Rows of opsmith.json in the Explorer. */
export type ExplorerSource = {
  /** Features may share a section. */
  section: string
  order: number
  /** A hook: the rows of the project that is open. */
  useRows: () => readonly ExplorerRow[]
}

export type ExplorerRow = {
  kind: string
  icon: ReactElement
  text: string
  /** Tells the row from others of the same operator. */
  note?: string
  title: string
  open: () => void
}

/** What can be done with a file or a folder of the project. */
export type FileAction = {
  id: string
  title: string
  /** Entries of the same tens are one section of the menu; lower ones come first. */
  order: number
  applies: (entry: FileEntry) => boolean
  /** @param path relative to the project */
  run: (path: string) => void | Promise<void>
}

export type FileEntry = {
  /** Relative to the project. */
  path: string
  kind: 'file' | 'folder'
}

/** How a test came out, against what is expected of it. */
export type TestState = 'none' | 'passed' | 'failed' | 'crashed' | 'skipped'

/** A function in the sources. */
export type TestPlace = { name: string; file: string; line: number }

/** A call, gradcheck, operator check or benchmark of opsmith.json, or a test in Python, with what is known of it. */
export type TestRow = {
  title: string
  /** Tells it from others of the same title. */
  particular: string
  /** The last verdict, also while the test runs again. */
  state: TestState
  isRunning: boolean
  /** The verdict in a word or a number: "passed", "fails", "2.1 ms"; "" for none. */
  word: string
  /** Of older sources than these. */
  isOld: boolean
  /** How long it took; null where that is not known. */
  seconds: number | null
  /** Why it failed, in a sentence; "" where it did not. */
  why: string
  /** Where to look: the function that failed, else the operator's kernel; null where no source is known. */
  place: TestPlace | null
  run: () => void | Promise<void>
  /** Shows it in the panel that it belongs to. */
  open: () => void
}

/** A group of the Tests panel. */
export type TestSource = {
  title: string
  order: number
  /** `current` is asked again when one of these changes, or the project, a source or the schemas. */
  stores: readonly Watched[]
  current: () => readonly TestRow[]
  runAll: () => void | Promise<void>
  isRunning: () => boolean
  /** "Run all" leaves it out: it takes the whole machine for a while. */
  isOnlyAlone?: true
}

/** Shows again, after a good build or a saved program, what the feature showed before. */
export type Refresh = {
  /** Lower ones run first, equal ones together: the op host does one thing at a time. */
  order: number
  run: (cause: 'build' | 'program') => Promise<void>
  /** Called instead of `run` if the newest build failed or was stopped, and no library was loaded. */
  withoutLibrary?: () => void
}

/** A part of opsmith.json whose change matters without a build. */
export type ManifestWatch = {
  reads: () => unknown
  /**
   * @param state.building a build began because of the same change
   * @param state.isBuilt operators are loaded and no build runs
   */
  changed: (state: { building: boolean; isBuilt: boolean }) => void
}

export type SavedChoice = {
  stores: readonly Watched[]
  /** As JSON; null while there is nothing to keep. */
  read: () => unknown
  /** Takes what read() gave in an earlier window; undefined where there was none. Foreign values must do no harm. */
  restore: (saved: unknown) => void
}

export type SavedResults = {
  stores: readonly Watched[]
  /** As JSON, the numbers that are not finite included; null while there is nothing to keep. */
  read: () => unknown
  /** Takes what read() gave in an earlier session, maybe of another version. What is shown by now stays. */
  restore: (saved: unknown) => void
}

export function defineFeature(feature: Feature): Feature {
  return feature
}

let known: readonly Feature[] = []

/** Called once by renderer/shell/main.tsx, before anything else runs. */
export function registerFeatures(features: readonly Feature[]): void {
  const areas: readonly Area[] = ['left', 'middle', 'bottom', 'right']
  const place = ({ panel }: Feature): number =>
    panel ? areas.indexOf(panel.area) * 1000 + panel.order : -1
  known = [...features].sort((a, b) => place(a) - place(b) || a.id.localeCompare(b.id))
}

/** All features, in the order of their panels. */
export function allFeatures(): readonly Feature[] {
  return known
}

export function featureOf(id: string): Feature | undefined {
  return known.find((feature) => feature.id === id)
}

/** Those with a panel. */
export function panelFeatures(): readonly (Feature & { panel: PanelDeclaration })[] {
  return known.flatMap((feature) => (feature.panel ? [{ ...feature, panel: feature.panel }] : []))
}

/** Those with tabs among the files. */
export function tabFeatures(): readonly (Feature & { tab: TabDeclaration })[] {
  return known.flatMap((feature) => (feature.tab ? [{ ...feature, tab: feature.tab }] : []))
}

/** The page of a window without a project; undefined where no feature has one. */
export function startPage(): string | undefined {
  return known.find((feature) => feature.panel?.isStartPage)?.id
}

export function explorerSources(): readonly ExplorerSource[] {
  const sources = known.flatMap((feature) => (feature.explorer ? [feature.explorer] : []))
  return sources.sort((a, b) => a.order - b.order)
}

/** What can be done with this file or folder, in the order of a menu. */
export function fileActionsFor(entry: FileEntry): readonly FileAction[] {
  const actions = known.flatMap((feature) => feature.fileActions ?? [])
  return actions.filter(({ applies }) => applies(entry)).sort((a, b) => a.order - b.order)
}

export function allJobs(): readonly AnyJob[] {
  return known.flatMap((feature) => feature.jobs ?? [])
}
