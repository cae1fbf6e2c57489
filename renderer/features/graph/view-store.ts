import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { WorkbenchError } from '../../../electron/contract/outcome'
import { observeGraph } from './capture'
import { graphStore, type GraphOverlay, type ShownGraph } from './graph'
import { painter } from './canvas/painter-client'
import type { Surface } from './canvas/surface'
import { graphClient } from './graph-client'
import { observeJob, shownGraph } from './jobs'
import type {
  ExportFormat,
  Inspection,
  OverlayResult,
  ShownHits,
  ShowResult,
} from './graph-messages'
import type { Box, FlowDirection, Surroundings, ViewId } from './paint/paint-messages'

/** What the panel shows of the graph: selection, search, folds. The graph itself is in the workers. */
type ViewState = {
  shown: Record<ViewId, ShowResult | null>
  /** What the pictures are of, with what it is compared with. */
  drawn: ShownGraph | null
  /** A layout is being made. */
  laying: boolean
  layingSince: number
  error: WorkbenchError | null
  /** Where the selection is; a click beside moves it there. */
  side: ViewId
  selected: number | null
  /** The far end of a path; Shift+click. */
  second: number | null
  path: number[] | null
  inspection: Inspection | null
  /** Said of the path, or of a key that led nowhere. */
  notice: string
  query: string
  search: ShownHits | null
  searchAt: number
  overlay: OverlayResult | null
  /** Boxes that the line under the editor's cursor became. */
  marked: number
  zoom: Record<ViewId, number>
  /** Line of the text to show, counted so that the same one can be asked for twice. */
  textLine: { line: number; nonce: number } | null
  frameTimes: number[]
}

export const viewStore = createStore<ViewState>(() => ({
  shown: { main: null, before: null },
  drawn: null,
  laying: false,
  layingSince: 0,
  error: null,
  side: 'main',
  selected: null,
  second: null,
  path: null,
  inspection: null,
  notice: '',
  query: '',
  search: null,
  searchAt: 0,
  overlay: null,
  marked: 0,
  zoom: { main: 1, before: 1 },
  textLine: null,
  frameTimes: [],
}))

export function useView<T>(select: (state: ViewState) => T): T {
  return useStore(viewStore, select)
}

const surfaces = new Map<ViewId, Surface>()
/** A picture that was not looked at yet is shown whole; later ones stay where the user was. */
const fitted = new Map<ViewId, string>()

export function surfaceOf(view: ViewId): Surface | null {
  return surfaces.get(view) ?? null
}

export function addSurface(view: ViewId, surface: Surface): () => void {
  surfaces.set(view, surface)
  const detach = painter.attach(view, surface)
  return () => {
    detach()
    if (surfaces.get(view) === surface) surfaces.delete(view)
    remembered.set(view, surface.viewport)
  }
}

/** Where a view was when its canvas was closed. */
const remembered = new Map<ViewId, Surface['viewport']>()
export function rememberedViewport(view: ViewId): Surface['viewport'] | null {
  return remembered.get(view) ?? null
}

/** The key of what is shown: the same thing after a build keeps its place on the screen. */
let placeKey = ''
/** Counts the searches: only the answer to the last one is shown. */
let searches = 0
/** The line of the editor whose nodes are marked. */
let markedLine = { file: '', line: 0 }

/** Another project: its graphs have other places, selections and searches. */
export function forgetView(): void {
  fitted.clear()
  remembered.clear()
  placeKey = ''
  clearSearch()
  markedLine = { file: '', line: 0 }
  viewStore.setState(viewStore.getInitialState(), true)
}

graphClient.onScene = (view, shift, isFinal, show) => {
  const surface = surfaces.get(view)
  const isKnown = fitted.get(view) === placeKey
  if (isKnown) surface?.follow(shift.dx, shift.dy)
  show()
  if (!surface || isKnown) return
  // A first layout is refined: until the user moves it, the picture is placed again each time.
  if (!surface.wasMoved || surface.size.width === 0) surface.start()
  if (isFinal) fitted.set(view, placeKey)
}

