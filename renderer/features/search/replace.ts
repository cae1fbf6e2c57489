import type { TextEdit } from '../../../electron/contract/diagnostics'
import type { SearchMatch } from '../../../electron/contract/search'
import { makeEdits } from '../../editor/quick-fixes'
import { saveFile } from '../../editor/saving'
import { filesStore } from '../../store/files'
import { filesChanged } from '../../store/loop'
import { notify } from '../../store/notifications'
import { currentFolder } from '../../store/project'
import { askToGoOn } from '../../store/questions'
import { countOf, search, searchJob, searchNow } from './search'

type Found = { path: string; match: SearchMatch }

function editOf(folder: string, { path, match }: Found): TextEdit {
  const { line, column, endColumn, text, replacement = '' } = match
  const file = `${folder}/${path}`
  return { file, line, column, endLine: line, endColumn, text: replacement, before: text }
}

/**
 * Replaces matches in the editors' texts, as one step of undo in each file. Files that were saved are saved again;
 * those with unsaved text stay unsaved.
 */
async function replace(found: readonly Found[]): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const isDirty = (path: string): boolean => filesStore.getState().files[path]?.dirty === true
  const paths = [...new Set(found.map(({ path }) => path))]
  const saved = paths.filter((path) => !isDirty(path))
  const refused = await makeEdits(found.map((one) => editOf(folder, one)))
  if (refused !== null) {
    notify('warning', `Nothing was replaced: ${refused.why}`, {
      ...(refused.isStale ? { hint: 'Search again, then replace.' } : {}),
    })
    return
  }
  // One build for all of them.
  for (const path of saved) await saveFile(path, false)
  if (saved.length > 0) filesChanged(saved)
  searchNow()
}

export async function replaceOne(path: string, match: SearchMatch): Promise<void> {
  await replace([{ path, match }])
}

export async function replaceInFile(path: string): Promise<void> {
  const file = searchJob.store.getState().value?.files.find((one) => one.path === path)
  await replace(file?.matches.map((match) => ({ path, match })) ?? [])
}

/** Replaces all matches of what the form says now, after a question. The list may still show an earlier search. */
export async function replaceAll(): Promise<void> {
  const before = searchJob.store.getState().value
  await search()
  // If a file changes meanwhile, that is searched again.
  await searchJob.ended()
  const report = searchJob.store.getState().value
  // It is that of before if the search was stopped.
  if (!report || report === before || report.files.length === 0) return
  const count = countOf(report)
  const all = report.files.flatMap(({ path, matches }) => matches.map((match) => ({ path, match })))
  const matches = count === 1 ? '1 match' : `${count.toLocaleString('en')} matches`
  const files = report.files.length === 1 ? '1 file' : `${report.files.length} files`
  const goesOn = await askToGoOn({
    title: `Replace ${matches} in ${files}?`,
    detail: `${report.isCut ? 'Matches that are not listed do not change. ' : ''}In files with unsaved edits, Opsmith replaces the matches in the editor but does not save the file. Undo restores the text.`,
    action: 'Replace',
  })
  if (goesOn) await replace(all)
}
