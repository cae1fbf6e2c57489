import type { ProfileMemory } from '../../../electron/contract/profile'
import { firstAfter, ticksOf, type NamedSpans, type TimeRange, type SpanKind } from './spans'
import { bytesText, timeText } from './times'

export const axisHeight = 18
export const rowHeight = 18
export const memoryHeight = 64

export type SpanMarks = {
  selected: number | null
  hovered: number | null
  /** Of the pointer, for the line through memory; null: outside. */
  time: number | null
  /** By id: 1 where the name was searched for; null: nothing was. */
  found: Uint8Array | null
}

/** What there is to draw, and which part of it. */
export type SpanPicture = {
  readonly named: NamedSpans
  readonly memory: readonly ProfileMemory[]
  readonly size: { width: number; height: number }
  readonly marks: SpanMarks
  readonly range: TimeRange
  /** Pixels that the rows are scrolled by. */
  readonly top: number
  rowsHeight(): number
}

export type SpanStyle = {
  background: string
  text: string
  muted: string
  border: string
  accent: string
  found: string
  /** Behind words in the colour of the text. */
  fills: Record<SpanKind, string>
  font: string
}

/** Canvas knows no CSS variables. */
export function readLook(element: HTMLElement): SpanStyle {
  const style = getComputedStyle(element)
  const of = (name: string): string => style.getPropertyValue(name).trim()
  const pixels = Math.round(parseFloat(style.fontSize) * 0.846)
  return {
    background: of('--panel'),
    text: of('--text'),
    muted: of('--text-muted'),
    border: of('--border'),
    accent: of('--focus'),
    found: of('--warning'),
    fills: {
      range: of('--text-muted'),
      function: of('--series-4'),
      custom: of('--series-2'),
      operator: of('--series-1'),
      backward: of('--series-3'),
      runtime: of('--series-5'),
      device: of('--series-6'),
      file: of('--text-muted'),
      frontEnd: of('--series-1'),
      header: of('--series-5'),
      template: of('--series-2'),
      backEnd: of('--series-3'),
      link: of('--series-4'),
      load: of('--series-6'),
    },
    font: `${pixels}px ${of('--font-mono')}`,
  }
}

const fillStrength = 0.38
/** Spans narrower than this are drawn as one with their neighbours. */
const thinnest = 0.7
const padding = 4

export function drawSpans(
  context: CanvasRenderingContext2D,
  surface: SpanPicture,
  look: SpanStyle,
): void {
  const { width, height } = surface.size
  context.fillStyle = look.background
  context.fillRect(0, 0, width, height)
  context.font = look.font
  context.textBaseline = 'middle'
  drawGrid(context, surface, look)
  context.save()
  context.beginPath()
  context.rect(0, axisHeight, width, surface.rowsHeight())
  context.clip()
  drawRows(context, surface, look)
  context.restore()
  surface.memory.forEach((memory, index) => {
    const y = axisHeight + surface.rowsHeight() + index * memoryHeight
    drawMemory(context, surface, look, memory, y)
  })
  const { time } = surface.marks
  if (time === null || surface.memory.length === 0) return
  context.fillStyle = look.muted
  context.fillRect(Math.round(xOf(surface, time)), axisHeight, 1, height - axisHeight)
}

function xOf({ range, size }: SpanPicture, time: number): number {
  return ((time - range.from) / Math.max(1e-9, range.to - range.from)) * size.width
}

function drawGrid(context: CanvasRenderingContext2D, surface: SpanPicture, look: SpanStyle): void {
  const { width, height } = surface.size
  for (const tick of ticksOf(surface.range, Math.max(2, Math.floor(width / 90)))) {
    const x = Math.round(xOf(surface, tick))
    context.fillStyle = look.border
    context.fillRect(x, 0, 1, height)
    const text = tick === 0 ? '0' : timeText(tick)
    if (x + padding + context.measureText(text).width > width) continue
    context.fillStyle = look.muted
    context.fillText(text, x + padding, axisHeight / 2)
  }
}

function drawRows(context: CanvasRenderingContext2D, surface: SpanPicture, look: SpanStyle): void {
  const { spans } = surface.named
  const letter = context.measureText('m').width
  const first = Math.max(0, Math.floor(surface.top / rowHeight))
  const last = Math.min(
    spans.byRow.length - 1,
    Math.floor((surface.top + surface.rowsHeight()) / rowHeight),
  )
  for (let row = first; row <= last; row += 1) {
    const y = axisHeight + row * rowHeight - surface.top
    const ids = spans.byRow[row] ?? []
    let drawnTo = -1
    for (let at = firstAfter(spans, ids, surface.range.from); at < ids.length; at += 1) {
      const id = ids[at] ?? 0
      const start = spans.start[id] ?? 0
      if (start > surface.range.to) break
      const left = Math.max(-1, xOf(surface, start))
      const right = Math.min(
        surface.size.width + 1,
        xOf(surface, start + (spans.duration[id] ?? 0)),
      )
      const isMarked = surface.marks.selected === id
      if (right - drawnTo < thinnest && !isMarked && surface.marks.found?.[id] !== 1) continue
      drawnTo = Math.max(drawnTo, right)
      drawSpan(context, surface, look, { id, left, right: Math.max(right, left + 1), y, letter })
    }
  }
  for (const { row, text } of spans.heads) {
    const y = axisHeight + row * rowHeight - surface.top
    context.fillStyle = look.muted
    context.fillText(text, padding, y + rowHeight / 2)
  }
}

