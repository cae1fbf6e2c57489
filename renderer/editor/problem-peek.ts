import type { MarkerPlace } from 'monaco-editor/editor/contrib/gotoError/browser/markerNavigationService.js'

import { markFile } from './markers'
import { pathOf } from './models'
import { monaco, walkMarkersBy, type MarkerList, type Monaco } from './monaco'

/** Monaco's, which shows the message of a marker below its line. Escape closes it, Alt+F8 goes on in the file. */
type MarkerController = Monaco.editor.IEditorContribution & {
  showAtMarker(marker: Monaco.editor.IMarker): void
}

/** The marker that is to be shown: several may begin at one place. */
let wanted: Monaco.editor.IMarker | undefined

/** Once, before the first message is shown. */
export function showProblemsInOrder(): void {
  walkMarkersBy((resource) => new MarkersInOrder(resource))
}

/** Goes to the problem in the line that has this message, and shows it there. */
export function showProblem(
  editor: Monaco.editor.ICodeEditor,
  line: number,
  message: string,
): void {
  const model = editor.getModel()
  if (!model) return
  // A file that was opened for this has its markers a moment later.
  const path = pathOf(model)
  if (path !== null) markFile(path)
  const marker = markersOf(model.uri).find(
    (one) => one.startLineNumber === line && one.message === message,
  )
  if (!marker) return
  editor.setPosition({ lineNumber: line, column: marker.startColumn })
  wanted = marker
  editor.getContribution<MarkerController>('editor.contrib.markerController')?.showAtMarker(marker)
  wanted = undefined
}

function markersOf(resource: Monaco.Uri): Monaco.editor.IMarker[] {
  return monaco.editor
    .getModelMarkers({ resource })
    .filter(({ severity }) => severity !== monaco.MarkerSeverity.Hint)
    .sort(
      (a, b) =>
        a.startLineNumber - b.startLineNumber ||
        a.startColumn - b.startColumn ||
        b.severity - a.severity,
    )
}

/** The markers of a file from its first line to its last; Monaco's own list goes from errors to notes. */
class MarkersInOrder implements MarkerList {
  private markers: Monaco.editor.IMarker[]
  private index = -1
  private readonly changed = new monaco.Emitter<void>()
  readonly onDidChange = this.changed.event
  private readonly listener: Monaco.IDisposable

  constructor(private readonly resource: Monaco.Uri) {
    this.markers = markersOf(resource)
    this.listener = monaco.editor.onDidChangeMarkers((resources) => {
      if (!resources.some((one) => this.matches(one))) return
      this.markers = markersOf(resource)
      this.index = -1
      this.changed.fire()
    })
  }

  dispose(): void {
    this.listener.dispose()
    this.changed.dispose()
  }

  matches(resource: Monaco.Uri | undefined): boolean {
    return resource?.toString() === this.resource.toString()
  }

  get selected(): MarkerPlace | undefined {
    return this.placeOf(this.index)
  }

  resetIndex(): void {
    this.index = -1
  }

  move(forward: boolean, _model: Monaco.editor.ITextModel, position: Monaco.IPosition): boolean {
    const before = this.index
    const count = this.markers.length
    if (wanted) this.index = this.markers.findIndex((one) => isSame(one, wanted))
    else if (before >= 0) this.index = (before + (forward ? 1 : count - 1)) % count
    else if (forward) this.index = this.first(position)
    else this.index = (this.first(position) + count - 1) % count
    return this.index !== before
  }

  find(_resource: Monaco.Uri, position: Monaco.IPosition): MarkerPlace | undefined {
    return this.placeOf(
      this.markers.findIndex((one) => monaco.Range.containsPosition(one, position)),
    )
  }

  /** The first marker that does not begin before the position. */
  private first({ lineNumber, column }: Monaco.IPosition): number {
    const index = this.markers.findIndex(
      (one) =>
        one.startLineNumber > lineNumber ||
        (one.startLineNumber === lineNumber && one.startColumn >= column),
    )
    return Math.max(index, 0)
  }

  private placeOf(index: number): MarkerPlace | undefined {
    const marker = this.markers[index]
    return marker && { marker, index: index + 1, total: this.markers.length }
  }
}

function isSame(one: Monaco.editor.IMarker, other: Monaco.editor.IMarker | undefined): boolean {
  return (
    one.message === other?.message &&
    one.startLineNumber === other.startLineNumber &&
    one.startColumn === other.startColumn
  )
}
