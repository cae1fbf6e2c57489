import fs from 'node:fs'
import path from 'node:path'

/** Bytes after which the log begins again; the one before stays next to it. */
const largest = 1 << 20

export function logFile(state: string): string {
  return path.join(state, 'opsmith.log')
}

/** Adds a line to the log. Where nothing can be written, the line is lost, and nothing else. */
export function log(state: string, line: string): void {
  const file = logFile(state)
  try {
    fs.mkdirSync(state, { recursive: true })
    if ((fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > largest)
      fs.renameSync(file, `${file}.1`)
    fs.appendFileSync(file, `${new Date().toISOString()} ${line}\n`)
  } catch {
    // A full disk.
  }
}
