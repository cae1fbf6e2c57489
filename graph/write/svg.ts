import { constantText, describeItem, valueLabel } from '../describe'
import { idOfKey, itemOfKey, kindOfKey } from '../layout/layout'
import type { GraphLayout, LayoutItem } from '../layout/layout'
import { inputsOf } from '../model'
import type { GraphModel } from '../model'

export type Mark = 'added' | 'removed' | 'changed'

export interface SvgOptions {
  theme: 'light' | 'dark'
  showConstants?: boolean
  /** What a node is marked as; a sign stands beside the colour. */
  markOf?: (node: number) => Mark | undefined
}

const themes = {
  light: {
    paper: '#ffffff',
    box: '#f4f6f9',
    border: '#b3bcc8',
    text: '#1c2430',
    dim: '#5f6b7a',
    line: '#8793a3',
    frame: '#00000008',
    frameBorder: '#c9d0d9',
    terminal: '#e8eef6',
    custom: '#fff3d6',
    customBorder: '#b7791f',
    added: '#1a7f4b',
    removed: '#b42318',
    changed: '#8250df',
  },
  dark: {
    paper: '#16191e',
    box: '#232830',
    border: '#4a5462',
    text: '#e3e8ee',
    dim: '#98a3b1',
    line: '#6d7988',
    frame: '#ffffff08',
    frameBorder: '#3a424d',
    terminal: '#1d2a3a',
    custom: '#3a2f17',
    customBorder: '#e0a83c',
    added: '#4ac27f',
    removed: '#f2786d',
    changed: '#b392f0',
  },
} as const
type Theme = Record<keyof (typeof themes)['light'], string>

const signs: Record<Mark, string> = { added: '+', removed: '−', changed: '~' }

/** A standalone SVG picture of a layout; boxes and lines have tooltips. Nothing is loaded from elsewhere. */
export function writeSvg(model: GraphModel, layout: GraphLayout, options: SvgOptions): string {
  const theme: Theme = themes[options.theme]
  const margin = 16
  const left = layout.left - margin
  const top = layout.top - margin
  const width = layout.width + 2 * margin
  const height = layout.height + 2 * margin
  const parts: string[] = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${n(left)} ${n(top)} ${n(width)} ${n(height)}" width="${n(width)}" height="${n(height)}" font-family="system-ui, -apple-system, 'Segoe UI', sans-serif" font-size="12">`,
    `<title>${escapeXml(model.graph.name)}</title>`,
    `<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0.5 8 4 0 7.5Z" fill="${theme.line}"/></marker></defs>`,
    `<rect x="${n(left)}" y="${n(top)}" width="${n(width)}" height="${n(height)}" fill="${theme.paper}"/>`,
  ]
  writeFrames(model, layout, theme, parts)
  writeEdges(model, layout, theme, parts)
  writeItems(model, layout, theme, options, parts)
  parts.push('</svg>')
  return `${parts.join('\n')}\n`
}

function writeFrames(model: GraphModel, layout: GraphLayout, theme: Theme, parts: string[]): void {
  const { frames } = layout
  for (let frame = 0; frame < frames.count; frame += 1) {
    const key = frames.key[frame] ?? 0
    const x = frames.x[frame] ?? 0
    const y = frames.y[frame] ?? 0
    parts.push(
      `<rect x="${n(x)}" y="${n(y)}" width="${n(frames.w[frame] ?? 0)}" height="${n(frames.h[frame] ?? 0)}" rx="8" fill="${theme.frame}" stroke="${theme.frameBorder}"${kindOfKey(key) === 'node' ? ' stroke-dasharray="4 3"' : ''}/>`,
    )
    if (kindOfKey(key) === 'group')
      parts.push(
        `<text x="${n(x + 10)}" y="${n(y + 17)}" fill="${theme.dim}" font-size="11">${escapeXml(model.groups[idOfKey(key)]?.label ?? '')}</text>`,
      )
  }
}

function writeEdges(model: GraphModel, layout: GraphLayout, theme: Theme, parts: string[]): void {
  const { edges, items } = layout
  parts.push(`<g fill="none" stroke="${theme.line}" stroke-width="1.2">`)
  const labels: string[] = []
  const labelled = new Set<number>()
  for (let edge = 0; edge < edges.count; edge += 1) {
    const values = Array.from(
      edges.values.subarray(edges.valueStart[edge] ?? 0, edges.valueStart[edge + 1] ?? 0),
      (value) => model.values[value],
    )
    const tip = values.map((value) => (value ? `%${value.name} : ${value.type}` : '')).join('\n')
    const faint = edges.express[edge] === 1 ? ' stroke-opacity="0.35"' : ''
    parts.push(
      `<path d="${edgePath(layout, edge)}"${faint} marker-end="url(#tip)"><title>${escapeXml(tip)}</title></path>`,
    )
    // What a box puts out is said once, below it.
    const from = edges.from[edge] ?? 0
    if (labelled.has(from) || kindOfKey(items.key[from] ?? 0) === 'input') continue
    labelled.add(from)
    const first = values[0]
    const text = values.length > 1 ? `${values.length} values` : first ? valueLabel(first) : ''
    const point = edges.pointStart[edge] ?? 0
    if (text !== '' && text !== 'Tensor')
      labels.push(
        `<text x="${n((edges.points[point * 2] ?? 0) + 4)}" y="${n((edges.points[point * 2 + 1] ?? 0) + 11)}">${escapeXml(text)}</text>`,
      )
  }
  parts.push('</g>', `<g fill="${theme.dim}" font-size="9.5">`)
  // One by one: a call takes no hundred thousand arguments.
  for (const label of labels) parts.push(label)
  parts.push('</g>')
}

