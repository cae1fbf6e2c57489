import { traceHead, traceLine } from '../paint/paint-edges'
import type { Box, Lines } from '../paint/paint-messages'
import type { GraphPalette } from '../scene'

/** What is selected: it changes with every click, the picture does not. */
export type Selection = {
  selected: Box | null
  /** The other end of a path. */
  second: Box | null
  producers: { boxes: Box[]; lines: Lines } | null
  users: { boxes: Box[]; lines: Lines } | null
  path: { boxes: Box[]; lines: Lines } | null
}

/** What is drawn over the picture. */
export type Highlight = Selection & {
  hovered: Box | null
  /** Nodes of the line that the cursor is on. */
  marked: Box[]
}

export const nothingSelected: Selection = {
  selected: null,
  second: null,
  producers: null,
  users: null,
  path: null,
}

type Part = { left: number; top: number; right: number; bottom: number }

/** The context's unit is the world's; `zoom` is CSS pixels a world unit. */
export function paintHighlight(
  context: CanvasRenderingContext2D,
  highlight: Highlight,
  palette: GraphPalette,
  zoom: number,
  part: Part,
): void {
  const { selected, second, hovered, producers, users, path, marked } = highlight
  const width = Math.max(1.5, 2 / zoom)
  if (path) paintSide(context, path, palette.hit, width * 1.4, [], part)
  else {
    // Where it comes from is dashed, where it goes to is drawn through: not only colours differ.
    if (producers) paintSide(context, producers, palette.accent, width, [6, 3], part)
    if (users) paintSide(context, users, palette.accent, width, [], part)
  }
  for (const box of marked) outline(context, box, palette.hit, width, part, [3, 2])
  if (hovered) outline(context, hovered, palette.muted, width / 1.5, part, [])
  for (const box of [selected, second]) {
    if (!box) continue
    const out = width
    context.fillStyle = palette.accent
    context.globalAlpha = 0.16
    context.fillRect(box.x - out, box.y - out, box.w + 2 * out, box.h + 2 * out)
    context.globalAlpha = 1
    outline(context, box, palette.accent, width * 1.4, part, [])
  }
}

function paintSide(
  context: CanvasRenderingContext2D,
  side: { boxes: Box[]; lines: Lines },
  colour: string,
  width: number,
  dash: number[],
  part: Part,
): void {
  const { start, points } = side.lines
  context.strokeStyle = colour
  context.fillStyle = colour
  context.lineWidth = width
  context.setLineDash(dash.map((length) => (length * width) / 2))
  for (let i = 0; i + 1 < start.length; i += 1) {
    const from = start[i] ?? 0
    const to = start[i + 1] ?? 0
    if (!touches(points, from, to, part)) continue
    context.beginPath()
    traceLine(context, points, from, to)
    context.stroke()
    context.beginPath()
    traceHead(context, points, from, to)
    context.fill()
  }
  context.setLineDash([])
  for (const box of side.boxes) outline(context, box, colour, width, part, dash)
}

function touches(points: Float32Array, from: number, to: number, part: Part): boolean {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity]
  for (let p = from; p < to; p += 1) {
    const x = points[2 * p] ?? 0
    const y = points[2 * p + 1] ?? 0
    x0 = Math.min(x0, x)
    x1 = Math.max(x1, x)
    y0 = Math.min(y0, y)
    y1 = Math.max(y1, y)
  }
  return x1 >= part.left && x0 <= part.right && y1 >= part.top && y0 <= part.bottom
}

function outline(
  context: CanvasRenderingContext2D,
  box: Box,
  colour: string,
  width: number,
  part: Part,
  dash: number[],
): void {
  if (box.x > part.right || box.x + box.w < part.left) return
  if (box.y > part.bottom || box.y + box.h < part.top) return
  context.strokeStyle = colour
  context.lineWidth = width
  context.setLineDash(dash.map((length) => (length * width) / 2))
  context.beginPath()
  context.roundRect(box.x - width, box.y - width, box.w + 2 * width, box.h + 2 * width, 5)
  context.stroke()
  context.setLineDash([])
}
