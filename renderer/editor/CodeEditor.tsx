import { useEffect, useRef, type ReactElement } from 'react'

import { filesStore, useFiles } from '../store/files'
import { openFile } from '../store/layout'
import { settingsStore, useSettings } from '../store/settings'
import { modelOf, pathOf } from './models'
import { monaco, type Monaco } from './monaco'
import { monoFont } from './fonts'
import { showProblem } from './problem-peek'
import { followView, viewStateOf } from './view-states'

type Props = { path: string; panel: string; readOnly: boolean; active: boolean }

/** Of several editors of a file, the one that commands are for. */
let lastFocused: Monaco.editor.ICodeEditor | null = null

export function lastFocusedEditor(): Monaco.editor.ICodeEditor | null {
  return lastFocused
}

export function CodeEditor({ path, panel, readOnly, active }: Props): ReactElement {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<Monaco.editor.IStandaloneCodeEditor | null>(null)
  const fontSize = useSettings((settings) => settings.fontSize)
  const reveal = useFiles(({ reveal: wish }) =>
    wish?.path === path && (wish.panel ?? panel) === panel ? wish : null,
  )

  useEffect(() => {
    const model = modelOf(path)
    if (!host.current || !model) return
    // From the start, else the scroll position that comes back would be of lines of another height.
    const size = settingsStore.getState().settings.fontSize
    const created = monaco.editor.create(host.current, {
      ...options,
      fontSize: size,
      lineHeight: lineHeightOf(size),
      model,
      readOnly,
    })
    editor.current = created
    const view = viewStateOf(path)
    if (view) created.restoreViewState(view)
    const stopFollowing = followView(path, created)
    const listeners = [
      created.onDidFocusEditorText(() => {
        lastFocused = created
        noteCursor(path, created.getPosition())
      }),
      created.onDidChangeCursorPosition((event) => {
        // An edit in another editor of the file moves this one's caret too.
        if (lastFocused === null || lastFocused === created || lastFocused.getModel() !== model)
          noteCursor(path, event.position)
      }),
    ]
    return () => {
      stopFollowing()
      for (const listener of listeners) listener.dispose()
      created.dispose()
      if (lastFocused === created) lastFocused = null
      editor.current = null
    }
  }, [path, readOnly])

  useEffect(() => {
    editor.current?.updateOptions({ fontSize, lineHeight: lineHeightOf(fontSize) })
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
    if (reveal.message !== undefined) showProblem(target, reveal.line, reveal.message)
    filesStore.setState({ reveal: null })
  }, [reveal])

  useEffect(() => {
    // A tab that comes to the front was laid out while it was hidden.
    if (active) editor.current?.layout()
  }, [active])

  return <div className="editor-host" ref={host} data-testid={`editor-${path}`} />
}

const lineHeightOf = (fontSize: number): number => Math.round(fontSize * 1.5)

const options: Monaco.editor.IStandaloneEditorConstructionOptions = {
  automaticLayout: true,
  fontFamily: monoFont,
  fontLigatures: false,
  minimap: { enabled: false },
  scrollBeyondLastLine: false,
  renderLineHighlight: 'line',
  folding: true,
  // Verdicts of tests, crashes and calls that hung.
  glyphMargin: true,
  bracketPairColorization: { enabled: false },
  guides: { indentation: true, bracketPairs: false },
  stickyScroll: { enabled: true, maxLineCount: 3 },
  rulers: [],
  tabSize: 2,
  detectIndentation: true,
  fixedOverflowWidgets: true,
  lineNumbersMinChars: 3,
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
