import type { Box, FlowDirection, Lines, Surroundings } from './paint-messages'
import type { Picture } from './picture'

/** More neighbours than this are not drawn one by one: a constant with ten thousand users. */
const mostDrawn = 400

export function surroundings(picture: Picture, item: number): Surroundings {
  const { scene } = picture
  const { from, to } = scene.edges
  const around = [...picture.edgesOf(item)]
  return {
    scene: scene.id,
    box: boxOf(picture, item),
    producers: side(
      picture,
      around.filter((edge) => to[edge] === item),
      from,
    ),
    users: side(
      picture,
      around.filter((edge) => from[edge] === item),
      to,
    ),
  }
}

/** Of an open group: its place, and no lines, since those of the boxes inside are many. */
export function aroundFrame(picture: Picture, frame: number): Surroundings | null {
  if (frame < 0) return null
  const none = (): Surroundings['users'] => ({ keys: [], boxes: [], lines: linesOf(picture, []) })
  const box = frameBox(picture, frame)
  return { scene: picture.scene.id, box, producers: none(), users: none() }
}

export function frameBox(picture: Picture, frame: number): Box {
  const { x, y, w, h } = picture.scene.frames
  return { x: x[frame] ?? 0, y: y[frame] ?? 0, w: w[frame] ?? 0, h: h[frame] ?? 0 }
}

function side(picture: Picture, edges: number[], ends: Int32Array): Surroundings['users'] {
  const { items } = picture.scene
  const others = [...new Set(edges.map((edge) => ends[edge] ?? 0))]
  return {
    keys: others.map((other) => items.key[other] ?? 0),
    boxes: others.slice(0, mostDrawn).map((other) => boxOf(picture, other)),
    lines: linesOf(picture, edges.slice(0, mostDrawn)),
  }
}

function linesOf(picture: Picture, edges: number[]): Lines {
  const { pointStart, points } = picture.scene.edges
  const start = new Uint32Array(edges.length + 1)
  edges.forEach((edge, i) => {
    start[i + 1] = (start[i] ?? 0) + (pointStart[edge + 1] ?? 0) - (pointStart[edge] ?? 0)
  })
  const collected = new Float32Array(2 * (start[edges.length] ?? 0))
  edges.forEach((edge, i) => {
    const part = points.subarray(2 * (pointStart[edge] ?? 0), 2 * (pointStart[edge + 1] ?? 0))
    collected.set(part, 2 * (start[i] ?? 0))
  })
  return { start, points: collected }
}

/**
 * Where an arrow key leads: down to the user, up to the producer whose box is nearest to being straight
 * below or above; left and right to the next box of about the same height in the picture. Without a
 * place to start from: the box nearest to the point.
 */
export function walk(
  picture: Picture,
  from: number | null,
  direction: FlowDirection,
  x: number,
  y: number,
): number | null {
  if (from === null) return nearest(picture, x, y)
  const { edges } = picture.scene
  const here = boxOf(picture, from)
  if (direction === 'up' || direction === 'down') {
    const [mine, others] = direction === 'down' ? [edges.from, edges.to] : [edges.to, edges.from]
    const ends = [...picture.edgesOf(from)]
      .filter((edge) => mine[edge] === from && others[edge] !== from)
      .map((edge) => others[edge] ?? 0)
    return best(ends, (end) => distance(here, boxOf(picture, end)))
  }
  const sign = direction === 'right' ? 1 : -1
  const middle = here.y + here.h / 2
  for (const reach of [300, 1_200, 4_800, 40_000]) {
    const left = direction === 'right' ? here.x + here.w : here.x - reach
    const found = picture.items.query(left, middle - here.h / 2, left + reach, middle + here.h / 2)
    const beside = found.filter((item) => {
      return item !== from && sign * (boxOf(picture, item).x - here.x) > 0
    })
    const next = best(beside, (item) => {
      const box = boxOf(picture, item)
      return Math.abs(box.x - here.x) + 3 * Math.abs(box.y + box.h / 2 - middle)
    })
    if (next !== null) return next
  }
  return null
}

function nearest(picture: Picture, x: number, y: number): number | null {
  for (let reach = 200; reach < 1e7; reach *= 4) {
    const found = picture.items.query(x - reach, y - reach, x + reach, y + reach)
    const next = best(found, (item) => {
      const box = boxOf(picture, item)
      return Math.hypot(box.x + box.w / 2 - x, box.y + box.h / 2 - y)
    })
    if (next !== null) return next
  }
  return null
}

function distance(a: Box, b: Box): number {
  return Math.abs(a.x + a.w / 2 - b.x - b.w / 2) + Math.abs(a.y - b.y)
}

function best(items: number[], cost: (item: number) => number): number | null {
  let found: number | null = null
  let least = Infinity
  for (const item of items) {
    const value = cost(item)
    if (value < least) {
      least = value
      found = item
    }
  }
  return found
}

function boxOf(picture: Picture, item: number): Box {
  const { x, y, w, h } = picture.scene.items
  return { x: x[item] ?? 0, y: y[item] ?? 0, w: w[item] ?? 0, h: h[item] ?? 0 }
}
