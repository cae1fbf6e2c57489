import path from 'node:path'

import { manifestFileName } from '../../contract/manifest'

/** Folders of projects whose opsmith.json is in another folder, with that other folder; both absolute. */
const elsewhere = new Map<string, string>()

/** Notes that the opsmith.json of a project is in that folder. */
export function noteManifestFolder(project: string, manifestFolder: string): void {
  if (path.resolve(manifestFolder) === path.resolve(project))
    elsewhere.delete(path.resolve(project))
  else elsewhere.set(path.resolve(project), path.resolve(manifestFolder))
}

/** The folder of a project's opsmith.json and of its build/: the project's own, unless an opsmith.json elsewhere names that as its root. */
export function manifestFolderOf(project: string): string {
  return elsewhere.get(path.resolve(project)) ?? path.resolve(project)
}

/** Absolute. */
export function manifestFileOf(project: string): string {
  return path.join(manifestFolderOf(project), manifestFileName)
}

/** Whether a name relative to a project means its opsmith.json, and that is in another folder. */
export function isManifestElsewhere(project: string, relative: string): boolean {
  return elsewhere.has(path.resolve(project)) && path.normalize(relative) === manifestFileName
}
