import { changeChoice, type GraphChoice } from './graph'
import { graphActions } from './graph-actions'
import { captureGraph, showAgain } from './capture'
import { compareWithFile, openGraphFile, saveGraphModule } from './graph-files'
import { graphError, isGraphWorking, shownGraph } from './jobs'
import { painter } from './canvas/painter-client'
import type { Surface, Viewport } from './canvas/surface'
import type { Box } from './paint/paint-messages'
import { goToNode, surfaceOf, viewStore } from './view-store'

/** What tests and the benchmark see of the picture, which is pixels to everybody else. */
export type GraphTest = {
  state(): {
    title: string
    step: number
    steps: { name: string; nodes: number }[]
    boxes: number
    lines: number
    folded: number
    layoutSeconds: number
    firstSeconds: number
    working: boolean
    error: string
    selected: string
    inspection: unknown
    changes: { added: number; removed: number; changed: number } | null
    changed: { kind: string; title: string; words: string[] }[]
    hits: number
    /** Boxes of the line that the editor's cursor is in. */
    marked: number
    compare: string
    viewport: Viewport | null
    /** All that is in view is painted as it should be. */
    complete: boolean
  }
  choose(change: Partial<GraphChoice>, capture: boolean): Promise<void>
  openFile(path: string): Promise<void>
  compareFile(path: string): Promise<void>
  save(path: string): Promise<void>
  exportAs(format: string, path: string): Promise<string | null>
  select(node: number): Promise<void>
  /** Where a node's box is, in CSS pixels of the window; null when it is not drawn. */
  boxOf(node: number): Promise<Box | null>
  setViewport(viewport: Viewport): void
  fit(): void
  /** By CSS pixels a frame. */
  pan(dx: number, dy: number, frames: number): Promise<Motion>
  zoom(factor: number, frames: number): Promise<Motion>
  /** Opens a file and answers when, in milliseconds, something of it was to be seen, and all of it. */
  timeOpen(path: string): Promise<{ first: number; whole: number }>
}

/** Milliseconds between frames and for composing each, while the picture is moved a step a frame. */
export type Motion = {
  frames: number[]
  drawing: number[]
  /** Frames in which everything in view was painted for about this zoom. */
  whole: number
}

type Format = Parameters<NonNullable<ReturnType<typeof graphActions>>['exportAs']>[0]

export function graphTest(): GraphTest {
  return {
    state: () => {
      const shown = shownGraph()
      const view = viewStore.getState()
      const main = view.shown.main
      const surface = surfaceOf('main')
      const changes = main?.changes ?? null
      return {
        title: shown?.shot.title ?? '',
        step: shown?.step ?? -1,
        steps: (shown?.shot.report?.steps ?? []).map(({ name, nodes }) => ({ name, nodes })),
        boxes: main?.boxes ?? 0,
        lines: main?.lines ?? 0,
        folded: main?.folded ?? 0,
        layoutSeconds: main?.layoutSeconds ?? 0,
        firstSeconds: main?.firstSeconds ?? 0,
        working: isGraphWorking() || view.laying || view.drawn !== shown,
        error: graphError()?.message ?? view.error?.message ?? '',
        selected: view.inspection ? `${view.inspection.prefix}${view.inspection.title}` : '',
        inspection: view.inspection,
        changes: changes && {
          added: changes.added,
          removed: changes.removed,
          changed: changes.changed,
        },
        changed: (changes?.entries ?? []).map(({ kind, title, words }) => ({ kind, title, words })),
        hits: view.search?.ok === true ? view.search.total : 0,
        marked: view.marked,
        compare: shown?.compare?.title ?? '',
        viewport: surface?.viewport ?? null,
        complete: surface?.isComplete ?? false,
      }
    },
    choose: async (change, capture) => {
      changeChoice(change)
      await (capture ? captureGraph() : showAgain())
    },
    openFile: openGraphFile,
    compareFile: compareWithFile,
    save: saveGraphModule,
    exportAs: async (format, path) =>
      (await graphActions()?.exportAs(format as Format, path)) ?? null,
    select: goToNode,
    boxOf: async (node) => {
      const surface = surfaceOf('main')
      const canvas = document.querySelector('[data-testid="graph-canvas-main"]')
      const { boxes } = await painter.ask('boxes', { view: 'main', keys: [4 * node] })
      const [box] = boxes
      if (!surface || !canvas || !box) return null
      const { x, y, zoom } = surface.viewport
      const { left, top } = canvas.getBoundingClientRect()
      return {
        x: left + (box.x - x) * zoom,
        y: top + (box.y - y) * zoom,
        w: box.w * zoom,
        h: box.h * zoom,
      }
    },
    setViewport: (viewport) => surfaceOf('main')?.setViewport(viewport),
    fit: () => surfaceOf('main')?.showAll(),
    pan: (dx, dy, frames) => {
      const speed = { x: dx, y: dy }
      return motion(frames, (surface) => {
        // There and back, where it would leave the graph: nothing is quickly drawn.
        const { left, top, width, height } = surface.size
        const { x, y } = surface.world(surface.cssWidth / 2, surface.cssHeight / 2)
        if ((x < left && speed.x > 0) || (x > left + width && speed.x < 0)) speed.x *= -1
        if ((y < top && speed.y > 0) || (y > top + height && speed.y < 0)) speed.y *= -1
        surface.panBy(speed.x, speed.y)
      })
    },
    zoom: (factor, frames) =>
      motion(frames, (surface) => {
        surface.zoomAt(factor, surface.cssWidth / 2, surface.cssHeight / 2)
      }),
    timeOpen: async (path) => {
      const started = performance.now()
      const shownBefore = shownGraph()
      const layouts = surfaceOf('main')?.layoutsShown ?? 0
      const opening = openGraphFile(path)
      let first = 0
      for (;;) {
        const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve))
        const surface = surfaceOf('main')
        const shown = shownGraph()
        const error = graphError()
        const { laying, drawn } = viewStore.getState()
        if (error) throw new Error(error.message)
        if (surface?.isComplete !== true || shown === shownBefore) continue
        if (surface.layoutsShown === layouts) continue
        if (first === 0) first = now - started
        if (!isGraphWorking() && !laying && drawn === shown) {
          await opening
          return { first, whole: now - started }
        }
      }
    },
  }
}

async function motion(frames: number, move: (surface: Surface) => void): Promise<Motion> {
  const surface = surfaceOf('main')
  if (!surface) throw new Error('no picture to move')
  surface.takeDrawTimes()
  const times: number[] = []
  let whole = 0
  let last = 0
  for (let i = 0; i <= frames; i += 1) {
    const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve))
    if (last > 0) {
      times.push(now - last)
      if (surface.isPainted) whole += 1
    }
    last = now
    if (i < frames) move(surface)
  }
  return { frames: times, drawing: surface.takeDrawTimes(), whole }
}
