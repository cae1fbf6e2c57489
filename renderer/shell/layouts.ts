import type { SerializedDockview } from 'dockview-react'
import { createStore } from 'zustand/vanilla'

import { call } from '../bridge/bridge'
import { forgetViews, savedViews } from '../editor/view-states'
import { commandStore } from '../store/commands'
import { allFeatures } from '../store/feature'
import { layoutStore } from '../store/layout'
import { notify } from '../store/notifications'

/** Layouts by project, the newest last, and what was chosen in panels; what was not used for long is forgotten. */
type Saved = {
  version: 1
  layouts: [folder: string, layout: SerializedDockview][]
  choices?: [folder: string, byFeature: Record<string, unknown>][]
  /** Those that the user named, for all projects, by name. */
  named?: Record<string, unknown>
  recentCommands?: readonly string[]
}

const kept = 20
const saveDelay = 800

let layouts: Saved['layouts'] = []
let choices: NonNullable<Saved['choices']> = []
/** The layouts that the user named. */
export const namedLayouts = createStore<Record<string, unknown>>(() => ({}))
let timer: ReturnType<typeof setTimeout> | undefined

export async function loadLayouts(): Promise<void> {
  const result = await call('layout.get', {})
  if (!result.ok || result.value === '') return
  try {
    const saved = JSON.parse(result.value) as Partial<Saved>
    if (saved.version !== 1) return
    if (Array.isArray(saved.layouts)) layouts = saved.layouts
    if (Array.isArray(saved.choices)) choices = saved.choices
    if (isObject(saved.named)) namedLayouts.setState(saved.named, true)
    if (Array.isArray(saved.recentCommands)) {
      commandStore.setState({ recent: saved.recentCommands })
    }
  } catch {
    // A broken file is as good as none: the default layout is shown and saved over it.
  }
}

/** From now on, what is chosen in the palette is kept. */
export function followRecentCommands(): void {
  commandStore.subscribe((now, before) => {
    if (now.recent !== before.recent) saveSoon()
  })
}

export function savedLayout(folder: string): SerializedDockview | null {
  return layouts.find(([name]) => name === folder)?.[1] ?? null
}

export function saveLayoutSoon(folder: string, layout: SerializedDockview): void {
  layouts = latest(layouts, folder, layout)
  saveSoon()
}

/** Keeps a layout under a name; one of that name is replaced. */
export function nameLayout(name: string, layout: unknown): void {
  namedLayouts.setState({ [name]: layout })
  saveSoon()
}

/** Arranges the panels as they were when the layout was named. */
export function applyLayout(name: string): void {
  const { dock } = layoutStore.getState()
  if (dock && !dock.apply(namedLayouts.getState()[name])) {
    notify('error', `The layout “${name}” cannot be read. Delete this layout, and save a new one.`)
  }
}

export function forgetLayout(name: string): void {
  const { [name]: _forgotten, ...others } = namedLayouts.getState()
  namedLayouts.setState(others, true)
  saveSoon()
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Restores what was chosen in this project's panels, and keeps what is chosen from now on. */
export function followChoices(folder: string): () => void {
  const saved = choices.find(([name]) => name === folder)?.[1] ?? {}
  forgetViews()
  const ofFeatures = allFeatures().flatMap(({ id, choice }) => (choice ? [{ id, choice }] : []))
  const stops = [...ofFeatures, { id: 'editor', choice: savedViews }].flatMap(({ id, choice }) => {
    choice.restore(saved[id])
    let before = JSON.stringify(choice.read())
    const keep = (): void => {
      const value = choice.read()
      const now = JSON.stringify(value)
      if (value === null || now === before) return
      before = now
      const known = choices.find(([name]) => name === folder)?.[1] ?? {}
      choices = latest(choices, folder, { ...known, [id]: value })
      saveSoon()
    }
    return choice.stores.map((store) => store.subscribe(keep))
  })
  return () => {
    for (const stop of stops) stop()
  }
}

function latest<T>(list: [string, T][], folder: string, value: T): [string, T][] {
  const others = list.filter(([name]) => name !== folder)
  return [...others, [folder, value] as [string, T]].slice(-kept)
}

function saveSoon(): void {
  clearTimeout(timer)
  timer = setTimeout(() => void saveLayoutsNow(), saveDelay)
}

export async function saveLayoutsNow(): Promise<void> {
  clearTimeout(timer)
  const { recent: recentCommands } = commandStore.getState()
  const named = namedLayouts.getState()
  if (layouts.length === 0 && recentCommands.length === 0) return
  const saved: Saved = { version: 1, layouts, choices, recentCommands, named }
  await call('layout.set', { layout: JSON.stringify(saved) })
}
