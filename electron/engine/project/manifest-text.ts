import { findNodeAtLocation, parseTree, type Node } from 'jsonc-parser'

/** `{ "op": "f", "args": ["x"] }`, as the samples write entries. */
export function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => `${JSON.stringify(key)}: ${onOneLine(item)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

/** Whitespace of a file: that of one level, and the end of a line. */
type Style = { unit: string; eol: string }

function styleOf(text: string): Style {
  return {
    unit: /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ',
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  }
}

/** Characters of a line: of an entry, and of one whose neighbour is on one line too. */
const width = 110
const widthLikeNeighbour = 150

/** Wide entries get a line for each field. */
function entryText(entry: unknown, indent: string, { unit, eol }: Style, most = width): string {
  const line = onOneLine(entry)
  const isObject = typeof entry === 'object' && entry !== null && !Array.isArray(entry)
  if (!isObject || line.length + indent.length <= most) return line
  const fields = Object.entries(entry)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => `${indent}${unit}${JSON.stringify(key)}: ${onOneLine(item)}`)
  return `{${eol}${fields.join(`,${eol}`)}${eol}${indent}}`
}

/** The whitespace that begins the line of that offset; undefined when something else comes before it there. */
function indentAt(text: string, offset: number): string | undefined {
  const before = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
  return /^[ \t]*$/.test(before) ? before : undefined
}

/** A comma and a comment after an entry belong to it; what comes after those does not. */
const restOfEntry = /^([ \t]*,)?([ \t]*(\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/))?/

function treeOf(text: string): Node | undefined {
  return parseTree(text, [], { allowTrailingComma: true })
}

/**
 * The text with one more entry in a list that is there, or with a `name` in an object; neither comments nor other
 * entries are touched.
 * @param keys the way to the list or object
 */
export function withEntry(
  text: string,
  keys: readonly string[],
  entry: unknown,
  name?: string,
): string | undefined {
  const tree = treeOf(text)
  const node = tree && findNodeAtLocation(tree, [...keys])
  if (!tree || node?.type !== (name === undefined ? 'array' : 'object')) return undefined
  const style = styleOf(text)
  const key = name === undefined ? '' : `${JSON.stringify(name)}: `
  const last = node.children?.at(-1)
  const end = node.offset + node.length - 1
  if (!last) {
    const line = text.lastIndexOf('\n', node.offset) + 1
    const indent = /^[ \t]*/.exec(text.slice(line))?.[0] ?? ''
    const within = `${indent}${style.unit}`
    const added = `${style.eol}${within}${key}${entryText(entry, within, style)}${style.eol}${indent}`
    // A comment in a list without entries stays, above the new one.
    return `${text.slice(0, end).trimEnd()}${added}${text.slice(end)}`
  }
  const after = last.offset + last.length
  const rest = restOfEntry.exec(text.slice(after, end))
  const comma = rest?.[1] ?? ''
  const comment = rest?.[2] ?? ''
  const place = after + comma.length + comment.length
  const indent = indentAt(text, last.offset)
  // Entries that share a line stay on it.
  const isOnLine = indent === undefined && !comment.includes('//')
  const gap = isOnLine ? ' ' : `${style.eol}${indent ?? style.unit.repeat(2)}`
  const most = text.slice(last.offset, after).includes('\n') ? width : widthLikeNeighbour
  const added = isOnLine ? onOneLine(entry) : entryText(entry, indent ?? '', style, most)
  return `${text.slice(0, after)},${comment}${gap}${key}${added}${text.slice(place)}`
}

/**
 * The text with this value at a key, of which the objects on the way may be missing. Only the value changes, or the line
 * of a new key is added. `undefined` removes the key.
 */
export function withValue(text: string, keys: readonly string[], value: unknown): string {
  const tree = treeOf(text)
  const node = tree && findNodeAtLocation(tree, [...keys])
  if (node && value === undefined) return without(text, node)
  if (node) {
    const line = text.lastIndexOf('\n', node.offset) + 1
    const indent = /^[ \t]*/.exec(text.slice(line))?.[0] ?? ''
    const written = entryText(value, indent, styleOf(text))
    return text.slice(0, node.offset) + written + text.slice(node.offset + node.length)
  }
  if (!tree || value === undefined) return text
  const parent = keys.slice(0, -1)
  const made = findNodeAtLocation(tree, parent) ? text : withValue(text, parent, {})
  return withEntry(made, parent, value, keys.at(-1)) ?? text
}

/** The text without a key and its value, with the comma and the comment that belong to them. */
function without(text: string, value: Node): string {
  const property = value.parent
  const siblings = property?.parent?.children ?? []
  const index = property ? siblings.indexOf(property) : -1
  if (!property || index < 0) return text
  const after = property.offset + property.length
  const rest = restOfEntry.exec(text.slice(after))
  const end = after + (rest?.[0].length ?? 0)
  const before = text.slice(0, property.offset).trimEnd()
  const previous = siblings[index - 1]
  const next = siblings[index + 1]
  if (!previous && next) {
    const isClose = text.slice(end, next.offset).trim() === ''
    return text.slice(0, property.offset) + text.slice(isClose ? next.offset : end)
  }
  if (!previous || next || rest?.[1] !== undefined) return before + text.slice(end)
  // The entry before is the last one now.
  const start = previous.offset + previous.length
  return before.slice(0, start) + before.slice(start).replace(',', '') + text.slice(end)
}
