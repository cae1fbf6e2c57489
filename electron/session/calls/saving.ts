import path from 'node:path'

import type { FileFilter } from '../../contract/desktop'
import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { writableInProject } from '../../engine/project/inside'
import type { AppSession } from '../app-session'

export interface SaveTarget {
  folder: string
  /** Relative to the project; "" asks the user. */
  named: string
  /** A name for the file, not a place. */
  suggestedName: string
  filters: FileFilter[]
}

/** Where to write: inside the project as named, or where the user says. Null: they changed their mind. */
export async function targetOf(
  { desktop }: AppSession,
  { folder, named, suggestedName, filters }: SaveTarget,
): Promise<Result<string | null>> {
  if (named !== '') return await writableInProject(folder, named)
  const defaultPath = path.join(folder, path.basename(suggestedName))
  return ok(await desktop.askToSave({ title: 'Save', defaultPath, filters }))
}

/** Seconds for a call; 0 takes the settings'. */
export async function timeoutOf({ workbench }: AppSession, asked: number): Promise<number> {
  return asked === 0 ? (await workbench.projects.settings()).callTimeout : asked
}