/** Lays out what the store shows. Selection and place are kept where the graph is the same thing. */
export async function showGraph(): Promise<void> {
  const shown = shownGraph()
  const { choice } = graphStore.getState()
  if (!shown) return
  const key = `${shown.shot.key} ${shown.step}`
  const sameThing = key === placeKey
  placeKey = key
  const { compare } = shown
  const beside = choice.beside && compare !== null
  const before = viewStore.getState()
  const selected = sameThing && before.side === 'main' ? before.selected : null
  viewStore.setState({ laying: true, layingSince: Date.now(), error: null })
  if (!sameThing) {
    clearSelection()
    for (const surface of surfaces.values()) surface.wasMoved = false
  }
  // A search is of one model: in another it would only dim the picture.
  if (before.drawn && before.drawn.shot.model !== shown.shot.model) clearSearch()
  try {
    const hold = selected ?? (await middleItem('main'))
    const main = await graphClient.ask('show', {
      view: 'main',
      doc: shown.graph.doc,
      compare: compare === null ? null : { doc: compare.graph.doc, removed: !beside },
      isBefore: false,
      showConstants: choice.showConstants,
      hold,
      selected,
    })
    let older: ShowResult | null = null
    if (beside) {
      older = await graphClient.ask('show', {
        view: 'before',
        doc: compare.graph.doc,
        compare: { doc: shown.graph.doc, removed: false },
        isBefore: true,
        showConstants: choice.showConstants,
        hold: null,
        selected: null,
      })
    } else if (before.shown.before) await graphClient.ask('hide', { view: 'before' })
    if (shownGraph() !== shown) return
    viewStore.setState({ shown: { main, before: older }, drawn: shown, laying: false })
    if (main.selected !== before.selected || !sameThing) await select(main.selected)
    else await refreshSelection()
    await showOverlay()
    await markAgain()
    if (viewStore.getState().query !== '') await search(viewStore.getState().query)
  } catch (problem) {
    viewStore.setState({ laying: false, drawn: shown, error: asError(problem) })
  }
}

function asError(problem: unknown): WorkbenchError {
  return {
    code: 'internal',
    message: 'Opsmith could not draw the graph, because of a bug in Opsmith. Report the details.',
    detail: problem instanceof Error ? (problem.stack ?? problem.message) : String(problem),
  }
}

/** What is in the middle of the screen stays there when nothing is selected. */
async function middleItem(view: ViewId): Promise<number | null> {
  const surface = surfaces.get(view)
  if (!surface || fitted.get(view) !== placeKey) return null
  const { x, y } = surface.world(surface.cssWidth / 2, surface.cssHeight / 2)
  return painter.ask('nearest', { view, x, y })
}

export function clearSelection(): void {
  const none = { selected: null, second: null, path: null, inspection: null, notice: '' }
  viewStore.setState(none)
  graphStore.setState({ selectedPlace: null })
  highlightSelection(null)
}

/** Selects a box; `reveal` brings it into view. */
export async function select(
  key: number | null,
  options: { view?: ViewId; reveal?: boolean } = {},
): Promise<void> {
  const view = options.view ?? viewStore.getState().side
  if (key === null) {
    clearSelection()
    return
  }
  viewStore.setState({ side: view, selected: key, second: null, path: null, notice: '' })
  // What somebody looks at must not be moved by a window that changes its size.
  const surface = surfaces.get(view)
  if (surface) surface.wasMoved = true
  await refreshSelection()
  if (options.reveal === true) await revealKey(view, key)
}

async function refreshSelection(): Promise<void> {
  const { selected, side } = viewStore.getState()
  if (selected === null) return
  const [inspection, around] = await Promise.all([
    graphClient.ask('inspect', { view: side, key: selected }),
    painter.ask('surroundings', { view: side, key: selected }),
  ])
  if (viewStore.getState().selected !== selected) return
  viewStore.setState({ inspection })
  graphStore.setState({ selectedPlace: inspection?.source ?? null })
  highlightSelection(around)
}

function highlightSelection(around: Surroundings | null): void {
  const { side } = viewStore.getState()
  for (const [view, surface] of surfaces) {
    if (view !== side || around === null) {
      surface.setSelection(null)
      continue
    }
    const { box, producers, users } = around
    surface.setSelection({ selected: box, second: null, producers, users, path: null })
  }
}

export async function revealKey(view: ViewId, key: number): Promise<void> {
  const { boxes } = await painter.ask('boxes', { view, keys: [key] })
  const box = boxes[0]
  if (box) surfaces.get(view)?.reveal(box)
}

/** The way of the data between the selected box and another, whichever of the two comes first. */
export async function selectPath(to: number): Promise<void> {
  const { selected, side: view } = viewStore.getState()
  if (selected === null || selected === to) {
    await select(to)
    return
  }
  const path =
    (await graphClient.ask('path', { view, from: selected, to })) ??
    (await graphClient.ask('path', { view, from: to, to: selected }))
  const around = await painter.ask('boxes', { view, keys: path ?? [selected, to] })
  const [first, last] = [
    await painter.ask('boxes', { view, keys: [selected] }),
    await painter.ask('boxes', { view, keys: [to] }),
  ]
  const notice =
    path === null ? 'No data flows from one node to the other.' : `Path of ${path.length} nodes.`
  viewStore.setState({ second: to, path, notice })
  surfaces.get(view)?.setSelection({
    selected: first.boxes[0] ?? null,
    second: last.boxes[0] ?? null,
    producers: null,
    users: null,
    path: path === null ? null : around,
  })
}

