import { featureOf } from '../store/feature'
import { filesStore } from '../store/files'
import { beforeJump, layoutStore, openFileAgain, showPanel } from '../store/layout'
import {
  currentPlace,
  forgetPlaces,
  hasPlace,
  notePlace,
  stepPlace,
  type Place,
} from '../store/places'
import { currentFolder, projectStore } from '../store/project'
import { canTake } from './keep-focus'

/** Milliseconds that a caret rests before its place counts: a file that opens moves it several times. */
const rest = 120

let timer: ReturnType<typeof setTimeout> | undefined

/** From now on the places of the caret are kept, and the panels from which somebody went to a source. */
export function followPlaces(): void {
  filesStore.subscribe((now, before) => {
    if (now.active === before.active) return
    clearTimeout(timer)
    timer = setTimeout(noteCaret, rest)
  })
  let folder = currentFolder()
  projectStore.subscribe(() => {
    if (currentFolder() === folder) return
    folder = currentFolder()
    clearTimeout(timer)
    timer = undefined
    forgetPlaces()
  })
  beforeJump(() => {
    const id = activePanel()
    const element = document.activeElement
    if (id === null || timer !== undefined) noteCaret()
    if (id !== null && element) notePlace({ kind: 'panel', id, element: new WeakRef(element) })
  })
}

function noteCaret(): void {
  clearTimeout(timer)
  timer = undefined
  const { active } = filesStore.getState()
  if (active) notePlace({ kind: 'file', ...active })
}

/** The panel that has the keyboard; null while a file has it. */
function activePanel(): string | null {
  const id = layoutStore.getState().dock?.activeTool() ?? null
  return id !== null && featureOf(id)?.panel ? id : null
}

/** In a panel that somebody went to by its own key, back is the source. */
function isAwayFromPlace(): boolean {
  const here = currentPlace()
  return here?.kind === 'file' && activePanel() !== null
}

export function canGo(step: 1 | -1): boolean {
  return hasPlace(step) || (step < 0 && isAwayFromPlace())
}

export function go(step: 1 | -1): void {
  const isAway = step < 0 && isAwayFromPlace()
  if (!isAway) noteCaretOfFile()
  const place = isAway ? currentPlace() : stepPlace(step, canShow)
  if (place?.kind === 'file') openFileAgain(place)
  else if (place) showAgain(place.id, place.element.deref())
}

/** The caret may have moved a moment ago. */
function noteCaretOfFile(): void {
  if (activePanel() === null) noteCaret()
}

function showAgain(id: string, element: Element | undefined): void {
  showPanel(id)
  // After the panel has chosen a place for the keyboard.
  setTimeout(() => {
    if (element && canTake(element)) element.focus()
  }, 0)
}

function canShow(place: Place): boolean {
  if (place.kind === 'panel') return featureOf(place.id)?.panel !== undefined
  const { path } = place
  const isOpen = filesStore.getState().files[path] !== undefined
  return (
    isOpen || projectStore.getState().project?.files.some((file) => file.path === path) === true
  )
}
