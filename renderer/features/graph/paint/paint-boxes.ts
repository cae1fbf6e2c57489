import { coloursAt } from '../../../shell/primitives/colour-map'
import { boxMetrics, changeKind, itemFlag, type GraphPalette } from '../scene'
import type { PictureStyle, Picture } from './picture'
import type { Context, Region } from './region'

/** Modules, functions and blocks that are open: a pane behind what is inside, its name above. */
export function paintFrames(
  context: Context,
  picture: Picture,
  look: PictureStyle,
  region: Region,
): void {
  const { frames } = picture.scene
  const { palette } = look
  const found = [...picture.frames.query(region.left, region.top, region.right, region.bottom)]
  found.sort((a, b) => (frames.depth[a] ?? 0) - (frames.depth[b] ?? 0))
  context.lineWidth = 1 / region.zoom
  for (const i of found) {
    const x = frames.x[i] ?? 0
    const y = frames.y[i] ?? 0
    const w = frames.w[i] ?? 0
    const h = frames.h[i] ?? 0
    context.fillStyle = palette.frame
    context.strokeStyle = palette.frameBorder
    if (region.zoom < 0.15) {
      context.fillRect(x, y, w, h)
      context.strokeRect(x, y, w, h)
    } else {
      context.beginPath()
      context.roundRect(x, y, w, h, 6)
      context.fill()
      context.stroke()
    }
  }
}

/** Their names, over the lines that go in. */
export function paintFrameNames(
  context: Context,
  picture: Picture,
  look: PictureStyle,
  region: Region,
): void {
  const found = picture.frames.query(region.left, region.top, region.right, region.bottom)
  for (const i of found) paintFrameName(context, picture, i, look.palette, region)
}

/** Names keep their size from far, as long as the pane has room for them. */
function paintFrameName(
  context: Context,
  picture: Picture,
  frame: number,
  palette: GraphPalette,
  region: Region,
): void {
  const { frames } = picture.scene
  const text = picture.text(frames.label[frame] ?? -1)
  if (text === '') return
  const w = frames.w[frame] ?? 0
  const h = frames.h[frame] ?? 0
  const size = Math.max(boxMetrics.labelSize + 0.5, 10.5 / region.zoom)
  if (size > boxMetrics.labelSize + 1 && (h < 4 * size || w < 3 * size)) return
  context.font = `600 ${size}px ${palette.uiFont}`
  context.textAlign = 'left'
  context.textBaseline = 'top'
  const x = (frames.x[frame] ?? 0) + 6 / Math.min(1, region.zoom)
  const y = (frames.y[frame] ?? 0) + 5 / Math.min(1, region.zoom)
  const room = w - 2 * (x - (frames.x[frame] ?? 0))
  const label = `▾ ${text}`
  const wide = context.measureText(label).width
  // From afar it stays as large as on the screen; rather smaller than cut off.
  if (wide > room) {
    const smaller = Math.max(boxMetrics.labelSize + 0.5, (size * room) / wide - 0.1)
    context.font = `600 ${Math.min(size, smaller)}px ${palette.uiFont}`
  }
  const said = fitted(context, label, room)
  const box = context.measureText(said)
  context.globalAlpha = 0.75
  context.fillStyle = palette.background
  context.fillRect(x - 1, y - 1, box.width + 2, box.actualBoundingBoxDescent + 2)
  context.globalAlpha = 1
  context.fillStyle = palette.muted
  context.fillText(said, x, y)
}

function fitted(context: Context, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text
  let low = 0
  let high = text.length
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (context.measureText(`${text.slice(0, middle)}…`).width <= room) low = middle
    else high = middle - 1
  }
  return low === 0 ? '' : `${text.slice(0, low)}…`
}

type Colours = { fill: string; border: string; text: string }

export function paintItems(
  context: Context,
  picture: Picture,
  look: PictureStyle,
  region: Region,
): void {
  const found = picture.items.query(region.left, region.top, region.right, region.bottom)
  const isFar = region.zoom < 0.22
  const misses = picture.hits?.found ?? null
  for (const i of found) {
    const colours = coloursOf(picture, i, look.palette)
    context.globalAlpha = misses !== null && misses[i] === 0 ? 0.3 : 1
    if (isFar) paintFarBox(context, picture, i, colours, region)
    else paintBox(context, picture, i, colours, look.palette, region)
    if (misses !== null && misses[i] === 1) ring(context, picture, i, look.palette.hit, region)
  }
  context.globalAlpha = 1
}

