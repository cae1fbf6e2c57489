import fs from 'node:fs'
import path from 'node:path'

/** A name that is renamed once its file is whole: "NAME.PID-ID", as the engine gives it. */
export const halfName = /\.(\d+)-[0-9a-f]{8}(?:\.d)?$/

/** Paths of all files and folders below a folder, relative to it. Links are not followed: tests share what is there. */
export function pathsBelow(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
}
