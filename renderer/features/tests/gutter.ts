import { modelOf } from '../../editor/models'
import { monaco, type Monaco } from '../../editor/monaco'
import type { TestPlace } from '../../store/feature'
import { filesStore, projectPath } from '../../store/files'
import { hostStore } from '../../store/host'
import { placeOfExit, testGroups, testsStore } from '../../store/tests'

type MarkKind = 'passed' | 'failed' | 'crashed' | 'hung'

/** What a line's mark says; the kind that weighs most is drawn. */
type Mark = { kind: MarkKind; texts: string[] }

const weights: readonly MarkKind[] = ['passed', 'failed', 'hung', 'crashed']

/** Marks by file, as the project names it, and line. */
export function testMarks(): Map<string, Map<number, Mark>> {
  const marks = new Map<string, Map<number, Mark>>()
  const add = (place: TestPlace, kind: MarkKind, text: string): void => {
    const { path } = projectPath(place.file)
    const lines = marks.get(path) ?? new Map<number, Mark>()
    marks.set(path, lines)
    const mark = lines.get(place.line) ?? { kind, texts: [] }
    if (weights.indexOf(kind) > weights.indexOf(mark.kind)) mark.kind = kind
    mark.texts.push(text)
    lines.set(place.line, mark)
  }
  for (const { source, rows } of testGroups()) {
    for (const { state, isOld, place, title, word, why } of rows) {
      if (isOld || place === null) continue
      if (state !== 'passed' && state !== 'failed' && state !== 'crashed') continue
      const verdict = [word, why].filter((text) => text !== '').join(': ')
      add(place, state, `${source.title}, ${title}: ${verdict}`)
    }
  }
  const { crash, hang } = hostStore.getState()
  for (const exit of [crash, hang]) {
    const place = exit && placeOfExit(exit)
    if (place)
      add(
        place,
        exit === hang || exit?.reason === 'timeout' ? 'hung' : 'crashed',
        exit?.message ?? '',
      )
  }
  return marks
}

/** By file, the decorations, and the marks that they show. */
const drawn = new Map<Monaco.editor.ITextModel, { ids: string[]; shown: string }>()

/** Keeps the marks of the open files up to date. */
export function followTestMarks(): void {
  testsStore.subscribe(drawAll)
  hostStore.subscribe((now, before) => {
    if (now.crash !== before.crash || now.hang !== before.hang) drawAll()
  })
  filesStore.subscribe((now, before) => {
    // A file that was opened meanwhile has a model now.
    if (now.files !== before.files) drawAll()
  })
}

function drawAll(): void {
  const marks = testMarks()
  for (const path of Object.keys(filesStore.getState().files)) {
    const model = modelOf(path)
    if (!model) continue
    const lines = [...(marks.get(path) ?? [])].filter(([line]) => line <= model.getLineCount())
    const wanted = lines.map(([line, { kind, texts }]) => ({
      range: new monaco.Range(line, 1, line, 1),
      options: {
        glyphMarginClassName: `tests-mark tests-mark-${kind}`,
        glyphMarginHoverMessage: texts.map((value) => ({ value })),
      },
    }))
    // Setting equal decorations makes the editor redraw, and the tests change many times after a save.
    const shown = JSON.stringify(lines)
    const { ids, shown: before } = drawn.get(model) ?? { ids: [], shown: '[]' }
    // An edit may take a mark away, or spread it over two lines.
    const isThere = ids.every((id) => {
      const range = model.getDecorationRange(id)
      return range !== null && range.startLineNumber === range.endLineNumber
    })
    if (shown === before && isThere) continue
    drawn.set(model, { ids: model.deltaDecorations(ids, wanted), shown })
  }
  for (const model of drawn.keys()) if (model.isDisposed()) drawn.delete(model)
}
