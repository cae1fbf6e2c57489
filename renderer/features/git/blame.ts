import type { BlamedLine } from '../../../electron/contract/git'
import { call } from '../../bridge/bridge'
import { modelOf, textOf } from '../../editor/models'
import { monaco, type Monaco } from '../../editor/monaco'
import { fileStatesStore } from '../../store/file-states'
import { filesStore } from '../../store/files'
import { notifyError } from '../../store/notifications'
import { currentFolder } from '../../store/project'
import { settingsStore } from '../../store/settings'
import { isTracked } from './heads'

/** Milliseconds after the last key or move of the cursor. */
const quiet = 300

let timer: ReturnType<typeof setTimeout> | undefined
/** The decoration that is shown, and what it was made for. */
let shown: { model: Monaco.editor.ITextModel; ids: string[] } | null = null
/** The last answer of git, and the text that it was about. */
let known: { path: string; version: number; lines: readonly BlamedLine[] } | null = null

const isOn = (): boolean => settingsStore.getState().settings.blame

/** Says behind the line of the cursor who changed it last, where the setting is on. Called once, when the window starts. */
export function followBlame(): void {
  filesStore.subscribe((now, before) => {
    if (now.active !== before.active) showSoon()
  })
  settingsStore.subscribe((now, before) => {
    if (now.settings.blame !== before.settings.blame) showSoon()
  })
  fileStatesStore.subscribe(() => {
    known = null
    showSoon()
  })
}

export function forgetBlame(): void {
  clearTimeout(timer)
  known = null
  hide()
}

function hide(): void {
  if (shown && !shown.model.isDisposed()) shown.model.deltaDecorations(shown.ids, [])
  shown = null
}

function showSoon(): void {
  clearTimeout(timer)
  if (!isOn()) {
    hide()
    return
  }
  timer = setTimeout(() => void show(), quiet)
}

async function show(): Promise<void> {
  const { active } = filesStore.getState()
  const folder = currentFolder()
  const model = active && modelOf(active.path)
  if (!active || !model || folder === null || !isTracked(active.path)) {
    hide()
    return
  }
  const { path, line } = active
  const version = model.getVersionId()
  if (known?.path !== path || known.version !== version) {
    const answer = await call('git.blame', { folder, path, text: textOf(model) })
    if (!answer.ok) notifyError(answer.error)
    if (model.isDisposed() || model.getVersionId() !== version) return
    known = { path, version, lines: answer.ok ? answer.value : [] }
  }
  const blamed = known.lines[line - 1]
  hide()
  if (!blamed || !isOn() || filesStore.getState().active?.line !== line) return
  const column = model.getLineMaxColumn(line)
  const ids = model.deltaDecorations(
    [],
    [
      {
        range: new monaco.Range(line, column, line, column),
        options: {
          showIfCollapsed: true,
          after: {
            content: `    ${wordsFor(blamed)}`,
            inlineClassName: 'git-blame',
            cursorStops: monaco.editor.InjectedTextCursorStops.None,
          },
        },
      },
    ],
  )
  shown = { model, ids }
}

/** "Ada Lovelace, 3 days ago: Take the bias into account". */
export function wordsFor({ commit, author, time, summary }: BlamedLine, now = Date.now()): string {
  return commit === '' ? author : `${author}, ${ageText(now / 1000 - time)}: ${summary}`
}

const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

function ageText(seconds: number): string {
  for (const [unit, length] of units) {
    const count = Math.floor(seconds / length)
    if (count > 0) return `${count} ${unit}${count === 1 ? '' : 's'} ago`
  }
  return 'just now'
}
