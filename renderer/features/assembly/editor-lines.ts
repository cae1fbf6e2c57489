import { assemblyStore, coloursOf } from './store'
import { showJob, shownReport } from './jobs'
import { filesStore, projectPath } from '../../store/files'
import { currentFolder } from '../../store/project'
import { layoutStore } from '../../store/layout'
import { applyDecorations, type Decorated } from '../../editor/decorations'
import { modelOf, pathOf } from '../../editor/models'
import { monaco, type Monaco } from '../../editor/monaco'

const lines: Decorated = new Map()
const hovers: Decorated = new Map()

/** Lines of the function whose assembly is shown get its colours, and the pointer links both. */
export function followAssemblyLines(): void {
  assemblyStore.subscribe((now, before) => {
    if (now.hovered !== before.hovered) markHovered()
  })
  showJob.store.subscribe((now, before) => {
    if (now.value !== before.value) colourLines()
  })
  filesStore.subscribe((now, before) => {
    // A file that was opened meanwhile has a model now.
    if (now.files !== before.files) colourLines()
  })
  layoutStore.subscribe((now, before) => {
    if (now.visible !== before.visible) colourLines()
  })
  monaco.editor.onDidCreateEditor((editor) => {
    editor.onMouseMove(({ target }) => {
      const model = editor.getModel()
      const path = model && pathOf(model)
      const line = target.position?.lineNumber
      const { hovered } = assemblyStore.getState()
      const report = shownReport()
      if (!report || path === null || path === undefined || line === undefined) return
      const file = `${currentFolder() ?? ''}/${path}`
      const isKnown = report.rows.some((row) => row.file === file && row.line === line)
      if (!isKnown) {
        if (hovered !== null) assemblyStore.setState({ hovered: null })
      } else if (hovered?.file !== file || hovered.line !== line) {
        assemblyStore.setState({ hovered: { file, line } })
      }
    })
    editor.onMouseLeave(() => {
      if (assemblyStore.getState().hovered !== null) assemblyStore.setState({ hovered: null })
    })
  })
}

function colourLines(): void {
  const report = shownReport()
  const isOpen = layoutStore.getState().visible.has('assembly')
  const wanted = new Map<Monaco.editor.ITextModel, Monaco.editor.IModelDeltaDecoration[]>()
  for (const [key, colour] of isOpen ? coloursOf(report) : []) {
    const colon = key.lastIndexOf(':')
    const model = modelOf(projectPath(key.slice(0, colon)).path)
    const line = Number(key.slice(colon + 1))
    if (!model || line > model.getLineCount()) continue
    const list = wanted.get(model) ?? []
    list.push({
      range: new monaco.Range(line, 1, line, 1),
      options: {
        isWholeLine: true,
        className: `assembly-line assembly-c${colour}`,
        linesDecorationsClassName: `assembly-gutter assembly-c${colour}`,
      },
    })
    wanted.set(model, list)
  }
  applyDecorations(lines, wanted)
}

function markHovered(): void {
  const { hovered } = assemblyStore.getState()
  const model = hovered ? modelOf(projectPath(hovered.file).path) : null
  const wanted = new Map<Monaco.editor.ITextModel, Monaco.editor.IModelDeltaDecoration[]>()
  if (hovered && model && hovered.line <= model.getLineCount()) {
    const range = new monaco.Range(hovered.line, 1, hovered.line, 1)
    wanted.set(model, [{ range, options: { isWholeLine: true, className: 'assembly-hover' } }])
  }
  applyDecorations(hovers, wanted)
}
