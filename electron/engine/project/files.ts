import { createHash, randomUUID } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'

import { err, ok } from '../../contract/outcome'
import type { Result, WorkbenchError } from '../../contract/outcome'
import type { FileContent } from '../../contract/project'

/** Files beyond this are not sources. */
const largestFile = 8 << 20

export function versionOf(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32)
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** What the machine refuses, whatever program asks. */
const refusals: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EIO: 'the disk reports an error',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EISDIR: 'it is a folder',
  ENOTDIR: 'part of its path is not a folder',
  EEXIST: 'something else is in its place',
  ENOTEMPTY: 'a folder is in its place',
}

const reasons: Readonly<Record<string, string>> = {
  ...refusals,
  ENOENT: 'it is not there',
  EEXIST: 'it exists already',
}

/** A reason a user can read for what the file system said. */
export function ioError(error: unknown, doing: string): ReturnType<typeof err> {
  return err('io', `Could not ${doing}: ${reasons[codeOf(error)] ?? String(error)}.`)
}

/** The absolute path of a project's file; nothing outside the project can be named, symlinks followed. */
export async function insideProject(folder: string, relative: string): Promise<Result<string>> {
  const refuse = (): Result<string> =>
    err('request.invalid', `${relative} is outside the project.`, { path: 'path' })
  if (path.isAbsolute(relative)) return refuse()
  const target = path.resolve(folder, relative)
  const root = await fs.realpath(folder).catch(() => path.resolve(folder))
  const within = (candidate: string, base: string): boolean =>
    candidate === base || candidate.startsWith(base + path.sep)
  if (!within(target, path.resolve(folder))) return refuse()
  let existing = target
  for (;;) {
    try {
      return within(await fs.realpath(existing), root) ? ok(target) : refuse()
    } catch {
      const parent = path.dirname(existing)
      if (parent === existing) return refuse()
      existing = parent
    }
  }
}

const refusalHints: Readonly<Record<string, string>> = {
  ENOSPC: 'Free some space, or set XDG_CACHE_HOME to a folder on a disk that has some.',
  EDQUOT: 'Free some space, or set XDG_CACHE_HOME to a folder on a disk that has some.',
  EROFS: 'Opsmith writes to the project and to $XDG_CACHE_HOME/opsmith: both must be writable.',
  EACCES: 'Opsmith writes to the project and to $XDG_CACHE_HOME/opsmith: both must be writable.',
}

/**
 * A full or read-only disk, missing rights, a folder in the place of a file: undefined where the error is none of
 * these, and so may be a bug of ours.
 */
export function diskError(error: unknown): WorkbenchError | undefined {
  if (!(error instanceof Error) || !('syscall' in error)) return undefined
  const code = codeOf(error)
  const reason = refusals[code]
  if (reason === undefined) return undefined
  const file = 'path' in error && typeof error.path === 'string' ? ` ${error.path}` : ' to the disk'
  const reads = error.syscall === 'scandir' || error.syscall === 'read'
  const hint = refusalHints[code]
  const message = `Could not ${reads ? 'read' : 'write'}${file}: ${reason}.`
  return { code: 'io', message, ...(hint !== undefined && { hint }) }
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
      if (codeOf(error) !== 'EEXIST' || !(await fs.stat(folder)).isDirectory()) throw error
      return ''
    }
  }
  try {
    return await make()
  } catch (error) {
    const parent = path.dirname(folder)
    if (codeOf(error) !== 'ENOENT' || parent === folder) throw error
    const highest = await makeFolder(parent)
    const made = await make()
    return highest === '' ? made : highest
  }
}

/** Written whole or not at all: a crash while saving leaves the old file. */
export async function writeAtomically(file: string, data: string | Buffer): Promise<void> {
  await makeFolder(path.dirname(file))
  const temporary = path.join(
    path.dirname(file),
    `.${path.basename(file)}.${randomUUID().slice(0, 8)}`,
  )
  try {
    const mode = await fs.stat(file).then(
      (stat) => stat.mode & 0o777,
      () => 0o644,
    )
    const handle = await fs.open(temporary, 'w', mode)
    try {
      await handle.writeFile(data)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await fs.rename(temporary, file)
  } catch (error) {
    await fs.rm(temporary, { force: true })
    throw error
  }
}

export async function readExternalFile(file: string): Promise<Result<FileContent>> {
  try {
    const stat = await fs.stat(file)
    if (!stat.isFile()) return err('io', `${file} is not a file.`)
    if (stat.size > largestFile)
      return err('io', `${file} is too large to open (${stat.size} bytes).`)
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

/** Refused when the file on disk is not the one the writer last saw; `baseVersion` "" writes regardless. */
export async function writeProjectFile(
  folder: string,
  relative: string,
  text: string,
  baseVersion: string,
): Promise<Result<FileContent>> {
  const target = await insideProject(folder, relative)
  if (!target.ok) return target
  try {
    if (baseVersion !== '') {
      const now = await fs.readFile(target.value).then(versionOf, () => '')
      if (now !== baseVersion) {
        return err(
          'file.conflict',
          now === ''
            ? `${relative} was deleted on disk since it was opened.`
            : `${relative} changed on disk since it was opened.`,
          { hint: 'Compare the two, then keep yours or take the one on disk.', path: relative },
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
): Promise<Result<FileContent>> {
  const target = await insideProject(folder, relative)
  if (!target.ok) return target
  try {
    await fs.mkdir(path.dirname(target.value), { recursive: true })
    await fs.writeFile(target.value, '', { flag: 'wx' })
    return ok({ path: relative, text: '', version: versionOf('') })
  } catch (error) {
    return ioError(error, `create ${relative}`)
  }
}

/** Why the file system refused, for users; undefined for an error of another kind. */
export function fileSystemReason(error: unknown): string | undefined {
  return reasons[codeOf(error)]
}

/** Work that writes files: what the disk refuses is its error (io), and is not thrown. */
export async function withDiskErrors<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await work()
  } catch (error) {
    const refused = diskError(error)
    if (refused) return { ok: false, error: refused }
    throw error
  }
}
