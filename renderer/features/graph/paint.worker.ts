import type { Box, FromPainter, Lines, PaintCalls, ToPainter, ViewId } from './paint/paint-messages'
import { tileSize } from './paint/paint-messages'
import { paintRegion } from './paint/paint-region'
import { Picture, type PictureStyle } from './paint/picture'
import { aroundFrame, frameBox, surroundings, walk } from './paint/walk'

/**
 * Paints tiles of laid-out graphs and answers what is where. A thread of its own: a layout of a hundred
 * thousand boxes may take seconds, and what is there already can be looked at meanwhile.
 */

type Want = Extract<ToPainter, { type: 'want' }>

type View = {
  picture: Picture | null
  epoch: number
  indexOfKey: Map<number, number> | null
  want: (Pick<Want, 'scale' | 'tiles' | 'visible' | 'pace'> & { next: number }) | null
  overviewDue: boolean
}

const views: Record<ViewId, View> = { main: emptyView(), before: emptyView() }
let look: PictureStyle | null = null

function emptyView(): View {
  return { picture: null, epoch: 0, indexOfKey: null, want: null, overviewDue: false }
}

function post(message: FromPainter, transfer: Transferable[] = []): void {
  self.postMessage(message, { transfer })
}

self.onmessage = (event: MessageEvent<ToPainter>): void => {
  const message = event.data
  switch (message.type) {
    case 'look':
      look = { palette: message.palette, ratio: message.ratio }
      for (const view of Object.values(views)) begin(view, message.epoch)
      return
    case 'scene': {
      const view = views[message.view]
      view.picture = message.scene ? new Picture(message.scene) : null
      view.indexOfKey = null
      begin(view, message.epoch)
      return
    }
    case 'overlay': {
      const view = views[message.view]
      if (view.picture) view.picture.overlay = fitting(view, message.overlay)
      begin(view, message.epoch)
      return
    }
    case 'hits': {
      const view = views[message.view]
      if (view.picture) view.picture.hits = fitting(view, message.hits)
      begin(view, message.epoch)
      return
    }
    case 'want': {
      const { scale, tiles, visible, pace } = message
      views[message.view].want = { scale, tiles, visible, pace, next: 0 }
      paintSoon()
      return
    }
    case 'ask':
      try {
        answer(message.id, message.name, message.input)
      } catch (problem) {
        const text = problem instanceof Error ? (problem.stack ?? problem.message) : String(problem)
        post({ type: 'failed', id: message.id, message: text })
      }
  }
}

/** What was made for another scene says nothing of this one. */
function fitting<T extends { scene: number }>(view: View, part: T | null): T | null {
  return part !== null && part.scene === view.picture?.scene.id ? part : null
}

function begin(view: View, epoch: number): void {
  view.epoch = epoch
  view.want = null
  view.overviewDue = true
}

// One tile a turn: between two of them questions and newer lists come in.
const turn = new MessageChannel()
let turnDue = false
turn.port1.onmessage = (): void => {
  turnDue = false
  for (const id of ['main', 'before'] as const) {
    const started = performance.now()
    if (paintNext(id)) {
      if (views[id].want?.pace === 'half') setTimeout(paintSoon, performance.now() - started)
      else paintSoon()
      return
    }
  }
}

function paintSoon(): void {
  if (turnDue) return
  turnDue = true
  turn.port2.postMessage(null)
}

const canvas = new OffscreenCanvas(tileSize, tileSize)
const context = canvas.getContext('2d', { alpha: false })

function paintNext(id: ViewId): boolean {
  const view = views[id]
  const { want, picture } = view
  if (!want || !look || !context || !picture) return false
  if (view.overviewDue && want.next >= want.visible) {
    view.overviewDue = false
    paintOverview(id, view, picture, look)
    return true
  }
  const at = 2 * want.next
  if (at >= want.tiles.length) return false
  want.next += 1
  const column = want.tiles[at] ?? 0
  const row = want.tiles[at + 1] ?? 0
  paintRegion(context, picture, look, {
    left: (column * tileSize) / want.scale,
    top: (row * tileSize) / want.scale,
    scale: want.scale,
    width: tileSize,
    height: tileSize,
  })
  const bitmap = canvas.transferToImageBitmap()
  const tile = { view: id, epoch: view.epoch, scale: want.scale, column, row, bitmap }
  post({ type: 'tile', ...tile }, [bitmap])
  return true
}

const overviewLongest = 900

function paintOverview(id: ViewId, view: View, picture: Picture, drawn: PictureStyle): void {
  const { width, height } = picture.scene
  const scale = Math.min(1, overviewLongest / Math.max(width, height, 1))
  const bitmap = wholePicture(picture, drawn, scale)?.transferToImageBitmap()
  if (bitmap) post({ type: 'overview', view: id, epoch: view.epoch, scale, bitmap }, [bitmap])
}

