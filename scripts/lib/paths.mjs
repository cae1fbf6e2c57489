// Where things are. Nothing here may import a package: it runs before `npm ci`.
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the clone. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..')

/** What set-up makes inside the clone; ignored by git. */
export const setupFolder = path.join(root, '.setup')

/** The one folder outside the clone that set-up writes to, the same that the engine uses. */
export function cacheFolder() {
  const base = process.env['XDG_CACHE_HOME']
  return path.join(
    base && path.isAbsolute(base) ? base : path.join(os.homedir(), '.cache'),
    'opsmith',
  )
}

/** @param {string} name of a command that npm dependencies bring */
export function localCommand(name) {
  return path.join(root, 'node_modules', '.bin', name)
}