function coloursOf(picture: Picture, i: number, palette: GraphPalette): Colours {
  const { overlay } = picture
  if (overlay && overlay.kind !== 'none') {
    const position = overlay.position[i] ?? Number.NaN
    if (!Number.isNaN(position)) {
      const { background, color } = coloursAt('sequential', position)
      return { fill: background, border: palette.boxBorder, text: color }
    }
    return { fill: palette.box, border: palette.boxBorder, text: palette.muted }
  }
  const { flags, change } = picture.scene.items
  const bits = flags[i] ?? 0
  const fill = bits & (itemFlag.input | itemFlag.output) ? palette.terminal : palette.box
  const kind = change[i] ?? 0
  if (kind === changeKind.added) return { fill, border: palette.added, text: palette.text }
  if (kind === changeKind.changed) return { fill, border: palette.changed, text: palette.text }
  if (kind === changeKind.removed) return { fill, border: palette.removed, text: palette.muted }
  if (bits & itemFlag.custom) return { fill, border: palette.custom, text: palette.text }
  return { fill, border: palette.boxBorder, text: palette.text }
}

/** From far a box is a spot of its border's colour where that says something. */
function paintFarBox(
  context: Context,
  picture: Picture,
  i: number,
  colours: Colours,
  region: Region,
): void {
  const { items } = picture.scene
  const bits = items.flags[i] ?? 0
  const says = (bits & itemFlag.custom) !== 0 || (items.change[i] ?? 0) !== 0
  const observed = picture.overlay !== null && picture.overlay.kind !== 'none'
  context.fillStyle = observed ? colours.fill : says ? colours.border : colours.border
  const least = 1 / region.zoom
  const x = items.x[i] ?? 0
  const y = items.y[i] ?? 0
  const w = Math.max(items.w[i] ?? 0, least)
  const h = Math.max(items.h[i] ?? 0, least)
  context.fillRect(x, y, w, h)
  if (!observed && !says && Math.min(w, h) * region.zoom > 4) {
    context.fillStyle = colours.fill
    context.fillRect(x + least, y + least, w - 2 * least, h - 2 * least)
  }
}

function paintBox(
  context: Context,
  picture: Picture,
  i: number,
  colours: Colours,
  palette: GraphPalette,
  region: Region,
): void {
  const { items } = picture.scene
  const x = items.x[i] ?? 0
  const y = items.y[i] ?? 0
  const w = items.w[i] ?? 0
  const h = items.h[i] ?? 0
  const bits = items.flags[i] ?? 0
  const change = items.change[i] ?? 0
  const isTerminal = (bits & (itemFlag.input | itemFlag.output)) !== 0
  const radius = isTerminal ? Math.min(w, h) / 2 : 4
  context.lineWidth = change !== 0 || bits & itemFlag.custom ? 1.8 : 1
  context.strokeStyle = colours.border
  context.fillStyle = colours.fill
  if (bits & itemFlag.folded) {
    // A second sheet behind: there is more inside.
    context.beginPath()
    context.roundRect(x + 3, y + 3, w, h, radius)
    context.fill()
    context.stroke()
  }
  if (change === changeKind.removed) context.setLineDash([4, 3])
  context.beginPath()
  context.roundRect(x, y, w, h, radius)
  context.fill()
  context.stroke()
  if (change === changeKind.removed) context.setLineDash([])
  if (region.zoom >= 0.34) paintWords(context, picture, i, colours, palette, region)
  if (region.zoom >= 0.3) paintMarks(context, picture, i, colours, palette, region)
}

/** Sizes in a box of one line that has an overlay's number below its title. */
const tight = { titleSize: 11, detailSizes: [10, 9], titleAt: 0.32, detailAt: 0.74 } as const
/** World units between the words of an overlay and the border of their box. */
const inset = 3

function paintWords(
  context: Context,
  picture: Picture,
  i: number,
  colours: Colours,
  palette: GraphPalette,
  region: Region,
): void {
  const { items } = picture.scene
  const bits = items.flags[i] ?? 0
  const number = region.zoom < 0.5 ? '' : overlayText(picture, i)
  const own = picture.text(items.detail[i] ?? -1)
  const isTight = number !== '' && own === ''
  const x0 = items.x[i] ?? 0
  const y0 = items.y[i] ?? 0
  const w = items.w[i] ?? 0
  const h = items.h[i] ?? 0
  const marks = bits & (itemFlag.custom | itemFlag.folded) ? boxMetrics.mark : 0
  const isTerminal = (bits & (itemFlag.input | itemFlag.output)) !== 0
  const left = x0 + boxMetrics.padX + marks
  const middle = x0 + (w + marks) / 2
  // A single word stands in the middle; above a list of attributes it begins where they do.
  const isCentred = isTerminal || own === ''
  const titleY = isTight ? y0 + h * tight.titleAt : y0 + boxMetrics.padY + boxMetrics.lineHeight / 2
  context.textAlign = 'left'
  context.textBaseline = 'middle'
  const family = isTerminal ? palette.monoFont : palette.uiFont
  const plain = `${isTight ? tight.titleSize : boxMetrics.titleSize}px ${family}`
  const bold = isTerminal ? plain : `600 ${plain}`
  const prefix = picture.text(items.prefix[i] ?? -1)
  const title = picture.text(items.title[i] ?? -1)
  const dim = colours.text === palette.text ? palette.muted : colours.text
  context.font = bold
  const titleWidth = isCentred ? context.measureText(title).width : 0
  let x = left
  if (prefix !== '') {
    context.font = plain
    const width = context.measureText(prefix).width
    if (isCentred) x = middle - (titleWidth + width) / 2
    context.fillStyle = dim
    context.fillText(prefix, x, titleY)
    x += width
    context.font = bold
  } else if (isCentred) x = middle - titleWidth / 2
  context.fillStyle = colours.text
  context.fillText(title, x, titleY)
  if (region.zoom < 0.5 || (own === '' && number === '')) return
  context.fillStyle = dim
  if (isTight) {
    context.textAlign = 'center'
    const room = w - 2 * inset
    const [large, small] = tight.detailSizes
    context.font = `${large}px ${palette.monoFont}`
    let words = fittedNumber(context, number, room)
    if (words.endsWith('…')) {
      context.font = `${small}px ${palette.monoFont}`
      words = fittedNumber(context, number, room)
    }
    context.fillText(words, x0 + w / 2, y0 + h * tight.detailAt)
    return
  }
  context.font = `${boxMetrics.detailSize}px ${palette.monoFont}`
  if (isTerminal) context.textAlign = 'center'
  let y = titleY + (boxMetrics.lineHeight + boxMetrics.detailHeight) / 2
  // An overlay's number takes the place of the attributes.
  const lines =
    number === '' ? own.split('\n') : [fittedNumber(context, number, x0 + w - inset - left)]
  for (const line of lines) {
    context.fillText(line, isTerminal ? middle : left, y)
    y += boxMetrics.detailHeight
  }
}