function wholePicture(
  picture: Picture,
  drawn: PictureStyle,
  scale: number,
): OffscreenCanvas | null {
  const { left, top } = picture.scene
  const width = Math.max(1, Math.ceil(picture.scene.width * scale))
  const height = Math.max(1, Math.ceil(picture.scene.height * scale))
  const whole = new OffscreenCanvas(width, height)
  const target = whole.getContext('2d', { alpha: false })
  if (!target) return null
  paintRegion(target, picture, drawn, { left, top, scale, width, height })
  return whole
}

function answer(
  id: number,
  name: keyof PaintCalls,
  input: PaintCalls[keyof PaintCalls]['input'],
): void {
  switch (name) {
    case 'hit': {
      const { view, x, y, slack } = input as PaintCalls['hit']['input']
      reply(id, 'hit', hit(views[view], x, y, slack))
      return
    }
    case 'surroundings': {
      const { view, key } = input as PaintCalls['surroundings']['input']
      const { picture } = views[view]
      const item = itemOf(views[view], key)
      if (!picture) reply(id, 'surroundings', null)
      else if (item !== null) reply(id, 'surroundings', surroundings(picture, item))
      else reply(id, 'surroundings', aroundFrame(picture, picture.scene.frames.key.indexOf(key)))
      return
    }
    case 'boxes': {
      const { view, keys } = input as PaintCalls['boxes']['input']
      reply(id, 'boxes', boxesOf(views[view], keys))
      return
    }
    case 'walk': {
      const { view, key, direction, x, y } = input as PaintCalls['walk']['input']
      const { picture } = views[view]
      const from = key === null ? null : itemOf(views[view], key)
      const to = picture === null ? null : walk(picture, from, direction, x, y)
      reply(id, 'walk', to === null ? null : (picture?.scene.items.key[to] ?? null))
      return
    }
    case 'nearest': {
      const { view, x, y } = input as PaintCalls['nearest']['input']
      const { picture } = views[view]
      const item = picture === null ? null : walk(picture, null, 'down', x, y)
      reply(id, 'nearest', item === null ? null : (picture?.scene.items.key[item] ?? null))
      return
    }
    case 'png': {
      const { view, longest } = input as PaintCalls['png']['input']
      void png(views[view], longest).then((value) => reply(id, 'png', value))
    }
  }
}

function reply<N extends keyof PaintCalls>(
  id: number,
  _name: N,
  value: PaintCalls[N]['output'],
): void {
  post({ type: 'answer', id, value })
}

function itemOf(view: View, key: number): number | null {
  if (!view.picture) return null
  if (!view.indexOfKey) {
    const map = new Map<number, number>()
    const { items } = view.picture.scene
    for (let i = 0; i < items.count; i += 1) map.set(items.key[i] ?? 0, i)
    view.indexOfKey = map
  }
  return view.indexOfKey.get(key) ?? null
}

function boxOf(picture: Picture, item: number): Box {
  const { x, y, w, h } = picture.scene.items
  return { x: x[item] ?? 0, y: y[item] ?? 0, w: w[item] ?? 0, h: h[item] ?? 0 }
}

function hit(view: View, x: number, y: number, slack: number): PaintCalls['hit']['output'] {
  const { picture } = view
  if (!picture) return { key: null, frame: null, box: null }
  const { item, frame } = picture.hit(x, y, slack)
  const { items, frames } = picture.scene
  if (item >= 0) return { key: items.key[item] ?? null, frame: null, box: boxOf(picture, item) }
  if (frame < 0) return { key: null, frame: null, box: null }
  return { key: null, frame: frames.key[frame] ?? null, box: frameBox(picture, frame) }
}

/** Boxes of some items, and the lines between two of them. */
function boxesOf(view: View, keys: number[]): { boxes: Box[]; lines: Lines } {
  const { picture } = view
  if (!picture)
    return { boxes: [], lines: { start: new Uint32Array(1), points: new Float32Array() } }
  const items = new Set<number>()
  for (const key of keys) {
    const item = itemOf(view, key)
    if (item !== null) items.add(item)
  }
  const { from, to, pointStart, points } = picture.scene.edges
  const start = [0]
  const collected: number[] = []
  for (const item of items) {
    for (const edge of picture.edgesOf(item)) {
      if (from[edge] !== item || !items.has(to[edge] ?? -1)) continue
      const end = 2 * (pointStart[edge + 1] ?? 0)
      for (let p = 2 * (pointStart[edge] ?? 0); p < end; p += 1) collected.push(points[p] ?? 0)
      start.push(collected.length / 2)
    }
  }
  return {
    boxes: [...items].map((item) => boxOf(picture, item)),
    lines: { start: Uint32Array.from(start), points: Float32Array.from(collected) },
  }
}

/** The whole graph, at its own size unless that would be too large for a file. */
async function png(view: View, longest: number): Promise<PaintCalls['png']['output']> {
  const { picture } = view
  if (!picture || !look) return null
  const { width, height } = picture.scene
  const scale = Math.min(2, longest / Math.max(width, height, 1))
  const whole = wholePicture(picture, { ...look, ratio: 1 }, scale)
  if (!whole) return null
  const blob = await whole.convertToBlob({ type: 'image/png' })
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let binary = ''
  for (let at = 0; at < bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  }
  return { base64: btoa(binary) }
}
