import { describeItem, valueLabel } from '../describe'
import { idOfKey, itemOfKey, kindOfKey } from '../layout/layout'
import { buildScene } from '../layout/scene'
import type { GraphModel } from '../model'

export interface DotOptions {
  folded: ReadonlySet<number>
  showConstants: boolean
}

/**
 * A graph in Graphviz's language: boxes, clusters for blocks and modules, shapes on edges. What is
 * folded is one box, as in the window.
 */
export function writeDot(model: GraphModel, options: DotOptions): string {
  const scene = buildScene(model, { ...options, measure: () => ({ width: 0, height: 0 }) })
  const lines = [
    `digraph ${quote(model.graph.name)} {`,
    '  rankdir=TB;',
    '  node [shape=box, style="rounded,filled", fillcolor="#f4f6f9", color="#b3bcc8", fontname="sans-serif", fontsize=11];',
    '  edge [color="#8793a3", fontname="sans-serif", fontsize=9, arrowsize=0.7];',
  ]
  const names = ['n', 'g', 'i', 'o']
  const nameOf = (key: number): string => `${names[key & 3] ?? 'n'}${idOfKey(key)}`
  const writeContainer = (index: number, indent: string): void => {
    const container = scene.containers[index]
    if (!container) return
    for (const child of container.children) {
      if (child < 0) {
        const inner = scene.containers[~child]
        if (!inner) continue
        const isBlock = kindOfKey(inner.key) === 'group'
        const label = isBlock ? (model.groups[idOfKey(inner.key)]?.label ?? '') : ''
        lines.push(
          `${indent}subgraph cluster_${nameOf(inner.key)} {`,
          `${indent}  label=${quote(label)}; labeljust=l; color="#c9d0d9"; fontname="sans-serif"; fontsize=10;${isBlock ? '' : ' style=dashed;'}`,
        )
        writeContainer(~child, `${indent}  `)
        lines.push(`${indent}}`)
        continue
      }
      const key = scene.key[child] ?? 0
      const item = itemOfKey(model, key)
      if (!item) continue
      const { title, namespace, attributes, custom } = describeItem(
        model,
        item,
        options.showConstants,
      )
      const head = namespace === '' ? title : `${namespace}::${title}`
      const label = [custom ? `★ ${head}` : head, ...attributes].join('\n')
      const style: string[] = [`label=${quote(label)}`]
      if (item.kind === 'node') style.push(`tooltip=${quote(item.node.schema ?? item.node.kind)}`)
      if (custom) style.push('fillcolor="#fff3d6"', 'color="#b7791f"')
      if (item.kind === 'group') style.push('peripheries=2')
      if (item.kind === 'input' || item.kind === 'output')
        style.push('shape=ellipse', 'fillcolor="#e8eef6"')
      lines.push(`${indent}${nameOf(key)} [${style.join(', ')}];`)
    }
  }
  writeContainer(0, '  ')
  const { edges } = scene
  for (let edge = 0; edge < edges.count; edge += 1) {
    const values = Array.from(
      edges.values.subarray(edges.valueStart[edge] ?? 0, edges.valueStart[edge + 1] ?? 0),
      (value) => model.values[value],
    )
    const [first] = values
    const label = values.length > 1 ? `${values.length} values` : first ? valueLabel(first) : ''
    const tip = values.map((value) => (value ? `%${value.name} : ${value.type}` : '')).join('\n')
    lines.push(
      `  ${nameOf(scene.key[edges.from[edge] ?? 0] ?? 0)} -> ${nameOf(scene.key[edges.to[edge] ?? 0] ?? 0)} [label=${quote(label)}, tooltip=${quote(tip)}];`,
    )
  }
  lines.push('}')
  return `${lines.join('\n')}\n`
}

/**
 * A quoted string of DOT. Backslashes are doubled, since Graphviz reads \N, \G and others in labels;
 * line ends become its \n; characters that no text should hold are left out.
 */
export function quote(text: string): string {
  const escaped = text
    .replace(/\\/g, '\\\\')
    .replace(/"/g, '\\"')
    .replace(/\r\n|\r|\n/g, '\\n')

    .replace(/[\u0000-\u001f\u007f]/g, '')
  return `"${escaped}"`
}