export async function walkTo(direction: FlowDirection): Promise<void> {
  const { selected, side: view } = viewStore.getState()
  const surface = surfaces.get(view)
  if (!surface) return
  const { x, y } = surface.world(surface.cssWidth / 2, surface.cssHeight / 3)
  const key = await painter.ask('walk', { view, key: selected, direction, x, y })
  if (key !== null) await select(key, { view, reveal: true })
}

export async function fold(
  what: 'toggle' | 'alike' | 'all' | 'none',
  key: number | null = null,
): Promise<void> {
  const { side: view, selected, shown } = viewStore.getState()
  if (shown[view] === null) return
  viewStore.setState({ laying: true, layingSince: Date.now() })
  try {
    const result = await graphClient.ask('fold', { view, what, key: key ?? selected })
    viewStore.setState((state) => ({ laying: false, shown: { ...state.shown, [view]: result } }))
    if (result.selected !== selected) await select(result.selected)
    else await refreshSelection()
    await showOverlay()
    await markAgain()
    await search(viewStore.getState().query)
  } catch (problem) {
    viewStore.setState({ laying: false, error: asError(problem) })
  }
}

/** Whether the selected box can be folded or unfolded; null if nothing is selected. */
export async function canFoldSelected(): Promise<boolean | null> {
  const { selected, side: view, inspection: known } = viewStore.getState()
  if (selected === null) return null
  const inspection =
    known?.key === selected ? known : await graphClient.ask('inspect', { view, key: selected })
  if (!inspection) return false
  return inspection.kind === 'group' || inspection.folded || inspection.size > 1
}

/** Opens what a node is folded into, selects it and brings it into view. */
export async function goToNode(node: number): Promise<void> {
  const key = await graphClient.ask('reveal', { view: 'main', node })
  if (key !== null) await select(key, { view: 'main', reveal: true })
}

export async function search(query: string): Promise<void> {
  searches += 1
  const mine = searches
  viewStore.setState({ query })
  const result = await graphClient.ask('search', { view: 'main', query })
  if (mine !== searches) return
  viewStore.setState({ search: query.trim() === '' ? null : result, searchAt: -1 })
}

function clearSearch(): void {
  // An answer that is still on its way is to the query of before.
  searches += 1
  viewStore.setState({ query: '', search: null, searchAt: -1 })
}

export async function nextHit(step: 1 | -1): Promise<void> {
  const { search: found, searchAt } = viewStore.getState()
  if (!found?.ok || found.keys.length === 0) return
  const from = searchAt < 0 && step < 0 ? 0 : searchAt
  const at = (from + step + found.keys.length) % found.keys.length
  viewStore.setState({ searchAt: at })
  await select(found.keys[at] ?? null, { view: 'main', reveal: true })
}

/** Colours the boxes by what one run of the graph saw; runs it if it was not run yet. */
export async function showOverlay(): Promise<void> {
  const shown = shownGraph()
  const { value: observation, error: observeError } = observeJob.store.getState()
  const kind: GraphOverlay = graphStore.getState().choice.overlay
  if (!shown) return
  const isObserved = observation?.doc === shown.graph.doc
  if (kind !== 'none' && !isObserved && shown.shot.report && !observeError) {
    // The answer comes back as a changed store, and with it this function is called again.
    void observeGraph()
    return
  }
  const value = isObserved ? observation.value : null
  const before = viewStore.getState().overlay
  if (kind === 'none' && before === null) return
  const overlay = await graphClient.ask('overlay', { view: 'main', kind, observation: value })
  viewStore.setState({ overlay: kind === 'none' ? null : overlay })
  await refreshSelection()
}

/** Marks the nodes that a line of a source became. */
export async function markLine(file: string, line: number): Promise<number[]> {
  const mine = { file, line }
  markedLine = mine
  const keys = line > 0 ? await graphClient.ask('atLine', { view: 'main', file, line }) : []
  const boxes: Box[] =
    keys.length === 0 ? [] : (await painter.ask('boxes', { view: 'main', keys })).boxes
  if (markedLine !== mine) return keys
  surfaces.get('main')?.setMarked(boxes)
  viewStore.setState({ marked: boxes.length })
  return keys
}

/** After a layout: the same line's nodes may be elsewhere, or others. */
async function markAgain(): Promise<void> {
  await markLine(markedLine.file, markedLine.line)
}

export async function exportText(format: ExportFormat, dark: boolean): Promise<string> {
  return graphClient.ask('export', { view: 'main', format, dark })
}

export async function goToTextLine(line: number): Promise<void> {
  const node = await graphClient.ask('atText', { view: 'main', line })
  if (node !== null) await goToNode(node)
}
