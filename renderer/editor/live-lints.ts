import { call } from '../bridge/bridge'
import { buildJob } from '../store/build'
import { isBusy } from '../store/busy'
import { filesStore } from '../store/files'
import { lintStore } from '../store/lints'
import { currentFolder, projectStore } from '../store/project'
import { modelOf, pathOf, textOf } from './models'
import { monaco } from './monaco'

/** After the last key press; long enough for a word, short enough to be there when one looks up. */
const delay = 300
let timer: ReturnType<typeof setTimeout> | undefined
let asking = false
let again = false
/** There are edits that were not linted yet. What is saved or opened was not typed just now, and can wait. */
let isTyped = false

/** Lints the open project now, and again a moment after each edit or change on disk. */
export function followLints(): void {
  monaco.editor.onDidCreateModel((model) => {
    model.onDidChangeContent(() => {
      // Only what is saved or typed by the user: texts in comparisons are no files.
      if (!/^(cpp|cuda)$/.test(model.getLanguageId()) || pathOf(model) === null) return
      isTyped = true
      lintSoon()
    })
  })
  filesStore.subscribe((now, before) => {
    if (now.sourceRevision !== before.sourceRevision) lintSoon()
  })
  projectStore.subscribe((now, before) => {
    if (now.project?.folder !== before.project?.folder) lintStore.setState({ found: [] })
    if (now.project !== before.project && now.project !== null) lintSoon()
  })
}

function lintSoon(): void {
  clearTimeout(timer)
  timer = setTimeout(() => void lint(), delay)
}

async function lint(): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  // Main parses the sources for it: after a save, all that was asked for comes first.
  if (isTyped ? buildJob.isRunning() : isBusy()) {
    lintSoon()
    return
  }
  if (asking) {
    again = true
    return
  }
  asking = true
  isTyped = false
  const unsaved = Object.values(filesStore.getState().files).flatMap((file) => {
    const model = file.dirty && !file.external ? modelOf(file.path) : null
    return model ? [{ path: file.path, text: textOf(model) }] : []
  })
  const result = await call('lint.project', { folder, unsaved })
  asking = false
  // A project whose opsmith.json cannot be read is told about elsewhere.
  if (currentFolder() === folder) lintStore.setState({ found: result.ok ? result.value : [] })
  if (again) {
    again = false
    lintSoon()
  }
}
