import { createHash, randomUUID } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  fsync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import fs from 'node:fs/promises'
import type { Stats } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { FileContent } from '../../contract/project'
import { fileSystemReason, systemCode } from './file-errors'
import { insideProject, writableInProject } from './inside'

/** Files beyond this are not sources. */
const largestFile = 8 << 20
/** In bytes. A larger file on disk counts as changed: no editor has written that much. */
const mostCompared = 64 << 20

export function versionOf(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32)
}

/** The same of a file on disk, read in parts: a large one neither fills the memory nor stops other work. */
export async function versionOfFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const part of createReadStream(file)) hash.update(part as Buffer)
  return hash.digest('hex').slice(0, 32)
}

/** A reason a user can read for what the file system said. */
export function ioError(error: unknown, doing: string): ReturnType<typeof err> {
  return err('io', `Could not ${doing}: ${fileSystemReason(error) ?? String(error)}.`)
}

/**
 * Makes a folder and those above it; one that is there is fine. Node's own way says of a read-only file
 * system that it is not there, and never returns from below a link that leads nowhere.
 *
 * @returns the highest folder that was made; "" where all were there
 */
export async function makeFolder(folder: string): Promise<string> {
  const make = async (): Promise<string> => {
    try {
      await fs.mkdir(folder)
      return folder
    } catch (error) {
      if (systemCode(error) !== 'EEXIST' || !(await fs.stat(folder)).isDirectory()) throw error
      return ''
    }
  }
  try {
    return await make()
  } catch (error) {
    const parent = path.dirname(folder)
    if (systemCode(error) !== 'ENOENT' || parent === folder) throw error
    const highest = await makeFolder(parent)
    const made = await make()
    return highest === '' ? made : highest
  }
}

/** A hidden name next to `file`, which nobody else writes to; builds/leftovers.ts knows it. */
function hiddenTemporaryBeside(file: string): string {
  const name = `.${path.basename(file)}.opsmith-${process.pid}-${randomUUID().slice(0, 8)}`
  return path.join(path.dirname(file), name)
}

const syncToDisk = promisify(fsync)

/** undefined for what is not there, or cannot be reached. */
export function statOf(file: string): Stats | undefined {
  try {
    return statSync(file)
  } catch {
    return undefined
  }
}

/** The permissions of a file that is there, else those of a new one. */
function modeOf(file: string): number {
  const stat = statOf(file)
  return stat === undefined ? 0o644 : stat.mode & 0o777
}

/**
 * Written whole or not at all: a crash while saving leaves the old file. Only fsync is asynchronous: each asynchronous
 * file call costs Electron's main process a millisecond, and a save made a dozen.
 */
export async function writeAtomically(file: string, data: string | Buffer): Promise<void> {
  if (statOf(path.dirname(file))?.isDirectory() !== true) await makeFolder(path.dirname(file))
  const temporary = hiddenTemporaryBeside(file)
  try {
    const descriptor = openSync(temporary, 'w', modeOf(file))
    try {
      writeFileSync(descriptor, data)
      await syncToDisk(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(temporary, file)
  } catch (error) {
    try {
      rmSync(temporary, { force: true })
    } catch {
      // The first error says what is wrong.
    }
    throw error
  }
}

export async function readExternalFile(file: string): Promise<Result<FileContent>> {
  try {
    const stat = await fs.stat(file)
    if (!stat.isFile()) return err('io', `${file} is not a file.`)
    if (stat.size > largestFile)
      return err(
        'io',
        `${file} is too large to open: ${(stat.size / 2 ** 20).toFixed(1)} MiB. The limit is ${largestFile / 2 ** 20} MiB.`,
      )
    const bytes = await fs.readFile(file)
    if (bytes.includes(0)) return err('io', `${file} is not a text file.`)
    return ok({ path: file, text: bytes.toString('utf8'), version: versionOf(bytes) })
  } catch (error) {
    return ioError(error, `read ${file}`)
  }
}

export async function readProjectFile(
  folder: string,
  relative: string,
): Promise<Result<FileContent>> {
  const target = await insideProject(folder, relative)
  if (!target.ok) return target
  const content = await readExternalFile(target.value)
  return content.ok ? ok({ ...content.value, path: relative }) : content
}

/** "" for what is not there, or no file. */
function versionOnDisk(file: string): string {
  try {
    const stat = statSync(file)
    // Reading a named pipe would wait for a writer.
    if (!stat.isFile()) return ''
    return stat.size > mostCompared ? `${stat.size} bytes` : versionOf(readFileSync(file))
  } catch {
    return ''
  }
}

/** Refused when the file on disk is not the one the writer last saw; `baseVersion` "" writes regardless. */
export async function writeProjectFile(
  folder: string,
  relative: string,
  text: string,
  baseVersion: string,
): Promise<Result<FileContent>> {
  const target = await writableInProject(folder, relative)
  if (!target.ok) return target
  try {
    if (baseVersion !== '') {
      const now = versionOnDisk(target.value)
      if (now !== baseVersion) {
        return err(
          'file.conflict',
          now === ''
            ? `${relative} was deleted on disk after you opened it.`
            : `${relative} changed on disk after you opened it.`,
          {
            hint:
              now === ''
                ? 'Write the file again, or discard your text.'
                : 'Compare your text with the file on disk. Then keep your text, or load the file from disk.',
            path: relative,
          },
        )
      }
    }
    await writeAtomically(target.value, text)
    return ok({ path: relative, text, version: versionOf(text) })
  } catch (error) {
    return ioError(error, `write ${relative}`)
  }
}

export async function createProjectFile(
  folder: string,
  relative: string,
  text = '',
): Promise<Result<FileContent>> {
  const target = await writableInProject(folder, relative)
  if (!target.ok) return target
  try {
    await fs.mkdir(path.dirname(target.value), { recursive: true })
    await fs.writeFile(target.value, text, { flag: 'wx' })
    return ok({ path: relative, text, version: versionOf(text) })
  } catch (error) {
    return ioError(error, `create ${relative}`)
  }
}
