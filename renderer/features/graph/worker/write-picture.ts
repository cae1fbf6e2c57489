import { diffGraphs } from '../../../../graph/diff/diff-graphs'
import type { GraphModel } from '../../../../graph/model'
import { writeDiffText } from '../../../../graph/write/diff-text'
import { writeDot } from '../../../../graph/write/dot'
import { writeJson } from '../../../../graph/write/json'
import { writeSvg, type Mark } from '../../../../graph/write/svg'
import type { ExportFormat } from '../graph-messages'
import type { ShownView } from './shown-view'

const marks: (Mark | undefined)[] = [undefined, 'added', 'changed', 'removed']

/** The picture as it is folded now (SVG, DOT), or the graph itself (JSON). */
export function exportGraph(
  view: ShownView,
  document: GraphModel,
  other: GraphModel | null,
  format: ExportFormat,
  dark: boolean,
): string {
  const { model, layout } = view
  if (!model || !layout) throw new Error('no graph is shown')
  switch (format) {
    case 'svg':
      return writeSvg(model, layout, {
        theme: dark ? 'dark' : 'light',
        showConstants: view.showConstants,
        markOf: (node) => marks[view.comparison?.marks[node] ?? 0],
      })
    case 'dot':
      return writeDot(model, { folded: view.foldedGroups, showConstants: view.showConstants })
    case 'json':
      return writeJson(document.graph)
    case 'diff':
      return other === null ? '' : writeDiffText(other, document, diffGraphs(other, document))
  }
}
