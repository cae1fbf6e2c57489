import type { LanguagePosition, RenameReport } from '../../../electron/contract/language'
import { call } from '../../bridge/bridge'
import { runCommand } from '../../store/commands'
import { addFile, filesStore, projectPath } from '../../store/files'
import { openFile } from '../../store/layout'
import { notify, notifyError } from '../../store/notifications'
import { loadModel } from '../models'
import { monaco, type Monaco } from '../monaco'
import { editOf } from './convert'

/** A rename in all files of the project: each is opened, changed and left unsaved, to be looked at. */
export async function provideRename(
  at: LanguagePosition,
  newName: string,
): Promise<Monaco.languages.WorkspaceEdit & Monaco.languages.Rejection> {
  const answer = await call('language.rename', { ...at, newName })
  if (!answer.ok) {
    // Monaco shows no reason once the new name was typed: it writes it to the console.
    notifyError(answer.error)
    return { edits: [], rejectReason: answer.error.message }
  }
  const { edits } = answer.value
  const paths = [...new Set(edits.map((edit) => projectPath(edit.file).path))]
  for (const path of paths) {
    if (!filesStore.getState().files[path]) addFile(path, false)
    // Monaco changes what has a model.
    if (!(await loadModel(path))) {
      const rejectReason = `Opsmith could not read ${path}, so nothing was renamed.`
      notify('error', rejectReason)
      return { edits: [], rejectReason }
    }
  }
  tell(answer.value, newName, paths, at.path)
  return {
    edits: edits.map((edit) => ({
      resource: monaco.Uri.file(edit.file),
      textEdit: editOf(edit),
      versionId: undefined,
    })),
  }
}

/** After Monaco has made the edits. */
function tell(report: RenameReport, newName: string, paths: string[], here: string): void {
  const others = paths.filter((path) => path !== here)
  setTimeout(() => {
    for (const path of others) openFile(path, 0, 1, false)
    if (others.length > 0) openFile(here)
    const left = report.left.map((place) => `${projectPath(place.file).path}:${place.line}`)
    const hidden = left.length - 5
    const more = hidden > 0 ? ` and ${hidden} more ${hidden === 1 ? 'place' : 'places'}` : ''
    if (others.length === 0 && left.length === 0) return
    const places = `${report.edits.length} ${report.edits.length === 1 ? 'place' : 'places'}`
    const files = `${paths.length} ${paths.length === 1 ? 'file' : 'files'}`
    notify(
      left.length > 0 ? 'warning' : 'info',
      `Renamed to ${newName} in ${places} of ${files}; the files are not saved yet.`,
      {
        hint:
          left.length > 0
            ? `The old name remains at ${left.slice(0, 5).join(', ')}${more}. At these places, the old name is part of a macro, or the name of something else.`
            : '',
        action: { label: 'Save all', run: () => runCommand('file.saveAll') },
      },
    )
  })
}
