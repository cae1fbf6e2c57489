import {
  useEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
  type ReactElement,
  type MouseEvent,
} from 'react'

import { useTheme } from '../../store/theme'
import { useSettings } from '../../store/settings'
import { painter } from './canvas/painter-client'
import { Surface } from './canvas/surface'
import { graphClient } from './graph-client'
import { Minimap } from './Minimap'
import type { Hit, ViewId } from './paint/paint-messages'
import { readPalette } from './read-palette'
import {
  addSurface,
  canFoldSelected,
  clearSelection,
  fold,
  rememberedViewport,
  select,
  selectPath,
  useView,
  viewStore,
  walkTo,
} from './view-store'
import { ZoomButtons } from './ZoomButtons'

type Props = {
  view: ViewId
  label: string
  onSearch: () => void
  /** Goes to what is known of the selected node. */
  onDetails: () => void
}

/** The picture: drag pans, the wheel zooms, a click selects, a double click opens and folds. */
export function GraphCanvas({ view, label, onSearch, onDetails }: Props): ReactElement {
  const host = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const [surface, setSurface] = useState<Surface | null>(null)
  const theme = useTheme()
  const fontSize = useSettings((settings) => settings.fontSize)
  const notice = useView((state) => (state.side === view ? state.notice : ''))
  const said = useView((state) =>
    state.side === view && state.inspection
      ? `${state.inspection.prefix}${state.inspection.title}, ${state.inspection.inputs.length} inputs, ${state.inspection.outputs.length} outputs`
      : '',
  )

  useEffect(() => {
    const element = canvas.current
    const box = host.current
    if (!element || !box) return
    const made = new Surface(element, view)
    made.setPalette(readPalette())
    const before = rememberedViewport(view)
    if (before) made.setViewport(before)
    made.onView = (viewport) => {
      viewStore.setState((state) => ({ zoom: { ...state.zoom, [view]: viewport.zoom } }))
    }
    const resize = (): void => {
      made.resize(box.clientWidth, box.clientHeight, window.devicePixelRatio)
      painter.setLook(readPalette(), window.devicePixelRatio)
      if (!made.wasMoved && before === null && made.size.width > 0) made.start()
    }
    const observer = new ResizeObserver(resize)
    observer.observe(box)
    resize()
    const detach = addSurface(view, made)
    setSurface(made)
    const wheel = (event: WheelEvent): void => onWheel(event, made)
    element.addEventListener('wheel', wheel, { passive: false })
    return () => {
      observer.disconnect()
      element.removeEventListener('wheel', wheel)
      detach()
      made.dispose()
      setSurface(null)
    }
  }, [view])

  useEffect(() => {
    const palette = readPalette()
    graphClient.setFonts(palette.uiFont, palette.monoFont)
    painter.setLook(palette, window.devicePixelRatio)
    surface?.setPalette(palette)
  }, [theme, fontSize, surface])

  const drag = useRef<{ x: number; y: number; moved: boolean } | null>(null)
  const at = (event: MouseEvent): { x: number; y: number } => {
    const box = canvas.current?.getBoundingClientRect()
    return { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) }
  }
  const hit = async (event: MouseEvent): Promise<Hit | null> => {
    if (!surface) return null
    const { x, y } = at(event)
    const world = surface.world(x, y)
    return painter.ask('hit', { view, x: world.x, y: world.y, slack: 3 / surface.viewport.zoom })
  }

  const pointerDown = (event: PointerEvent): void => {
    if (event.button > 1) return
    canvas.current?.setPointerCapture(event.pointerId)
    drag.current = { x: event.clientX, y: event.clientY, moved: false }
  }
  const pointerMove = (event: PointerEvent): void => {
    const from = drag.current
    if (!from) {
      hover(event)
      return
    }
    const dx = event.clientX - from.x
    const dy = event.clientY - from.y
    if (!from.moved && Math.hypot(dx, dy) < 4) return
    surface?.panBy(dx, dy)
    drag.current = { x: event.clientX, y: event.clientY, moved: true }
  }
  const pointerUp = (event: PointerEvent): void => {
    const from = drag.current
    drag.current = null
    if (!from || from.moved || event.button !== 0) return
    void hit(event).then((found) => {
      if (!found) return
      if (found.key === null) clearSelection()
      else if (event.shiftKey) void selectPath(found.key)
      else void select(found.key, { view })
    })
  }
  const doubleClick = (event: MouseEvent): void => {
    void hit(event).then((found) => {
      if (!found) return
      if (found.key !== null) void fold('toggle', found.key)
      else if (found.frame !== null) void fold('toggle', found.frame)
      else surface?.fit()
    })
  }
  const hovering = useRef(false)
  const hover = (event: PointerEvent): void => {
    if (hovering.current) return
    hovering.current = true
    void hit(event).then((found) => {
      hovering.current = false
      const box = found?.key === null ? null : (found?.box ?? null)
      surface?.setHovered(box)
      if (canvas.current) canvas.current.style.cursor = box ? 'pointer' : 'grab'
    })
  }

  return (
    <div className="graph-canvas" ref={host}>
      <canvas
        ref={canvas}
        tabIndex={0}
        data-takes-focus={view === 'main' ? '' : undefined}
        role="application"
        aria-roledescription="graph"
        aria-label={`${label}. Arrow keys move from node to node, Enter expands or collapses a group and goes to the details of a node, F fits the graph to the panel, slash starts a search.`}
        data-testid={`graph-canvas-${view}`}
        onPointerDown={pointerDown}
        onPointerMove={pointerMove}
        onPointerUp={pointerUp}
        onPointerLeave={() => surface?.setHovered(null)}
        onDoubleClick={doubleClick}
        onKeyDown={(event) => onKey(event, surface, { onSearch, onDetails })}
      />
      <p className="unseen" aria-live="polite">
        {said}
      </p>
      {notice !== '' && (
        <p className="graph-notice" role="status">
          {notice}
        </p>
      )}
      {surface && <ZoomButtons surface={surface} view={view} />}
      {surface && <Minimap surface={surface} />}
    </div>
  )
}

