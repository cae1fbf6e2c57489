import { applyDecorations, type Decorated } from '../../editor/decorations'
import { modelOf } from '../../editor/models'
import { monaco, type Monaco } from '../../editor/monaco'
import { buildStamp, filesStore, projectPath } from '../../store/files'
import { projectStore } from '../../store/project'
import { schemasStore } from '../../store/schemas'
import { emptyCell, heatCells, type HeatCell } from './heat-cells'
import { kernelsStore } from './store'

const shown: Decorated = new Map()
const oldText =
  'The sources changed after these counts were recorded, so the counts may be on the wrong lines. Build and run the calls again to update the counts.'

/** A column of cells before the lines of counted files. Called once, when the window starts. */
export function followHeat(): void {
  kernelsStore.subscribe((now, before) => {
    if (
      now.counts !== before.counts ||
      now.metric !== before.metric ||
      now.variant !== before.variant
    )
      drawHeat()
  })
  filesStore.subscribe((now, before) => {
    // A file that was opened meanwhile has a model now; one that was changed makes its column old.
    if (now.files !== before.files || now.sourceRevision !== before.sourceRevision) drawHeat()
  })
  // Flags and tools are part of what was built.
  projectStore.subscribe(drawHeat)
  schemasStore.subscribe(drawHeat)
}

function wantedCells(): Map<string, HeatCell[]> {
  const { variant, metric, counts } = kernelsStore.getState()
  const isShown = variant === 'counted' && metric !== null
  return isShown ? heatCells(counts, metric) : new Map<string, HeatCell[]>()
}

function drawHeat(): void {
  const wanted = new Map<Monaco.editor.ITextModel, Monaco.editor.IModelDeltaDecoration[]>()
  const { files } = filesStore.getState()
  // A build that failed since changes nothing: the kernels that were loaded are still the ones that are called.
  const isOld = schemasStore.getState().stamp !== buildStamp()
  for (const [file, cells] of wantedCells()) {
    const { path } = projectPath(file)
    const model = modelOf(path)
    if (model) wanted.set(model, decorationsOf(model, cells, isOld || files[path]?.dirty === true))
  }
  applyDecorations(shown, wanted)
}

/** Lines without counts have an empty cell, so that the code stays in line. */
function decorationsOf(
  model: Monaco.editor.ITextModel,
  cells: readonly HeatCell[],
  isOld: boolean,
): Monaco.editor.IModelDeltaDecoration[] {
  const byLine = new Map(cells.map((cell) => [cell.line, cell]))
  const old = isOld ? ' kernels-heat-old' : ''
  return Array.from({ length: model.getLineCount() }, (_, index) => {
    const line = index + 1
    const cell = byLine.get(line)
    const words = isOld ? [oldText, ...(cell?.words ?? [])] : (cell?.words ?? [])
    return {
      range: new monaco.Range(line, 1, line, 1),
      options: {
        showIfCollapsed: true,
        stickiness: monaco.editor.TrackedRangeStickiness.NeverGrowsWhenTypingAtEdges,
        before: {
          content: cell?.text ?? emptyCell,
          inlineClassName: cell ? `kernels-heat kernels-heat-${cell.level}${old}` : 'kernels-heat',
          inlineClassNameAffectsLetterSpacing: true,
          cursorStops: monaco.editor.InjectedTextCursorStops.None,
        },
        ...(cell ? { hoverMessage: words.map(asMarkdown) } : {}),
      },
    }
  })
}

const asMarkdown = (text: string): Monaco.IMarkdownString => ({
  value: text.replace(/([*_`<>])/g, '\\$1'),
})
