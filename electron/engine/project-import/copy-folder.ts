import fs from 'node:fs/promises'
import path from 'node:path'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { ioError } from '../project/files'
import { ignoredFolders } from '../project/list-tree'
import { runProcess } from '../toolchain/run-command'

/** Bytes from which a file is linked, not copied: such files are data. */
const largestCopied = 8 << 20
/** Files and folders beyond this many are no repository of sources. */
const mostCopied = 100_000

/** The history without files, so that `git describe` answers in the copy. Where git refuses there is none. */
async function copyHistory(folder: string, copy: string): Promise<void> {
  const hasHistory = await fs.stat(path.join(folder, '.git')).then(
    () => true,
    () => false,
  )
  if (!hasHistory) return
  await runProcess('git', ['clone', '--shared', '--no-checkout', '--quiet', folder, copy])
}

/**
 * Copies a repository, so that what its build files write does not reach it. Build folders, environments and
 * hidden folders are left out.
 * @param copy a folder that does not exist
 * Errors: there are too many files (`project.invalid`); the file system says no (`io`).
 */
export async function copyFolder(folder: string, copy: string): Promise<Result<void>> {
  await copyHistory(folder, copy)
  let count = 0
  const isCopied = async (source: string, target: string): Promise<boolean> => {
    if (source === folder) return true
    const name = path.basename(source)
    count += 1
    if (count > mostCopied || ignoredFolders.includes(name)) return false
    const stat = await fs.lstat(source)
    if (stat.isDirectory()) return !name.startsWith('.')
    if (stat.isFile() && stat.size > largestCopied) {
      await fs.symlink(source, target)
      return false
    }
    return stat.isFile() || stat.isSymbolicLink()
  }
  try {
    await fs.cp(folder, copy, { recursive: true, filter: isCopied })
  } catch (error) {
    return ioError(error, `copy ${folder}`)
  }
  return count <= mostCopied
    ? ok(undefined)
    : err(
        'project.invalid',
        `${folder} contains more than ${mostCopied} files and folders, so Opsmith does not copy the folder to run CMake.`,
        {
          hint: 'Choose the folder that contains the sources: opsmith init FOLDER.',
        },
      )
}
