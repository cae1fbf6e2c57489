import type { SerializedDockview } from 'dockview-react'

import { call } from '../bridge/bridge'

/** Layouts by project, the newest last; what was not used for long is forgotten. */
type Saved = { version: 1; layouts: [folder: string, layout: SerializedDockview][] }

const kept = 20
const saveDelay = 800

let layouts: Saved['layouts'] = []
let timer: ReturnType<typeof setTimeout> | undefined

export async function loadLayouts(): Promise<void> {
  const result = await call('layout.get', {})
  if (!result.ok || result.value === '') return
  try {
    const saved = JSON.parse(result.value) as Partial<Saved>
    if (saved.version === 1 && Array.isArray(saved.layouts)) layouts = saved.layouts
  } catch {
    // A broken file is as good as none: the default layout is shown and saved over it.
  }
}

export function savedLayout(folder: string): SerializedDockview | null {
  return layouts.find(([name]) => name === folder)?.[1] ?? null
}

export function saveLayoutSoon(folder: string, layout: SerializedDockview): void {
  layouts = [...layouts.filter(([name]) => name !== folder), [folder, layout]]
  layouts = layouts.slice(-kept)
  clearTimeout(timer)
  timer = setTimeout(() => void saveLayoutsNow(), saveDelay)
}

export async function saveLayoutsNow(): Promise<void> {
  clearTimeout(timer)
  if (layouts.length === 0) return
  const saved: Saved = { version: 1, layouts }
  await call('layout.set', { layout: JSON.stringify(saved) })
}
