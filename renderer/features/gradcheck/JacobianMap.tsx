import {
  useEffect,
  useReducer,
  useRef,
  type KeyboardEvent,
  type PointerEvent,
  type ReactElement,
} from 'react'

import type { TensorHandle } from '../../../electron/contract/tensor'
import { gradientOf } from '../../shell/primitives/colour-map'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { formatNumber } from '../../shell/primitives/format'
import { useTheme } from '../../store/theme'
import type { JacobianTiles } from './jacobian-tiles'

/** The element in the top left corner and pixels an element; all pictures of one Jacobian share it. */
export type MapViewport = { x: number; y: number; zoom: number }
export type ElementPlace = { row: number; column: number }

type Props = {
  title: string
  tensor: TensorHandle
  tiles: JacobianTiles
  /** Changes when there are more tiles to draw. */
  loaded: number
  viewport: MapViewport | null
  /** Null fits all of it. */
  onViewport: (viewport: MapViewport | null) => void
  cursor: ElementPlace | null
  onCursor: (place: ElementPlace | null) => void
  worst: ElementPlace | null
}

const largestZoom = 96
/** From this size on there is room for a number in a cell. */
const numberZoom = 52

/** A picture of a Jacobian: drag pans, the wheel zooms, arrows walk from element to element. */
export function JacobianMap(props: Props): ReactElement {
  const { title, tensor, tiles, loaded, viewport, cursor, worst } = props
  const { scale } = tiles
  const canvas = useRef<HTMLCanvasElement>(null)
  const [drawn, redraw] = useReducer((count: number) => count + 1, 0)
  const theme = useTheme()
  const latest = useRef(props)
  useEffect(() => {
    latest.current = props
  })

  useEffect(() => {
    const element = canvas.current
    if (!element) return
    const observer = new ResizeObserver(redraw)
    observer.observe(element)
    const wheel = (event: WheelEvent): void => {
      // The panel scrolls by the wheel too: the picture takes it once it was clicked, or with Ctrl.
      if (!event.ctrlKey && document.activeElement !== element) return
      event.preventDefault()
      const { shown, rows, columns } = current(element, latest.current)
      const factor = Math.exp(-event.deltaY * 0.0018)
      const zoom = clampZoom(shown.zoom * factor, element, rows, columns)
      const px = event.offsetX / shown.zoom + shown.x
      const py = event.offsetY / shown.zoom + shown.y
      latest.current.onViewport({
        x: px - event.offsetX / zoom,
        y: py - event.offsetY / zoom,
        zoom,
      })
    }
    element.addEventListener('wheel', wheel, { passive: false })
    return () => {
      observer.disconnect()
      element.removeEventListener('wheel', wheel)
    }
  }, [])

  useEffect(() => {
    const element = canvas.current
    if (!element) return
    const frame = requestAnimationFrame(() => {
      paint(element, tiles, { ...latest.current, viewport, cursor, worst })
    })
    return () => cancelAnimationFrame(frame)
  }, [tiles, loaded, viewport, cursor, worst, drawn, theme])

  const drag = useRef<{ x: number; y: number } | null>(null)
  const placeOf = (event: PointerEvent<HTMLCanvasElement>): ElementPlace | null => {
    const { shown, rows, columns } = current(event.currentTarget, props)
    const row = Math.floor(event.nativeEvent.offsetY / shown.zoom + shown.y)
    const column = Math.floor(event.nativeEvent.offsetX / shown.zoom + shown.x)
    return row >= 0 && row < rows && column >= 0 && column < columns ? { row, column } : null
  }
  const move = (event: PointerEvent<HTMLCanvasElement>): void => {
    props.onCursor(placeOf(event))
    const from = drag.current
    if (!from) return
    const { shown } = current(event.currentTarget, props)
    drag.current = { x: event.clientX, y: event.clientY }
    const x = shown.x - (event.clientX - from.x) / shown.zoom
    const y = shown.y - (event.clientY - from.y) / shown.zoom
    props.onViewport({ x, y, zoom: shown.zoom })
  }
  const keys = (event: KeyboardEvent<HTMLCanvasElement>): void => {
    const step = steps[event.key]
    const { shown, rows, columns } = current(event.currentTarget, props)
    if (step) {
      event.preventDefault()
      const from = cursor ?? worst ?? { row: 0, column: 0 }
      const by = event.shiftKey ? 10 : 1
      const row = clamp(from.row + step[0] * by, rows)
      const column = clamp(from.column + step[1] * by, columns)
      props.onCursor({ row, column })
      const wide = event.currentTarget.clientWidth / shown.zoom
      const high = event.currentTarget.clientHeight / shown.zoom
      const isSeen =
        row >= shown.y && row < shown.y + high && column >= shown.x && column < shown.x + wide
      if (!isSeen) props.onViewport({ ...shown, x: column - wide / 2, y: row - high / 2 })
      return
    }
    const factor = event.key === '+' || event.key === '=' ? 1.5 : event.key === '-' ? 1 / 1.5 : 0
    if (factor > 0) {
      const zoom = clampZoom(shown.zoom * factor, event.currentTarget, rows, columns)
      props.onViewport(centredOn(event.currentTarget, cursor ?? worst, shown, zoom))
    }
    if (event.key === '0') props.onViewport(null)
  }
  return (
    <figure className="gradcheck-map">
      <figcaption>{title}</figcaption>
      <canvas
        ref={canvas}
        tabIndex={0}
        role="img"
        aria-label={`${title}: Jacobian of ${tiles.rows} by ${tiles.columns} elements, with values from ${formatNumber(tensor.stats.min)} to ${formatNumber(tensor.stats.max)}. Arrow keys move, plus and minus zoom, 0 shows all.`}
        data-testid={`gradcheck-map-${title}`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          drag.current = { x: event.clientX, y: event.clientY }
        }}
        onPointerMove={move}
        onPointerUp={() => (drag.current = null)}
        onPointerLeave={() => props.onCursor(null)}
        onKeyDown={keys}
      />
      {tiles.failure && <ErrorView error={tiles.failure} />}
      <div className="legend gradcheck-legend" aria-hidden>
        <span className="number">{formatNumber(scale.low, 3)}</span>
        <div style={{ background: gradientOf(scale.kind) }} />
        <span className="number">{formatNumber(scale.high, 3)}</span>
      </div>
    </figure>
  )
}

