import {
  useEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
  type ReactElement,
} from 'react'

import type { ProfileMemory } from '../../../electron/contract/profile'
import { IconButton } from '../primitives/Button'
import { useSettings } from '../../store/settings'
import { useTheme } from '../../store/theme'
import { heldAt, memoryHeight, readLook } from './draw-spans'
import { SpanSurface } from './span-surface'
import { neighbour, type StackDirection, type NamedSpans } from './spans'
import { bytesText, timeText } from './times'

type Props = {
  named: NamedSpans
  memory: readonly ProfileMemory[]
  label: string
  testId: string
  selected: number | null
  /** Names that contain it are marked. */
  search: string
  onSelect: (id: number | null) => void
  onOpen: (id: number) => void
  /** Lines about a span, the first one its name. */
  describe: (id: number) => string[]
}

const arrows: Record<string, StackDirection> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
}
const keysHelp =
  'Arrow keys select, Shift with arrow keys pans, + and - zoom, 0 shows all. F zooms to the selected span, Enter opens the line of the span, Escape clears the selection.'

/** The wheel zooms, a drag pans, a click selects; the keyboard does all of it, too. */
export function SpanCanvas(props: Props): ReactElement {
  const { named, memory, label, testId, selected, search, onSelect, describe } = props
  const host = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const surface = useRef<SpanSurface | null>(null)
  const drag = useRef<{ x: number; y: number; moved: boolean } | null>(null)
  const [tip, setTip] = useState<{ x: number; y: number; lines: string[] } | null>(null)
  const theme = useTheme()
  const fontSize = useSettings((settings) => settings.fontSize)
  const found = useMemo(() => foundIn(named, search), [named, search])

  useEffect(() => {
    const element = canvas.current
    const box = host.current
    if (!element || !box) return
    const made = new SpanSurface(element, named, memory)
    surface.current = made
    made.setLook(readLook(box))
    made.onRange = ({ from, to }) => {
      element.dataset['range'] = `${Math.round(from)} ${Math.round(to)}`
    }
    made.onRange(made.range)
    const resize = (): void =>
      made.resize(box.clientWidth, box.clientHeight, window.devicePixelRatio)
    const observer = new ResizeObserver(resize)
    observer.observe(box)
    resize()
    const wheel = (event: WheelEvent): void => {
      event.preventDefault()
      setTip(null)
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        made.panBy(-(event.deltaX || event.deltaY), 0)
      } else made.zoomAt(event.offsetX, Math.exp(-event.deltaY / 400))
    }
    element.addEventListener('wheel', wheel, { passive: false })
    return () => {
      observer.disconnect()
      element.removeEventListener('wheel', wheel)
      made.dispose()
      surface.current = null
    }
  }, [named, memory])

  useEffect(() => {
    if (host.current) surface.current?.setLook(readLook(host.current))
  }, [theme, fontSize])

  useEffect(() => {
    surface.current?.mark({ selected, found })
    if (selected !== null) surface.current?.show(selected)
  }, [selected, found, named, memory])

  const at = (event: PointerEvent): { x: number; y: number } => {
    const box = canvas.current?.getBoundingClientRect()
    return { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) }
  }
  const leave = (): void => {
    setTip(null)
    surface.current?.mark({ hovered: null, time: null })
  }
  const move = (event: PointerEvent): void => {
    const made = surface.current
    if (!made) return
    const { x, y } = at(event)
    const from = drag.current
    if (from) {
      if (!from.moved && Math.hypot(x - from.x, y - from.y) < 4) return
      made.panBy(x - from.x, y - from.y)
      drag.current = { x, y, moved: true }
      leave()
      return
    }
    const hovered = made.hit(x, y)
    const time = made.time(x)
    made.mark({ hovered, time })
    const strip = made.memoryAt(y)
    const lines =
      hovered !== null
        ? describe(hovered)
        : strip
          ? [`${bytesText(heldAt(strip, time))} on ${strip.device}`, `at ${timeText(time)}`]
          : []
    setTip(lines.length === 0 ? null : { x, y, lines })
  }
  const up = (event: PointerEvent): void => {
    const from = drag.current
    drag.current = null
    if (!from || from.moved || event.button !== 0) return
    const { x, y } = at(event)
    onSelect(surface.current?.hit(x, y) ?? null)
  }
  const keys = (event: KeyboardEvent): void => {
    if (surface.current && !event.ctrlKey && !event.metaKey && !event.altKey) {
      if (takeKey(event, surface.current, props)) event.preventDefault()
    }
  }

  return (
    <div className="span-canvas" ref={host}>
      <canvas
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-label={`${label}. ${keysHelp}`}
        data-testid={testId}
        data-spans={named.spans.start.length}
        onPointerDown={(event) => {
          if (event.button > 1) return
          canvas.current?.setPointerCapture(event.pointerId)
          drag.current = { ...at(event), moved: false }
        }}
        onPointerMove={move}
        onPointerUp={up}
        onPointerLeave={leave}
        onDoubleClick={() => {
          if (selected !== null) surface.current?.zoomTo(selected)
        }}
        onKeyDown={keys}
      />
      <div className="span-zoom" style={{ bottom: memory.length * memoryHeight + 5 }}>
        <IconButton
          icon="plus"
          label="Zoom in (+)"
          onClick={() => zoomMiddle(surface.current, 2)}
        />
        <IconButton
          icon="minus"
          label="Zoom out (-)"
          onClick={() => zoomMiddle(surface.current, 0.5)}
        />
        <IconButton
          icon="target"
          label="Show all (0)"
          onClick={() => surface.current?.fit()}
          testId={`${testId}-fit`}
        />
      </div>
      {tip && <Tip {...tip} />}
    </div>
  )
}

