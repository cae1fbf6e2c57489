import fs from 'node:fs'
import path from 'node:path'

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return fs.statSync(file).isFile()
  } catch {
    return false
  }
}

function pathFolders(): string[] {
  return (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
}

/** The first executable of that name on PATH; an absolute path is checked as it is. */
export function findOnPath(name: string): string | undefined {
  if (path.isAbsolute(name)) return isExecutable(name) ? name : undefined
  return pathFolders()
    .map((folder) => path.join(folder, name))
    .find(isExecutable)
}

/** By folder: the names in it, and when they were last changed. A build asks each time, and /usr/bin is large. */
const namesIn = new Map<string, { changed: number; names: string[] }>()

function namesOf(folder: string): string[] {
  const changed = fs.statSync(folder).mtimeMs
  const known = namesIn.get(folder)
  if (known?.changed === changed) return known.names
  const names = fs.readdirSync(folder).sort()
  namesIn.set(folder, { changed, names })
  return names
}

/** Every executable on PATH whose name matches, symlinks to the same file taken once. */
export function findAllOnPath(pattern: RegExp): string[] {
  const seen = new Set<string>()
  const found: string[] = []
  for (const folder of pathFolders()) {
    let names: string[]
    try {
      names = namesOf(folder)
    } catch {
      continue
    }
    for (const name of names) {
      if (!pattern.test(name)) continue
      const file = path.join(folder, name)
      if (!isExecutable(file)) continue
      const real = fs.realpathSync(file)
      if (seen.has(real)) continue
      seen.add(real)
      found.push(file)
    }
  }
  return found
}
