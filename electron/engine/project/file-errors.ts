import type { Result, WorkbenchError } from '../../contract/outcome'

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a folder',
  ENOTDIR: 'part of its path is not a folder',
  EEXIST: 'it exists already',
  ENOTEMPTY: 'the folder is not empty',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its symbolic links form a cycle',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EFBIG: 'it is too large for the file system',
  ETXTBSY: 'it is being executed',
  EIO: 'the disk reports an error',
}

/** What the file system calls an error: "ENOSPC"; "" for an error of another kind. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** Why the file system refused, for users; undefined for an error of another kind. */
export function fileSystemReason(error: unknown): string | undefined {
  return reasons[systemCode(error)]
}

const readingCalls = /^(open|read|scandir|stat|lstat|access|realpath)$/

const roomHint =
  'Free some disk space, or set XDG_CACHE_HOME and XDG_DATA_HOME to folders on a disk with free space.'
const rightsHint =
  'Opsmith writes to the project and to its own folders in ~/.config, ~/.local and ~/.cache: all must be writable.'
const hints: Readonly<Record<string, string>> = {
  ENOSPC: roomHint,
  EDQUOT: roomHint,
  EROFS: rightsHint,
  EACCES: rightsHint,
}

/**
 * An error of the file system that nobody expected where it arose: a full or read-only disk, missing rights, a
 * folder instead of a file. Undefined for an error of another kind, which may be a bug in Opsmith.
 */
export function diskError(error: unknown): WorkbenchError | undefined {
  const reason = fileSystemReason(error)
  if (reason === undefined) return undefined
  const { path, dest, syscall = '' } = error as NodeJS.ErrnoException & { dest?: string }
  const verb = readingCalls.test(syscall) ? 'open' : 'write'
  const hint = verb === 'write' ? hints[systemCode(error)] : undefined
  const place = dest ?? path ?? (verb === 'open' ? 'a file' : 'to the disk')
  const message = `Could not ${verb} ${place}: ${reason}.`
  return { code: 'io', message, ...(hint === undefined ? {} : { hint }) }
}

/** Runs work that writes files. What the file system refuses becomes its error (io), and is not thrown. */
export async function withFileErrors<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await work()
  } catch (error) {
    const refused = diskError(error)
    if (!refused) throw error
    return { ok: false, error: refused }
  }
}
