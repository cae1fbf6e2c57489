import { applyDecorations, type Decorated } from '../../editor/decorations'
import { modelOf } from '../../editor/models'
import { monaco, type Monaco } from '../../editor/monaco'
import { filesStore, projectPath } from '../../store/files'
import { runCommand } from '../../store/commands'
import { steppingStore } from './store'

const shown: Decorated = new Map()

/** Marks the line where threads have stopped. Called once, when the window starts. */
export function followCurrentLine(): void {
  steppingStore.subscribe((now, before) => {
    if (now.view !== before.view || now.isMoving !== before.isMoving) draw()
  })
  filesStore.subscribe((now, before) => {
    if (now.files !== before.files) draw()
  })
}

function draw(): void {
  const { view, isMoving } = steppingStore.getState()
  const wanted = new Map<Monaco.editor.ITextModel, Monaco.editor.IModelDeltaDecoration[]>()
  const model = view?.place && !isMoving ? modelOf(projectPath(view.place.file).path) : null
  const line = view?.place?.line ?? 0
  if (model && line <= model.getLineCount())
    wanted.set(model, [
      {
        range: new monaco.Range(line, 1, line, 1),
        options: {
          isWholeLine: true,
          className: 'stepping-line',
          linesDecorationsClassName: 'stepping-arrow',
          stickiness: monaco.editor.TrackedRangeStickiness.NeverGrowsWhenTypingAtEdges,
        },
      },
    ])
  applyDecorations(shown, wanted)
}

/** "Run to this line" in the menu of editors of CUDA sources. */
export function offerInEditors(): void {
  monaco.editor.onDidCreateEditor((editor) => {
    // Its own constructor is still running, and takes no action before its end.
    queueMicrotask(() => {
      if (!('addAction' in editor)) return
      const standalone = editor as Monaco.editor.IStandaloneCodeEditor
      standalone.addAction({
        id: 'stepping.toCursor',
        label: 'Run to this line',
        precondition: "editorLangId == 'cuda'",
        contextMenuGroupId: '1_stepping',
        run: () => runCommand('stepping.toCursor'),
      })
    })
  })
}
