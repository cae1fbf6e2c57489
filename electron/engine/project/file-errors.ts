import { err } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'it is not there',
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
  ELOOP: 'its links lead in a circle',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EFBIG: 'it is too large for the file system',
  ETXTBSY: 'it is being run',
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

/** An error of the file system that nobody expected where it arose; undefined for an error of another kind. */
export function unexpectedFileError(error: unknown): ReturnType<typeof err> | undefined {
  const reason = fileSystemReason(error)
  if (reason === undefined) return undefined
  const { path, dest, syscall = '' } = error as NodeJS.ErrnoException & { dest?: string }
  const verb = readingCalls.test(syscall) ? 'open' : 'write'
  const hint =
    systemCode(error) === 'ENOSPC'
      ? { hint: 'Make room on the disk, or set XDG_CACHE_HOME to a folder on another one.' }
      : {}
  return err('io', `Could not ${verb} ${dest ?? path ?? 'a file'}: ${reason}.`, hint)
}

/** Work that writes files: what the file system refuses is its error (io), and never thrown. */
export async function withFileErrors<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await work()
  } catch (error) {
    const refused = unexpectedFileError(error)
    if (refused) return refused
    throw error
  }
}