/** Of what the pointer is on; next to it, within the window. */
function Tip({ x, y, lines }: { x: number; y: number; lines: string[] }): ReactElement {
  const [name, ...rest] = lines
  return (
    <div className="span-tip" style={{ left: `min(${x + 14}px, 100% - 18rem)`, top: y + 16 }}>
      <strong className="mono">{name}</strong>
      {rest.map((line) => (
        <span key={line}>{line}</span>
      ))}
    </div>
  )
}

function foundIn(named: NamedSpans, search: string): Uint8Array | null {
  const wanted = search.trim().toLowerCase()
  if (wanted === '') return null
  return Uint8Array.from(named.spans.start, (_, id) =>
    named.name(id).toLowerCase().includes(wanted) ? 1 : 0,
  )
}

function zoomMiddle(surface: SpanSurface | null, factor: number): void {
  surface?.zoomAt(surface.size.width / 2, factor)
}

/** Whether the key meant something here. */
function takeKey(event: KeyboardEvent, surface: SpanSurface, props: Props): boolean {
  const { named, selected, onSelect, onOpen } = props
  const { width, height } = surface.size
  const direction = arrows[event.key]
  if (direction && event.shiftKey) {
    const [dx, dy] = { left: [1, 0], right: [-1, 0], up: [0, 1], down: [0, -1] }[direction]
    surface.panBy(((dx ?? 0) * width) / 5, ((dy ?? 0) * height) / 5)
  } else if (direction) {
    const next = selected === null ? (named.spans.byRow.flat()[0] ?? null) : null
    const to = selected === null ? next : neighbour(named.spans, selected, direction)
    if (to !== null) onSelect(to)
  } else if (event.key === '+' || event.key === '=') zoomMiddle(surface, 1.5)
  else if (event.key === '-') zoomMiddle(surface, 1 / 1.5)
  else if (event.key === '0' || event.key === 'Home') surface.fit()
  else if (event.key === 'f' && selected !== null) surface.zoomTo(selected)
  else if (event.key === 'Enter' && selected !== null) onOpen(selected)
  else if (event.key === 'Escape' && selected !== null) onSelect(null)
  else return false
  return true
}
