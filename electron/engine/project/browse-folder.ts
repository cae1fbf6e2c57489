import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

import { manifestFileName } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { RemoteFolder } from '../../contract/remote-calls'

/** Folders that are listed. */
const mostFolders = 500

async function isProject(folder: string): Promise<boolean> {
  return await fs.access(path.join(folder, manifestFileName)).then(
    () => true,
    () => false,
  )
}

async function isFolder(place: string): Promise<boolean> {
  return await fs.stat(place).then(
    (stat) => stat.isDirectory(),
    () => false,
  )
}

/** The folders in a folder, hidden ones last. @param typed a full path, or one from where this process has started */
export async function browseFolder(typed: string): Promise<Result<RemoteFolder>> {
  const folder = path.resolve(typed.replace(/^~(?=\/|$)/, os.homedir()))
  let entries
  try {
    entries = await fs.readdir(folder, { withFileTypes: true })
  } catch {
    return err(
      'project.missing',
      `Could not open ${folder}: the path does not exist, is not a folder, or is not readable.`,
    )
  }
  const isHidden = (name: string): boolean => name.startsWith('.')
  const names = entries
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .sort((a, b) => Number(isHidden(a)) - Number(isHidden(b)) || a.localeCompare(b))
  const listed = names.slice(0, mostFolders)
  const folders = await Promise.all(
    listed.map(async (name) => {
      const place = path.join(folder, name)
      return (await isFolder(place)) ? { name, isProject: await isProject(place) } : undefined
    }),
  )
  return ok({
    folder,
    isProject: await isProject(folder),
    folders: folders.filter((one) => one !== undefined),
    isCut: names.length > mostFolders,
  })
}
