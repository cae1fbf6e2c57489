import { useEffect, useRef, type ReactElement } from 'react'

import { filesStore, useFiles } from '../store/files'
import { openFile } from '../store/layout'
import { useSettings } from '../store/settings'
import { modelOf, pathOf } from './models'
import { monaco, type Monaco } from './monaco'
import { monoFont } from './fonts'

type Props = { path: string; readOnly: boolean; active: boolean }

/** Where the cursor was and what was folded, for when a tab is closed and opened again. */
const viewStates = new Map<string, Monaco.editor.ICodeEditorViewState>()

export function CodeEditor({ path, readOnly, active }: Props): ReactElement {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<Monaco.editor.IStandaloneCodeEditor | null>(null)
  const fontSize = useSettings((settings) => settings.fontSize)
  const reveal = useFiles((state) => (state.reveal?.path === path ? state.reveal : null))

  useEffect(() => {
    const model = modelOf(path)
    if (!host.current || !model) return
    const created = monaco.editor.create(host.current, { ...options, model, readOnly })
    editor.current = created
    const view = viewStates.get(path)
    if (view) created.restoreViewState(view)
    const listeners = [
      created.onDidFocusEditorText(() => noteCursor(path, created.getPosition())),
      created.onDidChangeCursorPosition((event) => noteCursor(path, event.position)),
    ]
    return () => {
      const state = created.saveViewState()
      if (state) viewStates.set(path, state)
      for (const listener of listeners) listener.dispose()
      created.dispose()
      editor.current = null
    }
  }, [path, readOnly])

  useEffect(() => {
    editor.current?.updateOptions({ fontSize, lineHeight: Math.round(fontSize * 1.5) })
  }, [fontSize, path, readOnly])

  useEffect(() => {
    const target = editor.current
    if (!reveal || !target) return
    if (reveal.line > 0) {
      const position = { lineNumber: reveal.line, column: Math.max(reveal.column, 1) }
      target.setPosition(position)
      target.revealPositionInCenterIfOutsideViewport(position)
    }
    if (reveal.focus) target.focus()
    filesStore.setState({ reveal: null })
  }, [reveal])

  useEffect(() => {
    // A tab that comes to the front was laid out while it was hidden.
    if (active) editor.current?.layout()
  }, [active])

  return <div className="editor-host" ref={host} data-testid={`editor-${path}`} />
}

const options: Monaco.editor.IStandaloneEditorConstructionOptions = {
  automaticLayout: true,
  fontFamily: monoFont,
  fontLigatures: false,
  minimap: { enabled: false },
  scrollBeyondLastLine: false,
  renderLineHighlight: 'line',
  folding: true,
  bracketPairColorization: { enabled: false },
  guides: { indentation: true, bracketPairs: false },
  stickyScroll: { enabled: true, maxLineCount: 3 },
  rulers: [],
  tabSize: 2,
  detectIndentation: true,
  fixedOverflowWidgets: true,
  lineNumbersMinChars: 4,
  padding: { top: 6 },
  // Words of the open files, where clangd knows nothing better.
  wordBasedSuggestions: 'allDocuments',
  occurrencesHighlight: 'singleFile',
  'semanticHighlighting.enabled': true,
  inlayHints: { enabled: 'on', fontSize: 0.85 * 13, padding: false, maximumLength: 30 },
  // Hovers and lists of libtorch's overloads are wide.
  suggest: { showStatusBar: true, preview: false },
  accessibilitySupport: 'auto',
}

function noteCursor(path: string, position: Monaco.IPosition | null): void {
  if (!position) return
  filesStore.setState({ active: { path, line: position.lineNumber, column: position.column } })
}

let registered = false

/** Links inside the editor (the notes of a marker) open as files of ours. */
export function openLinksInTabs(): void {
  if (registered) return
  registered = true
  monaco.editor.registerEditorOpener({
    openCodeEditor: (_source, resource, place) => {
      const model = monaco.editor.getModel(resource)
      const file = (model && pathOf(model)) ?? resource.fsPath
      if (!place) openFile(file)
      else if ('lineNumber' in place) openFile(file, place.lineNumber, place.column)
      else openFile(file, place.startLineNumber, place.startColumn)
      return true
    },
  })
}
