import type { SerializedDockview } from 'dockview-react'

import { call } from '../bridge/bridge'
import { graphStore } from '../features/graph/graph'
import { restoreChoice, savedChoice } from '../features/graph/graph-saved'

/** Layouts by project, the newest last, and what was chosen in panels; what was not used for long is forgotten. */
type Saved = {
  version: 1
  layouts: [folder: string, layout: SerializedDockview][]
  graphs?: [folder: string, choice: unknown][]
}

const kept = 20
const saveDelay = 800

let layouts: Saved['layouts'] = []
let graphs: NonNullable<Saved['graphs']> = []
let timer: ReturnType<typeof setTimeout> | undefined

export async function loadLayouts(): Promise<void> {
  const result = await call('layout.get', {})
  if (!result.ok || result.value === '') return
  try {
    const saved = JSON.parse(result.value) as Partial<Saved>
    if (saved.version !== 1) return
    if (Array.isArray(saved.layouts)) layouts = saved.layouts
    if (Array.isArray(saved.graphs)) graphs = saved.graphs
  } catch {
    // A broken file is as good as none: the default layout is shown and saved over it.
  }
}

export function savedLayout(folder: string): SerializedDockview | null {
  return layouts.find(([name]) => name === folder)?.[1] ?? null
}

export function saveLayoutSoon(folder: string, layout: SerializedDockview): void {
  layouts = latest(layouts, folder, layout)
  saveSoon()
}

/** Restores what was chosen in this project's panels, and keeps what is chosen from now on. */
export function followChoices(folder: string): () => void {
  restoreChoice(graphs.find(([name]) => name === folder)?.[1])
  return graphStore.subscribe((now, before) => {
    if (now.choice === before.choice) return
    const choice = savedChoice()
    if (choice === null) return
    graphs = latest(graphs, folder, choice)
    saveSoon()
  })
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
  if (layouts.length === 0) return
  const saved: Saved = { version: 1, layouts, graphs }
  await call('layout.set', { layout: JSON.stringify(saved) })
}
