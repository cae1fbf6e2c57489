import type { GraphPlace } from '../../../electron/contract/graph'
import { filesStore, projectPath } from '../../store/files'
import { graphStore } from './graph'
import { modelOf } from '../../editor/models'
import { monaco, type Monaco } from '../../editor/monaco'

type Marked = { model: Monaco.editor.ITextModel; ids: string[] }

let marked: Marked | null = null

/** Marks the piece of the program that the selected node of the graph came from. */
export function followGraphSelection(): void {
  graphStore.subscribe((now, before) => {
    if (now.selectedPlace !== before.selectedPlace) mark(now.selectedPlace)
  })
  filesStore.subscribe((now, before) => {
    // A file that was opened meanwhile has a model now.
    if (now.files !== before.files && marked === null) mark(graphStore.getState().selectedPlace)
  })
}

function mark(place: GraphPlace | null): void {
  const model = place ? modelOf(projectPath(place.file).path) : null
  if (marked && !marked.model.isDisposed()) marked.model.deltaDecorations(marked.ids, [])
  marked = null
  if (!place || !model) return
  const range = new monaco.Range(place.line, place.column, place.endLine, place.endColumn)
  const ids = model.deltaDecorations(
    [],
    [
      {
        range,
        options: {
          className: 'graph-place',
          isWholeLine: false,
          overviewRuler: {
            color: { id: 'editorOverviewRuler.findMatchForeground' },
            position: monaco.editor.OverviewRulerLane.Center,
          },
          stickiness: monaco.editor.TrackedRangeStickiness.NeverGrowsWhenTypingAtEdges,
        },
      },
    ],
  )
  marked = { model, ids }
}
