import { createStore } from 'zustand/vanilla'

import type { SavedChoice } from '../store/feature'
import type { Monaco } from './monaco'

type ViewState = Monaco.editor.ICodeEditorViewState

/** Caret, scroll and folds by file, for a tab or a project that is opened again. */
const store = createStore<Readonly<Record<string, ViewState>>>(() => ({}))

/** Editors that are open, by what reads their state now. */
const open = new Set<() => void>()

/** Files whose state is kept; the ones used longest ago go first. */
const most = 40
/** Milliseconds after the last move. */
const delay = 700

export function viewStateOf(path: string): ViewState | null {
  return store.getState()[path] ?? null
}

/** Keeps where the editor of a file is from now on; call what comes back before the editor is disposed. */
export function followView(path: string, editor: Monaco.editor.ICodeEditor): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const keep = (): void => {
    clearTimeout(timer)
    const state = editor.saveViewState()
    if (state === null) return
    const { [path]: _before, ...others } = store.getState()
    const kept = [...Object.entries(others), [path, state] as const].slice(-most)
    store.setState(Object.fromEntries(kept), true)
  }
  const later = (): void => {
    clearTimeout(timer)
    timer = setTimeout(keep, delay)
  }
  const listeners = [editor.onDidChangeCursorPosition(later), editor.onDidScrollChange(later)]
  open.add(keep)
  return () => {
    keep()
    open.delete(keep)
    for (const listener of listeners) listener.dispose()
  }
}

/** Takes what moved in the last moment. */
export function keepViews(): void {
  for (const keep of open) keep()
}

/** Another project opens: its files may have the same names. */
export function forgetViews(): void {
  store.setState({}, true)
}

/** From one session to the next, by project. */
export const savedViews: SavedChoice = {
  stores: [store],
  read: store.getState,
  restore: (saved) => {
    if (typeof saved !== 'object' || saved === null) return
    const states = Object.entries(saved).filter(([, state]) => isViewState(state))
    store.setState(Object.fromEntries(states), true)
  },
}

/** Monaco reads these without looking. */
function isViewState(value: unknown): value is ViewState {
  if (typeof value !== 'object' || value === null) return false
  const { cursorState, viewState, contributionsState } = value as Partial<ViewState>
  return (
    Array.isArray(cursorState) &&
    typeof viewState === 'object' &&
    typeof viewState.firstPosition === 'object' &&
    typeof contributionsState === 'object'
  )
}
