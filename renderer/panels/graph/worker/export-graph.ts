import type { ExportFormat } from '../graph-messages'
import type { BoxMaker } from './make-scene'
import type { ShownView } from './shown-view'

export function exportGraph(
  view: ShownView,
  format: ExportFormat,
  _dark: boolean,
  _boxes: BoxMaker,
): string {
  const { model } = view
  if (!model) throw new Error('no graph is shown')
  if (format === 'json') return `${JSON.stringify(model.graph, null, 1)}\n`
  return ''
}
