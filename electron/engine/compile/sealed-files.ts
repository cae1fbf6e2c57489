import { createHash, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

import { z } from 'zod'

/** A name next to `file` that nobody else writes to: what is written there is then renamed. */
export function temporaryBeside(file: string): string {
  return `${file}.${process.pid}-${randomUUID().slice(0, 8)}`
}

/** Size in bytes and hash of a file, as an index keeps them to find damage. */
export const fileContents = z.object({ size: z.int(), hash: z.string() })
export type FileContents = z.infer<typeof fileContents>

/**
 * Modification time of a sealed file, in seconds since 1970. A file that has it is on the disk as its index says:
 * whatever writes to the file later changes the time. So using a cached file costs one look at its size and time,
 * and its content is only hashed where they differ.
 */
const sealTime = 1_000_000_000

function hashOfFile(file: string): string {
  return createHash('sha256').update(fs.readFileSync(file)).digest('hex')
}

/** Throws where the file cannot be read. */
export function contentsOf(file: string): FileContents {
  return { size: fs.statSync(file).size, hash: hashOfFile(file) }
}

/** Whether the file has the seal, and so many bytes. */
export function isSealed(file: string, size: number): boolean {
  const stat = fs.statSync(file, { throwIfNoEntry: false })
  return stat?.size === size && stat.mtimeMs === sealTime * 1000
}

/** Notes that the file was used now: `lastUse` reads it. */
export function touchSealed(file: string): void {
  fs.utimesSync(file, Date.now() / 1000, sealTime)
}

/** When a cached file or folder was used last, in milliseconds since 1970. */
export function lastUse(stat: fs.Stats): number {
  // Listing a folder may change its access time, and folders have no seal.
  return stat.isDirectory() ? stat.mtimeMs : Math.max(stat.atimeMs, stat.mtimeMs)
}

/**
 * Seals a file that is as its index says, once the disk has it; nobody waits for that. A crash of the machine before
 * that leaves a file without a seal, which is compared by its hash when it is used.
 */
export function sealLater(file: string): void {
  const descriptor = fs.openSync(file, 'r')
  const close = (): void => {
    fs.close(descriptor)
  }
  fs.fsync(descriptor, (failure) => {
    if (failure) close()
    // Of a file that is another user's the time cannot be set: it stays without a seal.
    else fs.futimes(descriptor, Date.now() / 1000, sealTime, close)
  })
}

export type FileState = 'intact' | 'missing' | 'damaged'

/** Compares a file with its index. One that is intact has its seal again soon. */
export function stateOf(file: string, made: FileContents): FileState {
  try {
    const stat = fs.statSync(file)
    if (stat.size !== made.size) return 'damaged'
    if (stat.mtimeMs === sealTime * 1000) return 'intact'
    if (hashOfFile(file) !== made.hash) return 'damaged'
    sealLater(file)
    return 'intact'
  } catch {
    return fs.existsSync(file) ? 'damaged' : 'missing'
  }
}

const folderIndex = z.record(z.string(), fileContents)
const indexName = 'contents.json'

/** Files below a folder, relative to it, in one order whatever the file system's is. */
export function listFiles(folder: string, prefix = ''): string[] {
  return fs
    .readdirSync(path.join(folder, prefix), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const name = path.join(prefix, entry.name)
      return entry.isDirectory() ? listFiles(folder, name) : [name]
    })
}

/** In pieces: a precompiled header has a hundred megabytes, and a window's process may do this. */
async function sealWithContents(file: string): Promise<FileContents> {
  const hash = createHash('sha256')
  let size = 0
  for await (const piece of fs.createReadStream(file, { highWaterMark: 1 << 20 })) {
    const bytes = piece as Buffer
    hash.update(bytes)
    size += bytes.length
  }
  const handle = await fs.promises.open(file, 'r')
  try {
    await handle.sync()
    await handle.utimes(Date.now() / 1000, sealTime)
  } finally {
    await handle.close()
  }
  return { size, hash: hash.digest('hex') }
}

/**
 * Renames a folder that was filled elsewhere into its place, with an index of its files, once the disk has all of
 * them. Where another process was first, that one's folder remains.
 */
export async function placeSealedFolder(temporary: string, folder: string): Promise<void> {
  const index: z.infer<typeof folderIndex> = {}
  for (const name of listFiles(temporary))
    index[name] = await sealWithContents(path.join(temporary, name))
  const indexFile = path.join(temporary, indexName)
  fs.writeFileSync(indexFile, JSON.stringify(index))
  await sealWithContents(indexFile)
  try {
    fs.renameSync(temporary, folder)
  } catch {
    fs.rmSync(temporary, { recursive: true, force: true })
  }
}

/** Compares a folder of placeSealedFolder() with its index. */
export function folderState(folder: string): FileState {
  if (!fs.existsSync(folder)) return 'missing'
  try {
    const text = fs.readFileSync(path.join(folder, indexName), 'utf8')
    const files = Object.entries(folderIndex.parse(JSON.parse(text)))
    const isIntact = files.every(
      ([name, made]) => stateOf(path.join(folder, name), made) === 'intact',
    )
    return isIntact ? 'intact' : 'damaged'
  } catch {
    return 'damaged'
  }
}

/** Takes a damaged folder out of the way of the next one; who has files of it open keeps them. */
export function discardFolder(folder: string): void {
  const aside = temporaryBeside(folder)
  try {
    fs.renameSync(folder, aside)
  } catch {
    // Another process has done it.
    return
  }
  fs.rmSync(aside, { recursive: true, force: true })
}
