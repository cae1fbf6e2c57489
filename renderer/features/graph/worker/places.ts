import type { ShownView } from './shown-view'

/** Nodes that a line of a source became; the file as the editor names it, relative or absolute. */
export function nodesAtPlace(view: ShownView, file: string, line: number): number[] {
  const { model } = view
  if (!model || file === '' || line < 1) return []
  const found: number[] = []
  for (const node of model.nodes) {
    const { source } = node
    if (!source || source.line > line || source.endLine < line) continue
    if (!isSameFile(source.file, file)) continue
    // A block's owner spans all its lines: the cursor inside means what is inside.
    if (model.blocksOf.has(node.id) && source.line !== line) continue
    if (model.constant[node.id] !== 1 || view.showConstants) found.push(node.id)
  }
  return found
}

function isSameFile(a: string, b: string): boolean {
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`)
}

/** The innermost node of the document that a line of its text belongs to. */
export function nodeAtTextLine(view: ShownView, line: number): number | null {
  const { model } = view
  if (!model) return null
  let found: number | null = null
  for (const node of model.nodes) {
    const own = view.documentNode(node.id)
    if (own === null) continue
    if (node.lines[0] <= line && line <= node.lines[1]) found = own
  }
  return found
}