const steps: Record<string, readonly [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}

function clamp(place: number, size: number): number {
  return Math.min(Math.max(place, 0), size - 1)
}

type Looked = Pick<Props, 'tensor' | 'viewport'>

function current(
  element: HTMLCanvasElement,
  { tensor, viewport }: Looked,
): { shown: MapViewport; rows: number; columns: number } {
  const rows = tensor.shape[0] ?? 1
  const columns = tensor.shape[1] ?? 1
  return { shown: viewport ?? fitted(element, rows, columns), rows, columns }
}

function fitZoom(element: HTMLCanvasElement, rows: number, columns: number): number {
  const fit = Math.min(
    element.clientWidth / Math.max(columns, 1),
    element.clientHeight / Math.max(rows, 1),
  )
  return Math.min(fit, largestZoom)
}

function fitted(element: HTMLCanvasElement, rows: number, columns: number): MapViewport {
  const zoom = fitZoom(element, rows, columns)
  return {
    x: (columns - element.clientWidth / zoom) / 2,
    y: (rows - element.clientHeight / zoom) / 2,
    zoom,
  }
}

function clampZoom(
  zoom: number,
  element: HTMLCanvasElement,
  rows: number,
  columns: number,
): number {
  return Math.min(Math.max(zoom, fitZoom(element, rows, columns)), largestZoom)
}

