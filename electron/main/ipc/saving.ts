import path from 'node:path'

import { dialog } from 'electron'
import type { FileFilter } from 'electron'

import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { insideProject } from '../../engine/project/files'
import { readSettings } from '../../engine/project/settings-file'
import type { AppSession } from '../app-session'

/** Where to write: inside the project as named, or where the user says. Null: they changed their mind. */
export async function targetOf(
  session: AppSession,
  folder: string,
  named: string,
  suggestedName: string,
  filters: FileFilter[],
): Promise<Result<string | null>> {
  if (named !== '') return await insideProject(folder, named)
  // The window suggests a name, not a place.
  const defaultPath = path.join(folder, path.basename(suggestedName))
  const options = { title: 'Save', defaultPath, filters }
  const chosen = session.window
    ? await dialog.showSaveDialog(session.window, options)
    : await dialog.showSaveDialog(options)
  return ok(chosen.canceled || chosen.filePath === '' ? null : chosen.filePath)
}

/** Seconds for a call; 0 takes the settings'. */
export async function timeoutOf(session: AppSession, asked: number): Promise<number> {
  return asked === 0 ? (await readSettings(session.installation.cacheFolder)).callTimeout : asked
}