/** "" where no overlay says anything of the box. */
function overlayText({ overlay }: Picture, i: number): string {
  if (!overlay || overlay.kind === 'none') return ''
  return overlay.strings[overlay.text[i] ?? -1] ?? ''
}

/** "1.2 ms · 34 %", rather without its second part than cut off. */
function fittedNumber(context: Context, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text
  return fitted(context, text.split(' · ')[0] ?? '', room)
}

const changeMarks = ['', '+', '~', '−'] as const

/** Signs beside the colours, which say nothing to many. */
function paintMarks(
  context: Context,
  picture: Picture,
  i: number,
  colours: Colours,
  palette: GraphPalette,
  region: Region,
): void {
  const { items } = picture.scene
  const x = items.x[i] ?? 0
  const y = items.y[i] ?? 0
  const w = items.w[i] ?? 0
  const bits = items.flags[i] ?? 0
  const change = items.change[i] ?? 0
  // On a colour of the overlay only the words' own colour is sure to be seen.
  const isPlain = colours.fill === palette.box || colours.fill === palette.terminal
  const middle = y + boxMetrics.padY + boxMetrics.lineHeight / 2
  if (bits & itemFlag.custom) {
    context.fillStyle = isPlain ? palette.custom : colours.text
    context.beginPath()
    context.moveTo(x + 13, middle - 5)
    context.lineTo(x + 18, middle)
    context.lineTo(x + 13, middle + 5)
    context.lineTo(x + 8, middle)
    context.closePath()
    context.fill()
  } else if (bits & itemFlag.folded) {
    context.strokeStyle = isPlain ? palette.muted : colours.text
    context.lineWidth = 1.6
    context.beginPath()
    context.moveTo(x + 10, middle - 4)
    context.lineTo(x + 14.5, middle)
    context.lineTo(x + 10, middle + 4)
    context.stroke()
  }
  if (change !== 0) {
    const colour = [palette.text, palette.added, palette.changed, palette.removed][change]
    badge(context, x + w, y, changeMarks[change] ?? '', colour ?? palette.text, palette)
  }
  const alarm = picture.overlay?.kind === 'values' ? (picture.overlay.alarm[i] ?? 0) : 0
  if (alarm !== 0) {
    const text = alarm === 1 ? 'NaN' : alarm === 2 ? 'inf' : 'NaN inf'
    badge(context, x + w, y, text, palette.alarm, palette)
    ring(context, picture, i, palette.alarm, region)
  }
}

function badge(
  context: Context,
  right: number,
  top: number,
  text: string,
  colour: string,
  palette: GraphPalette,
): void {
  // Signs are small in most fonts: a tilde must not be read as a minus.
  context.font = `700 ${text.length === 1 ? 13 : 10}px ${palette.uiFont}`
  const width = Math.max(13, context.measureText(text).width + 5)
  context.fillStyle = colour
  context.beginPath()
  context.roundRect(right - width + 6, top - 7, width, 13, 6.5)
  context.fill()
  context.fillStyle = palette.background
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.fillText(text, right - width / 2 + 6, top)
}

function ring(context: Context, picture: Picture, i: number, colour: string, region: Region): void {
  const { items } = picture.scene
  const out = Math.max(2, 1.5 / region.zoom)
  context.strokeStyle = colour
  context.lineWidth = Math.max(2, 1.5 / region.zoom)
  context.strokeRect(
    (items.x[i] ?? 0) - out,
    (items.y[i] ?? 0) - out,
    (items.w[i] ?? 0) + 2 * out,
    (items.h[i] ?? 0) + 2 * out,
  )
}
