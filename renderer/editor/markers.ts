import type { Diagnostic, DiagnosticNote } from '../../electron/contract/diagnostics'
import { headingAnchor } from '../shell/primitives/heading-anchor'
import { runCommand } from '../store/commands'
import { filesStore, projectPath } from '../store/files'
import { pageOfProblem } from '../store/problem-page'
import { currentProblems, problemsStore } from '../store/problems'
import { projectStore } from '../store/project'
import { modelOf } from './models'
import { monaco, type Monaco } from './monaco'

const owner = 'opsmith'
const helpScheme = 'opsmith-help'

/** Keeps the editors' markers equal to the Problems panel. */
export function followMarkers(): void {
  problemsStore.subscribe(markAll)
}

function markAll(): void {
  for (const path of Object.keys(filesStore.getState().files)) markFile(path)
}

export function markFile(path: string): void {
  const model = modelOf(path)
  if (!model) return
  const here = currentProblems().filter((item) => item.file && projectPath(item.file).path === path)
  monaco.editor.setModelMarkers(
    model,
    owner,
    here.map((item) => markerOf(item, model)),
  )
}

function markerOf(item: Diagnostic, model: Monaco.editor.ITextModel): Monaco.editor.IMarkerData {
  const range = rangeOf(item, model)
  return {
    ...range,
    severity: severityOf(item),
    message: item.message,
    source: item.source,
    ...(item.code === '' ? {} : { code: codeOf(item) }),
    relatedInformation: item.notes.filter((note) => note.file !== '').map(relatedOf),
  }
}

/** In the hover, the code of a lint or of an operator check is a link to its entry in Help. */
function codeOf(item: Diagnostic): NonNullable<Monaco.editor.IMarkerData['code']> {
  const page = pageOfProblem(item)
  if (page === undefined) return item.code
  const anchor = headingAnchor(item.code)
  return {
    value: item.code,
    target: monaco.Uri.from({ scheme: helpScheme, path: page, fragment: anchor }),
  }
}

/** Links to Help inside the editor open its page. */
export function openLinksInHelp(): void {
  monaco.editor.registerLinkOpener({
    open: ({ scheme, path, fragment }) => {
      if (scheme !== helpScheme) return false
      runCommand('help.guides', `${path}#${fragment}`)
      return true
    },
  })
}

function severityOf({ severity }: Diagnostic): Monaco.MarkerSeverity {
  const { Error, Warning, Info } = monaco.MarkerSeverity
  return { error: Error, warning: Warning, note: Info }[severity]
}

/** Compilers name a point, most often; the word that begins there is what a reader looks for. */
function rangeOf(
  place: Pick<Diagnostic, 'line' | 'column' | 'endLine' | 'endColumn'>,
  model: Monaco.editor.ITextModel,
): Monaco.IRange {
  const line = Math.min(Math.max(place.line, 1), model.getLineCount())
  const first = model.getLineFirstNonWhitespaceColumn(line) || 1
  const column = place.column > 0 ? Math.min(place.column, model.getLineMaxColumn(line)) : first
  const word = place.column > 0 ? model.getWordAtPosition({ lineNumber: line, column }) : null
  const lineEnd = model.getLineMaxColumn(line)
  if (place.column > 0 && place.endLine !== undefined && place.endColumn !== undefined) {
    return model.validateRange({
      startLineNumber: line,
      startColumn: column,
      endLineNumber: place.endLine,
      endColumn: place.endColumn,
    })
  }
  const end = place.column > 0 ? Math.max(word?.endColumn ?? 0, column + 1) : lineEnd
  return { startLineNumber: line, startColumn: column, endLineNumber: line, endColumn: end }
}

function relatedOf(note: DiagnosticNote): Monaco.editor.IRelatedInformation {
  const { path, external } = projectPath(note.file)
  const folder = projectStore.getState().project?.folder ?? ''
  const line = Math.max(note.line, 1)
  const column = Math.max(note.column, 1)
  return {
    resource: monaco.Uri.file(external ? path : `${folder}/${path}`),
    message: note.message,
    startLineNumber: line,
    startColumn: column,
    endLineNumber: line,
    endColumn: column + 1,
  }
}
