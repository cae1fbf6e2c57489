// Where things are. Nothing here may import a package: it runs before `npm ci`.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the clone. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..')

/** What set-up makes inside the clone; ignored by git. */
export const setupFolder = path.join(root, '.setup')

/** As electron/engine/places.ts has them. */
function place(variable, ...usual) {
  const base = process.env[variable]
  return path.join(
    base && path.isAbsolute(base) ? base : path.join(os.homedir(), ...usual),
    'opsmith',
  )
}

/** The one folder outside the clone that set-up writes to, the same that the engine uses. */
export function cacheFolder() {
  return place('XDG_CACHE_HOME', '.cache')
}

/** What the user chose. Versions before the engine had places kept it in the cache; it moves at the next start. */
export function settingsFile() {
  const file = path.join(place('XDG_CONFIG_HOME', '.config'), 'settings.json')
  return fs.existsSync(file) ? file : path.join(cacheFolder(), 'settings.json')
}

/** @param {string} name of a command that npm dependencies bring */
export function localCommand(name) {
  return path.join(root, 'node_modules', '.bin', name)
}
