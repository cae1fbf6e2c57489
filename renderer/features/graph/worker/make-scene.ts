import {
  itemOfKey,
  kindOfKey,
  idOfKey,
  type GraphLayout,
  type LayoutItem,
} from '../../../../graph/layout/layout'
import type { GraphModel } from '../../../../graph/model'
import { boxMetrics, itemFlag, type PaintedScene } from '../scene'
import { boxWords, frameName, shownValueLabel, type Words } from './labels'
import { TextMeasure, TextTable } from './text-measure'

export type Fonts = { ui: string; mono: string }

/** Sizes of boxes and words that fit into them. One a font: it remembers the widths of characters. */
export class BoxMaker {
  private readonly title: TextMeasure
  private readonly plain: TextMeasure
  private readonly detail: TextMeasure
  private readonly terminal: TextMeasure

  constructor(fonts: Fonts) {
    this.title = new TextMeasure(`600 ${boxMetrics.titleSize}px ${fonts.ui}`)
    this.plain = new TextMeasure(`${boxMetrics.titleSize}px ${fonts.ui}`)
    this.detail = new TextMeasure(`${boxMetrics.detailSize}px ${fonts.mono}`)
    this.terminal = new TextMeasure(`${boxMetrics.titleSize}px ${fonts.mono}`)
  }

  /** The words of a box, shortened to what it may be wide at most. */
  words(model: GraphModel, item: LayoutItem, showConstants: boolean): Words {
    const words = boxWords(model, item, showConstants)
    const room = boxMetrics.maxWidth - 2 * boxMetrics.padX - markWidth(words)
    return {
      ...words,
      title: this.titleOf(item).fit(words.title, room - this.plain.width(words.prefix)),
      details: words.details.map((line) => this.detail.fit(line, room)),
    }
  }

  size(words: Words, item: LayoutItem): { width: number; height: number } {
    const title = this.plain.width(words.prefix) + this.titleOf(item).width(words.title)
    const detail = Math.max(0, ...words.details.map((line) => this.detail.width(line)))
    const inner = Math.max(title, detail) + markWidth(words)
    return {
      width: Math.ceil(Math.max(boxMetrics.minWidth, inner + 2 * boxMetrics.padX)),
      height:
        boxMetrics.lineHeight +
        words.details.length * boxMetrics.detailHeight +
        2 * boxMetrics.padY,
    }
  }

  private titleOf(item: LayoutItem): TextMeasure {
    return item.kind === 'node' || item.kind === 'group' ? this.title : this.terminal
  }
}

function markWidth(words: Words): number {
  return words.custom || words.folded ? boxMetrics.mark : 0
}

/** A layout with its words and marks, in arrays of its own: the painter takes them away. */
export function makeScene(
  id: number,
  model: GraphModel,
  layout: GraphLayout,
  boxes: BoxMaker,
  showConstants: boolean,
  marks: Uint8Array | null,
): PaintedScene {
  const table = new TextTable()
  const { count } = layout.items
  const prefix = new Int32Array(count)
  const title = new Int32Array(count)
  const detail = new Int32Array(count)
  const flags = new Uint8Array(count)
  const change = new Uint8Array(count)
  const headers = new Set<number>()
  for (let f = 0; f < layout.frames.count; f += 1) headers.add(layout.frames.key[f] ?? 0)
  for (let i = 0; i < count; i += 1) {
    const key = layout.items.key[i] ?? 0
    const item = itemOfKey(model, key)
    if (!item) continue
    const words = boxes.words(model, item, showConstants)
    prefix[i] = table.add(words.prefix)
    title[i] = table.add(words.title)
    detail[i] = table.add(words.details.join('\n'))
    const isOpen = headers.has(key)
    flags[i] =
      (words.custom ? itemFlag.custom : 0) |
      (words.folded && !isOpen ? itemFlag.folded : 0) |
      (item.kind === 'input' ? itemFlag.input : 0) |
      (item.kind === 'output' ? itemFlag.output : 0)
    if (marks) change[i] = changeOf(model, item, marks)
  }
  return {
    id,
    left: layout.left,
    top: layout.top,
    width: layout.width,
    height: layout.height,
    strings: table.strings,
    items: {
      count,
      key: layout.items.key.slice(),
      x: layout.items.x.slice(),
      y: layout.items.y.slice(),
      w: layout.items.w.slice(),
      h: layout.items.h.slice(),
      prefix,
      title,
      detail,
      flags,
      change,
    },
    frames: framesOf(model, layout, table),
    edges: edgesOf(model, layout, table, marks, change),
  }
}

/** A folded group takes the marks of what is inside: one kind, or "changed" when there are several. */
function changeOf(model: GraphModel, item: LayoutItem, marks: Uint8Array): number {
  if (item.kind === 'node') return marks[item.node.id] ?? 0
  if (item.kind !== 'group') return 0
  let found = -1
  const open = [item.group.index]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const group = model.groups[at]
    for (const node of group?.nodes ?? []) {
      const mark = marks[node] ?? 0
      if (found >= 0 && mark !== found) return 2
      found = mark
    }
    for (const inner of group?.groups ?? []) open.push(inner)
  }
  return Math.max(found, 0)
}

function framesOf(
  model: GraphModel,
  layout: GraphLayout,
  table: TextTable,
): PaintedScene['frames'] {
  const { frames } = layout
  const label = new Int32Array(frames.count)
  for (let i = 0; i < frames.count; i += 1) {
    const key = frames.key[i] ?? 0
    const group = kindOfKey(key) === 'group' ? model.groups[idOfKey(key)] : undefined
    label[i] = group ? table.add(frameName(group)) : -1
  }
  return {
    count: frames.count,
    key: frames.key.slice(),
    x: frames.x.slice(),
    y: frames.y.slice(),
    w: frames.w.slice(),
    h: frames.h.slice(),
    depth: frames.depth.slice(),
    label,
  }
}

function edgesOf(
  model: GraphModel,
  layout: GraphLayout,
  table: TextTable,
  marks: Uint8Array | null,
  itemChange: Uint8Array,
): PaintedScene['edges'] {
  const { edges } = layout
  const value = new Int32Array(edges.count)
  const label = new Int32Array(edges.count)
  const change = new Uint8Array(edges.count)
  for (let e = 0; e < edges.count; e += 1) {
    const start = edges.valueStart[e] ?? 0
    const first = edges.values[start] ?? -1
    const many = (edges.valueStart[e + 1] ?? 0) - start
    const words = shownValueLabel(model, first)
    value[e] = first
    label[e] = table.add(many > 1 && words !== '' ? `${words} +${many - 1}` : words)
    if (marks) {
      const from = itemChange[edges.from[e] ?? 0] ?? 0
      const to = itemChange[edges.to[e] ?? 0] ?? 0
      // A line is new, or gone, when an end of it is.
      change[e] = from === 1 || to === 1 ? 1 : from === 3 || to === 3 ? 3 : 0
    }
  }
  return {
    count: edges.count,
    from: edges.from.slice(),
    to: edges.to.slice(),
    value,
    label,
    change,
    pointStart: edges.pointStart.slice(),
    points: edges.points.slice(),
  }
}
