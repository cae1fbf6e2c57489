import type { Diagnostic, Fix, TextEdit } from '../../electron/contract/diagnostics'
import { currentProblems } from '../store/problems'
import { addFile, filesStore, projectPath } from '../store/files'
import { openFile } from '../store/layout'
import { notify } from '../store/notifications'
import { loadModel, pathOf } from './models'
import { monaco, type Monaco } from './monaco'

const command = 'opsmith.applyFix'

/** The fixes of the listed problems as Monaco's own quick fixes (the light bulb, Ctrl+.). */
export function offerQuickFixes(): void {
  monaco.editor.registerCommand(command, (_accessor, fix: Fix) => void applyFix(fix, true))
  monaco.languages.registerCodeActionProvider(
    ['cpp', 'cuda', 'python', 'json'],
    {
      provideCodeActions: (model, _range, context) => {
        const path = pathOf(model)
        if (path === null) return undefined
        const actions = currentProblems()
          .filter((problem) => problem.file !== '' && projectPath(problem.file).path === path)
          .flatMap((problem) => {
            const marker = context.markers.find((one) => isOf(one, problem))
            return marker ? actionsOf(problem, marker) : []
          })
        return { actions, dispose: () => undefined }
      },
    },
    { providedCodeActionKinds: ['quickfix'] },
  )
}

function isOf(marker: Monaco.editor.IMarkerData, problem: Diagnostic): boolean {
  return (
    marker.startLineNumber === Math.max(problem.line, 1) &&
    marker.source === problem.source &&
    marker.message === problem.message
  )
}

function actionsOf(
  problem: Diagnostic,
  marker: Monaco.editor.IMarkerData,
): Monaco.languages.CodeAction[] {
  return (problem.fixes ?? []).map((fix, index) => ({
    title: fix.title,
    kind: 'quickfix',
    diagnostics: [marker],
    isPreferred: index === 0,
    command: { id: command, title: fix.title, arguments: [fix] },
  }))
}

/**
 * Makes a fix's edits in the editors, each file as one step of undo; nothing is saved. Where a file no
 * longer says what the fix replaces, nothing is changed at all.
 * @param focus the editor takes the keyboard
 */
export async function applyFix(fix: Fix, focus: boolean): Promise<boolean> {
  const refused = await makeEdits(fix.edits)
  if (refused !== null) {
    notify('warning', `"${fix.title}" was not applied: ${refused.why}`, {
      ...(refused.isStale ? { hint: 'Open the list of fixes again.' } : {}),
    })
    return false
  }
  const first = fix.edits[0]
  if (first) openFile(first.file, first.line, first.column, focus)
  return true
}

/** Why edits were not made. `isStale`: the text has changed since they were found. */
interface RefusedEdits {
  why: string
  isStale: boolean
}

/**
 * Makes edits as applyFix() does, and opens no tab.
 * @returns null, or why nothing was changed
 */
export async function makeEdits(allEdits: readonly TextEdit[]): Promise<RefusedEdits | null> {
  const byFile = new Map<string, TextEdit[]>()
  for (const edit of allEdits) byFile.set(edit.file, [...(byFile.get(edit.file) ?? []), edit])
  const work: { model: Monaco.editor.ITextModel; edits: TextEdit[] }[] = []
  for (const [file, edits] of byFile) {
    const { path, external } = projectPath(file)
    if (external) return { why: `${path} is not a file of the project.`, isStale: false }
    if (!filesStore.getState().files[path]) addFile(path, false)
    const model = await loadModel(path)
    if (!model) return { why: `${path} could not be read.`, isStale: false }
    const stale = edits.find(
      (edit) => edit.before !== undefined && model.getValueInRange(rangeOf(edit)) !== edit.before,
    )
    if (stale) return { why: `the text at ${path}:${stale.line} has changed.`, isStale: true }
    work.push({ model, edits })
  }
  for (const { model, edits } of work) {
    model.pushStackElement()
    model.pushEditOperations(
      null,
      edits.map((edit) => ({ range: rangeOf(edit), text: edit.text })),
      () => null,
    )
    model.pushStackElement()
  }
  return null
}

function rangeOf(edit: TextEdit): Monaco.IRange {
  return {
    startLineNumber: edit.line,
    startColumn: edit.column,
    endLineNumber: edit.endLine,
    endColumn: edit.endColumn,
  }
}
