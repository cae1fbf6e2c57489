import fs from 'node:fs/promises'
import path from 'node:path'

import type { FolderEntry, ListedFolder } from '../../contract/file-calls'
import { manifestFileName } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { systemCode } from './file-errors'
import { ioError } from './files'
import { withoutLinks } from './inside'
import { isLinkedFolder } from './list-tree'
import { isManifestElsewhere, manifestFolderOf } from './manifest-place'

/** More entries of one folder are not listed: nobody reads them in a tree. */
const mostEntries = 1000

/** What git runs and reads, and macOS's notes. */
const hiddenNames = new Set(['.git', '.DS_Store'])

/**
 * The absolute path of what is renamed, moved or deleted. The name itself may be a link, which is then renamed and
 * not followed.
 * Errors: those of withoutLinks(); the name belongs to git (`request.invalid`).
 */
export async function changeable(folder: string, relative: string): Promise<Result<string>> {
  if (isManifestElsewhere(folder, relative)) {
    return err(
      'request.invalid',
      `Opsmith does not rename, move or delete opsmith.json: it is in ${manifestFolderOf(folder)}, not in the folder of the sources.`,
      {
        path: 'path',
        hint: `Use a terminal in ${manifestFolderOf(folder)}.`,
      },
    )
  }
  const target = await withoutLinks(folder, relative)
  if (!target.ok) return target
  const parts = path.relative(path.resolve(folder), target.value).split(path.sep)
  return parts.some((part) => part.toLowerCase() === '.git')
    ? err(
        'request.invalid',
        `${relative} is part of .git: Opsmith does not work on git's own files.`,
        {
          path: 'path',
        },
      )
    : target
}

async function exists(file: string): Promise<boolean> {
  return await fs.lstat(file).then(
    () => true,
    () => false,
  )
}

async function listFolder(folder: string, relative: string): Promise<ListedFolder | undefined> {
  const target = relative === '' ? ok(path.resolve(folder)) : await withoutLinks(folder, relative)
  if (!target.ok) return undefined
  if (relative !== '' && isLinkedFolder(target.value)) return undefined
  try {
    const all = await fs.readdir(target.value, { withFileTypes: true })
    const shown = all.filter(({ name }) => !hiddenNames.has(name))
    const entries = shown.slice(0, mostEntries).map((entry): FolderEntry => {
      const { name } = entry
      if (entry.isDirectory()) return { name, kind: 'folder' }
      const isLink = entry.isSymbolicLink() && isLinkedFolder(path.join(target.value, name))
      return { name, kind: isLink ? 'linkedFolder' : 'file' }
    })
    const isElsewhere = relative === '' && isManifestElsewhere(folder, manifestFileName)
    const isListed = entries.some(({ name }) => name === manifestFileName)
    if (isElsewhere && !isListed) entries.push({ name: manifestFileName, kind: 'file' })
    return { path: relative, entries, isCut: shown.length > mostEntries }
  } catch {
    // It was deleted, or cannot be read: the tree shows no entries.
    return undefined
  }
}

/** The entries of a project's folders; those that are not there any more are left out. */
export async function listFolders(
  folder: string,
  paths: readonly string[],
): Promise<ListedFolder[]> {
  const listed = await Promise.all(paths.map((relative) => listFolder(folder, relative)))
  return listed.filter((one) => one !== undefined)
}

export async function createFolder(folder: string, relative: string): Promise<Result<null>> {
  const target = await changeable(folder, relative)
  if (!target.ok) return target
  try {
    await fs.mkdir(path.dirname(target.value), { recursive: true })
    await fs.mkdir(target.value)
    return ok(null)
  } catch (error) {
    return ioError(error, `create ${relative}`)
  }
}

/** Renames or moves within the project. What is there already is not overwritten. */
export async function moveInProject(
  folder: string,
  relative: string,
  newRelative: string,
): Promise<Result<null>> {
  const from = await changeable(folder, relative)
  if (!from.ok) return from
  const to = await changeable(folder, newRelative)
  if (!to.ok) return to
  if (to.value.startsWith(from.value + path.sep))
    return err('io', `${relative} cannot be moved into itself.`)
  try {
    // The same file under another case of its name is no obstacle on disks that ignore case.
    const known = await fs.lstat(to.value).catch(() => undefined)
    const moved = await fs.lstat(from.value)
    if (known && (known.ino !== moved.ino || known.dev !== moved.dev))
      return err('io', `Could not rename ${relative}: ${newRelative} exists already.`, {
        hint: 'Choose another name, or rename the existing file first.',
      })
    await fs.mkdir(path.dirname(to.value), { recursive: true })
    await fs.rename(from.value, to.value)
    return ok(null)
  } catch (error) {
    return ioError(error, `rename ${relative}`)
  }
}

/** A name next to a file that nothing has yet: "op copy.cpp", "op copy 2.cpp". */
async function freeName(file: string): Promise<string> {
  const extension = path.extname(file)
  const stem = file.slice(0, file.length - extension.length)
  for (let number = 1; ; number += 1) {
    const name = `${stem} copy${number === 1 ? '' : ` ${number}`}${extension}`
    if (!(await exists(name))) return name
  }
}

async function copy(from: string, to: string): Promise<void> {
  await fs.cp(from, to, {
    recursive: true,
    // Links stay links: what they lead to may be large, or somebody else's.
    verbatimSymlinks: true,
    force: false,
    errorOnExist: true,
  })
}

/** Copies a file or a folder next to itself. Links in it stay links. */
export async function duplicateInProject(
  folder: string,
  relative: string,
): Promise<Result<{ path: string }>> {
  const target = await changeable(folder, relative)
  if (!target.ok) return target
  try {
    const name = await freeName(target.value)
    await copy(target.value, name)
    return ok({ path: relativeTo(folder, name) })
  } catch (error) {
    return ioError(error, `duplicate ${relative}`)
  }
}

/** Copies files and folders from elsewhere into a folder of the project, under free names where theirs are taken. */
export async function importIntoProject(
  folder: string,
  into: string,
  sources: readonly string[],
): Promise<Result<{ paths: string[] }>> {
  const paths: string[] = []
  for (const source of sources) {
    const wanted = path.posix.join(into, path.basename(source))
    const target = await changeable(folder, wanted)
    if (!target.ok) return target
    if (target.value === path.resolve(source)) continue
    if (target.value.startsWith(path.resolve(source) + path.sep))
      return err('io', `${source} cannot be copied into itself.`)
    try {
      const name = (await exists(target.value)) ? await freeName(target.value) : target.value
      await copy(source, name)
      paths.push(relativeTo(folder, name))
    } catch (error) {
      return ioError(error, `copy ${source} to ${into === '' ? 'the project' : into}`)
    }
  }
  return ok({ paths })
}

/** Deletes for good, without a trash. */
export async function deleteForGood(folder: string, relative: string): Promise<Result<null>> {
  const target = await changeable(folder, relative)
  if (!target.ok) return target
  try {
    await fs.rm(target.value, { recursive: true })
    return ok(null)
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? ok(null) : ioError(error, `delete ${relative}`)
  }
}

function relativeTo(folder: string, file: string): string {
  return path.relative(path.resolve(folder), file).split(path.sep).join('/')
}