/** A viewport of this zoom around an element; around the middle of what is shown where there is none. */
export function centredOn(
  element: { clientWidth: number; clientHeight: number },
  place: ElementPlace | null,
  shown: MapViewport | null,
  zoom: number,
): MapViewport {
  const wide = element.clientWidth
  const high = element.clientHeight
  const from = shown ?? { x: 0, y: 0, zoom }
  const column = place ? place.column + 0.5 : from.x + wide / from.zoom / 2
  const row = place ? place.row + 0.5 : from.y + high / from.zoom / 2
  return { x: column - wide / zoom / 2, y: row - high / zoom / 2, zoom }
}

function paint(element: HTMLCanvasElement, tiles: JacobianTiles, props: Props): void {
  const context = element.getContext('2d')
  const { clientWidth: width, clientHeight: height } = element
  if (!context || width === 0 || height === 0) return
  const ratio = window.devicePixelRatio
  const wide = Math.round(width * ratio)
  const high = Math.round(height * ratio)
  if (element.width !== wide) element.width = wide
  if (element.height !== high) element.height = high
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, width, height)
  const style = getComputedStyle(element)
  const { shown } = current(element, props)
  const isWhole = tiles.draw(context, { ...shown, width, height })
  context.strokeStyle = style.getPropertyValue('--border-strong')
  context.lineWidth = 1
  context.strokeRect(
    -shown.x * shown.zoom - 0.5,
    -shown.y * shown.zoom - 0.5,
    tiles.columns * shown.zoom + 1,
    tiles.rows * shown.zoom + 1,
  )
  if (shown.zoom >= numberZoom) writeNumbers(context, tiles, shown, width, height)
  if (props.worst) mark(context, props.worst, shown, 'ring')
  if (props.cursor) mark(context, props.cursor, shown, 'box')
  if (isWhole) return
  context.fillStyle = style.getPropertyValue('--text-muted')
  context.font = `${style.fontSize} ${style.fontFamily}`
  context.textAlign = 'center'
  context.fillText('Zoom in: too many elements are in view.', width / 2, height / 2)
}

/** A line light outside and dark inside is seen on any colour. */
function mark(
  context: CanvasRenderingContext2D,
  place: ElementPlace,
  { x, y, zoom }: MapViewport,
  shape: 'ring' | 'box',
): void {
  const size = Math.max(zoom, shape === 'ring' ? 6 : 3)
  const left = (place.column + 0.5 - x) * zoom - size / 2
  const top = (place.row + 0.5 - y) * zoom - size / 2
  for (const [colour, grow] of [
    ['#ffffff', shape === 'ring' ? 4 : 2],
    ['#000000', shape === 'ring' ? 2.5 : 1],
  ] as const) {
    context.strokeStyle = colour
    context.lineWidth = 1.5
    if (shape === 'box') {
      context.strokeRect(left - grow, top - grow, size + 2 * grow, size + 2 * grow)
      continue
    }
    context.beginPath()
    context.arc(left + size / 2, top + size / 2, size * 0.6 + grow, 0, 2 * Math.PI)
    context.stroke()
  }
}

function writeNumbers(
  context: CanvasRenderingContext2D,
  tiles: JacobianTiles,
  { x, y, zoom }: MapViewport,
  width: number,
  height: number,
): void {
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.font = '11px ui-monospace, monospace'
  for (let row = Math.max(0, Math.floor(y)); row < Math.min(tiles.rows, y + height / zoom); row++) {
    const end = Math.min(tiles.columns, x + width / zoom)
    for (let column = Math.max(0, Math.floor(x)); column < end; column += 1) {
      const at = tiles.at(row, column)
      if (!at) continue
      context.fillStyle = tiles.colours.isLight(at.value) ? '#000000' : '#ffffff'
      const text = formatNumber(at.value, 3)
      context.fillText(text, (column + 0.5 - x) * zoom, (row + 0.5 - y) * zoom)
    }
  }
}
