import fs from 'node:fs'
import path from 'node:path'

import { fileSystemReason } from '../project/file-errors'
import { temporaryBeside } from './sealed-files'
import { manifestFolderOf } from '../project/manifest-place'

export interface Published {
  /** Absolute: in the project's build folder, or in the cache where that cannot be written. */
  library: string
  /** The same for <name>.node; "" where there is none. */
  addon: string
  /** Why they are in the cache; undefined where they are in the project. */
  remark?: string
}

/**
 * Puts lib<name>.so and <name>.node into the project's build folder, each by one rename. Where that cannot be
 * done (a read-only project, a full disk, a file called "build"), they stay in the cache: what is built runs.
 *
 * @param loadPath the library in the cache
 * @param genericAddon the file that every <name>.node is a copy of; "" where there is none
 */
export function publish(
  folder: string,
  name: string,
  loadPath: string,
  genericAddon: string,
): Published {
  const target = path.join(manifestFolderOf(folder), 'build')
  try {
    // Making folders above it too, Node says of a read-only project that it is not there.
    if (!isFolder(target)) fs.mkdirSync(target)
    const library = put(loadPath, path.join(target, `lib${name}.so`))
    const addon = genericAddon === '' ? '' : put(genericAddon, path.join(target, `${name}.node`))
    return { library, addon }
  } catch (error) {
    const refused = fileSystemReason(error)
    if (refused === undefined) throw error
    const reason =
      fs.existsSync(target) && !isFolder(target) ? 'this path is a file, not a folder' : refused
    return {
      library: loadPath,
      addon: keepAddon(genericAddon, path.join(path.dirname(loadPath), `${name}.node`)),
      remark: `The build succeeded, but Opsmith could not copy the library to ${target}: ${reason}. Use the library at ${loadPath}, or fix the cause and build again.`,
    }
  }
}

const isFolder = (file: string): boolean =>
  fs.statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false

function put(from: string, to: string): string {
  const temporary = temporaryBeside(to)
  try {
    fs.copyFileSync(from, temporary, fs.constants.COPYFILE_FICLONE)
    fs.renameSync(temporary, to)
  } finally {
    fs.rmSync(temporary, { force: true })
  }
  return to
}

function keepAddon(from: string, to: string): string {
  if (from === '') return ''
  try {
    return put(from, to)
  } catch (error) {
    if (fileSystemReason(error) === undefined) throw error
    return ''
  }
}
