import { projectPath, filesStore } from '../../store/files'
import { layoutStore } from '../../store/layout'
import { applyDecorations, type Decorated } from '../../editor/decorations'
import { modelOf } from '../../editor/models'
import { monaco, type Monaco } from '../../editor/monaco'
import { remarksJob } from './extras'
import { remarkText } from './RowMarks'
import { byLine } from './store'

const marks: Decorated = new Map()
/** Letters of a remark after a line; the pointer shows all of it. */
const longest = 90

/** clang's remarks after the lines that they are about, while the Assembly panel is in view. */
export function followRemarks(): void {
  remarksJob.store.subscribe((now, before) => {
    if (now.value !== before.value) markRemarks()
  })
  filesStore.subscribe((now, before) => {
    if (now.files !== before.files) markRemarks()
  })
  layoutStore.subscribe((now, before) => {
    if (now.visible !== before.visible) markRemarks()
  })
}

function markRemarks(): void {
  const isOpen = layoutStore.getState().visible.has('assembly')
  const remarks = isOpen ? (remarksJob.store.getState().value ?? []) : []
  const wanted = new Map<Monaco.editor.ITextModel, Monaco.editor.IModelDeltaDecoration[]>()
  for (const here of byLine(remarks).values()) {
    const [first] = here
    const model = first && modelOf(projectPath(first.file).path)
    if (!first || !model || first.line > model.getLineCount()) continue
    const end = model.getLineMaxColumn(first.line)
    const text = remarkText(first)
    const shown = text.length > longest ? `${text.slice(0, longest)} …` : text
    const more = here.length > 1 ? ` (+${here.length - 1})` : ''
    const list = wanted.get(model) ?? []
    list.push({
      range: new monaco.Range(first.line, end, first.line, end),
      options: {
        showIfCollapsed: true,
        after: {
          content: `    ${shown}${more}`,
          inlineClassName: `assembly-after ${first.kind}`,
          cursorStops: monaco.editor.InjectedTextCursorStops.None,
        },
        hoverMessage: here.map((one) => ({ value: remarkText(one).replace(/([*_`<>])/g, '\\$1') })),
      },
    })
    wanted.set(model, list)
  }
  applyDecorations(marks, wanted)
}