type Drawn = { id: number; left: number; right: number; y: number; letter: number }

function drawSpan(
  context: CanvasRenderingContext2D,
  surface: SpanPicture,
  look: SpanStyle,
  { id, left, right, y, letter }: Drawn,
): void {
  const { found, selected, hovered } = surface.marks
  const width = right - left
  const isFound = found?.[id] === 1
  const colour = look.fills[surface.named.kind(id)]
  context.fillStyle = colour
  context.globalAlpha = found !== null && !isFound ? 0.12 : hovered === id ? 0.6 : fillStrength
  context.fillRect(left, y + 1, Math.max(1, width - 0.5), rowHeight - 2)
  context.globalAlpha = found !== null && !isFound ? 0.5 : 1
  if (width > 3) context.fillRect(left, y + 1, 2, rowHeight - 2)
  if (isFound) {
    context.fillStyle = look.found
    context.fillRect(left, y + rowHeight - 3, Math.max(1, width - 0.5), 2)
  }
  // What begins to the left of the picture has its name at the picture's edge.
  const from = Math.max(left, 0) + padding
  const letters = Math.floor((right - from - 2) / letter)
  if (letters >= 2) {
    const name = surface.named.name(id)
    context.fillStyle = look.text
    context.fillText(
      name.length <= letters ? name : `${name.slice(0, letters - 1)}…`,
      from,
      y + rowHeight / 2 + 0.5,
    )
  }
  context.globalAlpha = 1
  if (selected !== id) return
  context.strokeStyle = look.accent
  context.lineWidth = 2
  context.strokeRect(left + 1, y + 1, Math.max(2, width - 2), rowHeight - 2)
}

/** What was held at a time, by the steps of the curve. */
export function heldAt({ times, bytes }: ProfileMemory, time: number): number {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] ?? 0) <= time) low = middle + 1
    else high = middle
  }
  return low === 0 ? 0 : (bytes[low - 1] ?? 0)
}

function drawMemory(
  context: CanvasRenderingContext2D,
  surface: SpanPicture,
  look: SpanStyle,
  memory: ProfileMemory,
  top: number,
): void {
  const { width } = surface.size
  const { times, bytes, peak, peakTime, device } = memory
  const bottom = top + memoryHeight - 2
  const high = memoryHeight - 24
  const yOf = (value: number): number => bottom - (value / Math.max(1, peak)) * high
  context.fillStyle = look.background
  context.globalAlpha = 0.7
  context.fillRect(0, top, width, memoryHeight)
  context.globalAlpha = 1
  context.fillStyle = look.border
  context.fillRect(0, top, width, 1)
  context.beginPath()
  context.moveTo(0, yOf(heldAt(memory, surface.range.from)))
  times.forEach((time, index) => {
    if (time < surface.range.from || time > surface.range.to) return
    const x = xOf(surface, time)
    context.lineTo(x, yOf(index === 0 ? 0 : (bytes[index - 1] ?? 0)))
    context.lineTo(x, yOf(bytes[index] ?? 0))
  })
  context.lineTo(width, yOf(heldAt(memory, surface.range.to)))
  context.strokeStyle = look.fills.operator
  context.lineWidth = 1.5
  context.stroke()
  context.lineTo(width, bottom)
  context.lineTo(0, bottom)
  context.closePath()
  context.fillStyle = look.fills.operator
  context.globalAlpha = 0.25
  context.fill()
  context.globalAlpha = 1
  context.fillStyle = look.muted
  const title = `memory of ${device}`
  context.fillText(title, padding, top + 11)
  const free = 3 * padding + context.measureText(title).width
  if (peakTime < surface.range.from || peakTime > surface.range.to) return
  const x = xOf(surface, peakTime)
  context.fillStyle = look.found
  context.beginPath()
  context.arc(x, yOf(peak), 3, 0, 2 * Math.PI)
  context.fill()
  const text = `peak ${bytesText(peak)}`
  const wide = context.measureText(text).width
  context.fillStyle = look.text
  context.fillText(text, Math.min(Math.max(x - wide / 2, free), width - wide - padding), top + 11)
}