/** The path data of an edge: straight down through layers, curved between them. */
export function edgePath(layout: GraphLayout, edge: number): string {
  const { points, pointStart } = layout.edges
  const first = pointStart[edge] ?? 0
  const end = pointStart[edge + 1] ?? 0
  let x = points[first * 2] ?? 0
  let y = points[first * 2 + 1] ?? 0
  let path = `M${n(x)} ${n(y)}`
  for (let point = first + 1; point < end; point += 1) {
    const nextX = points[point * 2] ?? 0
    const nextY = points[point * 2 + 1] ?? 0
    if (nextX === x) path += `V${n(nextY)}`
    else {
      const middle = n((y + nextY) / 2)
      path += `C${n(x)} ${middle} ${n(nextX)} ${middle} ${n(nextX)} ${n(nextY)}`
    }
    x = nextX
    y = nextY
  }
  return path
}

function writeItems(
  model: GraphModel,
  layout: GraphLayout,
  theme: Theme,
  options: SvgOptions,
  parts: string[],
): void {
  const { items } = layout
  for (let index = 0; index < items.count; index += 1) {
    const key = items.key[index] ?? 0
    const item = itemOfKey(model, key)
    if (!item) continue
    const x = items.x[index] ?? 0
    const y = items.y[index] ?? 0
    const w = items.w[index] ?? 0
    const h = items.h[index] ?? 0
    const { title, namespace, attributes, custom } = describeItem(
      model,
      item,
      options.showConstants ?? false,
    )
    const mark = item.kind === 'node' ? options.markOf?.(item.node.id) : undefined
    const isTerminal = item.kind === 'input' || item.kind === 'output'
    const fill = custom ? theme.custom : isTerminal ? theme.terminal : theme.box
    const stroke = mark ? theme[mark] : custom ? theme.customBorder : theme.border
    parts.push(
      `<g transform="translate(${n(x)} ${n(y)})"><title>${escapeXml(tooltip(model, item))}</title>`,
      `<rect width="${n(w)}" height="${n(h)}" rx="${isTerminal ? n(Math.min(12, h / 2)) : '4'}" fill="${fill}" stroke="${stroke}"${mark ? ' stroke-width="2"' : ''}${mark === 'removed' ? ' stroke-dasharray="5 3"' : ''}/>`,
    )
    if (item.kind === 'group')
      parts.push(
        `<rect x="3" y="3" width="${n(w - 6)}" height="${n(h - 6)}" rx="3" fill="none" stroke="${stroke}"/>`,
      )
    const lines = [title, ...attributes]
    const top = h / 2 - (lines.length - 1) * 7 + 4
    const sign = mark ? `${signs[mark]} ` : ''
    const star = custom ? '★ ' : ''
    const prefix =
      namespace === '' ? '' : `<tspan fill="${theme.dim}">${escapeXml(namespace)}::</tspan>`
    parts.push(
      `<text x="${n(w / 2)}" y="${n(top)}" text-anchor="middle" fill="${theme.text}">${sign}${star}${prefix}${escapeXml(title)}</text>`,
    )
    for (const [line, text] of attributes.entries())
      parts.push(
        `<text x="${n(w / 2)}" y="${n(top + 14 * (line + 1))}" text-anchor="middle" font-size="10.5" fill="${theme.dim}">${escapeXml(text)}</text>`,
      )
    parts.push('</g>')
  }
}

/** All that is known of a box, a line each. */
export function tooltip(model: GraphModel, item: LayoutItem): string {
  if (item.kind === 'group') return item.group.label
  if (item.kind !== 'node') return `%${item.value.name} : ${item.value.type}`
  const { node } = item
  const lines = [node.schema ?? node.kind]
  for (const input of inputsOf(model, node.id)) {
    const value = model.values[input]
    if (!value) continue
    const constant = constantText(model, input)
    lines.push(constant === null ? `in %${value.name} : ${value.type}` : `in ${constant}`)
  }
  for (const output of node.outputs) lines.push(`out %${output.name} : ${output.type}`)
  if (node.scope && node.scope.length > 0) lines.push(node.scope.join(' / '))
  if (node.source) lines.push(`${node.source.file}:${node.source.line}:${node.source.column}`)
  return lines.join('\n')
}

/** Numbers with at most two digits: pictures of large graphs are mostly numbers. */
function n(value: number): string {
  return String(Math.round(value * 100) / 100)
}

/** Text in XML; characters that XML does not have at all become the replacement character. */
export function escapeXml(text: string): string {
  return text

    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
}
