import fs from 'node:fs'
import path from 'node:path'

/** A name that is renamed once its file is whole: "NAME.PID-ID", as the engine gives it. */
export const halfName = /\.(\d+)-[0-9a-f]{8}(?:\.d)?$/

/**
 * Paths of all files and folders below a folder, relative to it; what is removed meanwhile is left out. Links are
 * not followed: tests share what is there.
 */
export function pathsBelow(folder: string, within = ''): string[] {
  return entriesOf(path.join(folder, within)).flatMap((entry) => {
    const name = path.join(within, entry.name)
    return entry.isDirectory() ? [name, ...pathsBelow(folder, name)] : [name]
  })
}

function entriesOf(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