/** The wheel zooms; with Shift it goes sideways, with Alt up and down. Two fingers pan, a pinch zooms. */
function onWheel(event: WheelEvent, surface: Surface): void {
  event.preventDefault()
  const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1
  const dx = event.deltaX * unit
  const dy = event.deltaY * unit
  const isPinch = event.ctrlKey || event.metaKey
  // Mice have no sideways wheel of their own: both at once are two fingers.
  if (!isPinch && event.shiftKey) surface.panBy(-(dx + dy), 0)
  else if (!isPinch && (event.altKey || dx !== 0)) surface.panBy(-dx, -dy)
  else surface.zoomAt(Math.exp(-dy * (isPinch ? 0.01 : 0.0016)), event.offsetX, event.offsetY)
}

async function enterSelected(onDetails: () => void): Promise<void> {
  const { selected } = viewStore.getState()
  const canFold = await canFoldSelected()
  if (canFold === null) await walkTo('down')
  else if (canFold) await fold('toggle', selected)
  else onDetails()
}

function onKey(
  event: KeyboardEvent,
  surface: Surface | null,
  { onSearch, onDetails }: Pick<Props, 'onSearch' | 'onDetails'>,
): void {
  if (!surface || event.ctrlKey || event.metaKey || event.altKey) return
  const middle = [surface.cssWidth / 2, surface.cssHeight / 2] as const
  const step = Math.min(surface.cssWidth, surface.cssHeight) / 4
  const actions: Record<string, () => void> = {
    ArrowUp: () => (event.shiftKey ? surface.panBy(0, step) : void walkTo('up')),
    ArrowDown: () => (event.shiftKey ? surface.panBy(0, -step) : void walkTo('down')),
    ArrowLeft: () => (event.shiftKey ? surface.panBy(step, 0) : void walkTo('left')),
    ArrowRight: () => (event.shiftKey ? surface.panBy(-step, 0) : void walkTo('right')),
    Enter: () => void enterSelected(onDetails),
    Escape: () => clearSelection(),
    f: () => surface.fit(),
    F: () => surface.fit(),
    '+': () => surface.zoomAt(1.25, ...middle),
    '=': () => surface.zoomAt(1.25, ...middle),
    '-': () => surface.zoomAt(0.8, ...middle),
    '/': onSearch,
  }
  const action = actions[event.key]
  if (!action) return
  event.preventDefault()
  event.stopPropagation()
  action()
}
