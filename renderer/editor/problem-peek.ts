import { markFile } from './markers'
import { pathOf } from './models'
import { monaco, type Monaco } from './monaco'

/** Monaco's, which shows the message of a marker below its line. Escape closes it, Alt+F8 goes on in the file. */
type MarkerController = Monaco.editor.IEditorContribution & {
  showAtMarker(marker: Monaco.editor.IMarker): void
}

/** The marker that is to be shown: several may begin at one place. */
let wanted: Monaco.editor.IMarker | undefined
/** Characters that fit into a line of the widget, which does not wrap. */
let columns = 80

/** In the place of Monaco's service of this name, which goes from errors to notes and not from line to line. */
export const markerNavigation = {
  IMarkerNavigationService: {
    getMarkerList: (resource?: Monaco.Uri): MarkersInOrder => new MarkersInOrder(resource),
  },
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
  columns = columnsOf(editor)
  wanted = marker
  editor.getContribution<MarkerController>('editor.contrib.markerController')?.showAtMarker(marker)
  wanted = undefined
}

function columnsOf(editor: Monaco.editor.ICodeEditor): number {
  const font = editor.getOption(monaco.editor.EditorOption.fontInfo) as Monaco.editor.FontInfo
  const room = editor.getLayoutInfo().contentWidth / font.typicalHalfwidthCharacterWidth
  return Math.max(Math.floor(room) - 2, 40)
}

/** The message in lines that fit, as Monaco counts them: with source and code, which it writes behind the last. */
function wrapped({ message, source = '', code = '' }: Monaco.editor.IMarker): string {
  const name = typeof code === 'string' ? code : code.value
  const room = Math.max(columns - `${source}(${name})`.length, 30)
  return message
    .split('\n')
    .flatMap((line) => wrap(line, room))
    .join('\n')
}

function wrap(line: string, room: number): string[] {
  const lines = ['']
  for (const word of line.split(' ')) {
    const longer = [lines.at(-1), word].join(' ').trimStart()
    if (longer.length <= room) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

function markersOf(resource: Monaco.Uri | undefined): Monaco.editor.IMarker[] {
  return monaco.editor
    .getModelMarkers(resource ? { resource } : {})
    .filter(({ severity }) => severity !== monaco.MarkerSeverity.Hint)
    .sort(
      (a, b) =>
        a.resource.path.localeCompare(b.resource.path) ||
        a.startLineNumber - b.startLineNumber ||
        a.startColumn - b.startColumn ||
        b.severity - a.severity,
    )
}

type MarkerPlace = { marker: Monaco.editor.IMarker; index: number; total: number }

/** What Monaco's widget walks through: the markers of a file, or of all files, from the first line to the last. */
class MarkersInOrder {
  private markers: Monaco.editor.IMarker[]
  private index = -1
  private readonly changed = new monaco.Emitter<void>()
  readonly onDidChange = this.changed.event
  private readonly listener: Monaco.IDisposable

  constructor(private readonly resource: Monaco.Uri | undefined) {
    this.markers = markersOf(resource)
    this.listener = monaco.editor.onDidChangeMarkers((resources) => {
      if (resource && !resources.some((one) => this.matches(one))) return
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
    return resource?.toString() === this.resource?.toString()
  }

  get selected(): MarkerPlace | undefined {
    return this.placeOf(this.index)
  }

  resetIndex(): void {
    this.index = -1
  }

  move(forward: boolean, model: Monaco.editor.ITextModel, position: Monaco.IPosition): boolean {
    const before = this.index
    const count = this.markers.length
    if (wanted) this.index = this.markers.findIndex((one) => isSame(one, wanted))
    else if (before >= 0) this.index = (before + (forward ? 1 : count - 1)) % count
    else if (forward) this.index = this.first(model.uri, position)
    else this.index = (this.first(model.uri, position) + count - 1) % count
    return this.index !== before
  }

  find(resource: Monaco.Uri, position: Monaco.IPosition): MarkerPlace | undefined {
    return this.placeOf(
      this.markers.findIndex(
        (one) =>
          one.resource.toString() === resource.toString() &&
          monaco.Range.containsPosition(one, position),
      ),
    )
  }

  /** The first marker of the file that does not begin before the position. */
  private first(resource: Monaco.Uri, { lineNumber, column }: Monaco.IPosition): number {
    const index = this.markers.findIndex(
      (one) =>
        one.resource.toString() === resource.toString() &&
        (one.startLineNumber > lineNumber ||
          (one.startLineNumber === lineNumber && one.startColumn >= column)),
    )
    return Math.max(index, 0)
  }

  private placeOf(index: number): MarkerPlace | undefined {
    const marker = this.markers[index]
    if (!marker) return undefined
    const shown = { ...marker, message: wrapped(marker) }
    return { marker: shown, index: index + 1, total: this.markers.length }
  }
}

function isSame(one: Monaco.editor.IMarker, other: Monaco.editor.IMarker | undefined): boolean {
  return (
    one.message === other?.message &&
    one.startLineNumber === other.startLineNumber &&
    one.startColumn === other.startColumn
  )
}
