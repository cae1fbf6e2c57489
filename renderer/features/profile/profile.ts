import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import { effectiveInputs } from '../../store/inputs'

/** What is profiled, as the fields say it. */
export type ProfileDraft = {
  /** An operator, libtorch's included, or a function of the program; "" until there is one. */
  op: string
  argsText: string
  backward: boolean
  threads: number
}

export const profileViews = ['timeline', 'flame', 'table', 'memory'] as const
export type ProfileView = (typeof profileViews)[number]

/** An event of the run, or a node of the flame graph. */
export type ProfileSelection = { kind: 'event' | 'flame'; index: number }

export type ProfileState = {
  draft: ProfileDraft
  view: ProfileView
  selection: ProfileSelection | null
  /** Names that contain it are marked; "" marks none. */
  search: string
}

export const profileStore = createStore<ProfileState>(() => ({
  draft: { op: '', argsText: '', backward: false, threads: 1 },
  view: 'timeline',
  selection: null,
  search: '',
}))

export function useProfile<T>(select: (state: ProfileState) => T): T {
  return useStore(profileStore, select)
}

/** What a profile depends on, beside the sources. */
export function profileKey(draft: ProfileDraft): string {
  return JSON.stringify([draft, effectiveInputs()])
}
