import { modelOf, textOf } from '../../editor/models'
import { monaco, type Monaco } from '../../editor/monaco'
import { fileStatesStore } from '../../store/file-states'
import { filesStore } from '../../store/files'
import { changedLines, type ChangedLines } from './changed-lines'
import { headOf, headsStore, isTracked } from './heads'

/** Milliseconds after the last key. */
const quiet = 200

const marked = new Map<Monaco.editor.ITextModel, string[]>()
const followed = new WeakSet<Monaco.editor.ITextModel>()
const timers = new Map<string, ReturnType<typeof setTimeout>>()

/** Marks at the line numbers what differs from the last commit. Called once, when the window starts. */
export function followLineMarks(): void {
  filesStore.subscribe((now, before) => {
    if (now.files !== before.files) markAll()
  })
  fileStatesStore.subscribe(markAll)
  headsStore.subscribe(markAll)
}

function markAll(): void {
  for (const { path, state, external } of Object.values(filesStore.getState().files)) {
    const model = state === 'ready' && !external ? modelOf(path) : null
    if (!model) continue
    follow(path, model)
    void mark(path)
  }
  for (const model of marked.keys()) if (model.isDisposed()) marked.delete(model)
}

function follow(path: string, model: Monaco.editor.ITextModel): void {
  if (followed.has(model)) return
  followed.add(model)
  model.onDidChangeContent(() => {
    clearTimeout(timers.get(path))
    timers.set(
      path,
      setTimeout(() => void mark(path), quiet),
    )
  })
}

async function mark(path: string): Promise<void> {
  const head = isTracked(path) ? await headOf(path) : null
  const model = modelOf(path)
  if (!model || model.isDisposed()) return
  const changes = head === null ? [] : changedLines(linesOf(head), linesOf(textOf(model)))
  const ids = model.deltaDecorations(marked.get(model) ?? [], changes.map(decorationOf))
  marked.set(model, ids)
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\n/)
}

const words = {
  added: 'Added since the last commit',
  modified: 'Changed since the last commit',
  deleted: 'Lines were deleted here since the last commit',
} as const

function decorationOf(change: ChangedLines): Monaco.editor.IModelDeltaDecoration {
  const { kind } = change
  const [from, to] =
    kind === 'deleted'
      ? [Math.max(change.after, 1), Math.max(change.after, 1)]
      : [change.from, change.to]
  const place = kind === 'deleted' && change.after === 0 ? 'git-deleted-above' : `git-${kind}`
  return {
    range: new monaco.Range(from, 1, to, 1),
    options: {
      isWholeLine: true,
      linesDecorationsClassName: `git-mark ${place}`,
      linesDecorationsTooltip: words[kind],
      overviewRuler: {
        color: { id: 'editorOverviewRuler.infoForeground' },
        position: monaco.editor.OverviewRulerLane.Left,
      },
    },
  }
}
