import { readlinkSync, realpathSync } from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'

import { err, fail, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { isManifestElsewhere, manifestFileOf } from './manifest-place'

/** Whether a path is the folder or below it. Only the names are compared: links are not followed. */
export function isWithin(candidate: string, folder: string): boolean {
  const base = path.resolve(folder)
  const target = path.resolve(candidate)
  return target === base || target.startsWith(base === path.sep ? base : base + path.sep)
}

/**
 * The one way to join a folder with a name that a message, a record or another file brings. Links are not
 * followed: insideProject() and withoutLinks() look at them.
 * @returns undefined for a name that is absolute, that leads out of the folder, or that is the folder itself
 */
export function joinInside(folder: string, name: string): string | undefined {
  if (name === '' || name.includes('\0') || path.isAbsolute(name)) return undefined
  const target = path.resolve(folder, name)
  return target !== path.resolve(folder) && isWithin(target, folder) ? target : undefined
}

/** The same for names that Opsmith makes: one that leads out of the folder is a bug in Opsmith, and thrown. */
export function joinOwn(folder: string, name: string): string {
  return joinInside(folder, name) ?? fail('internal', `${name} points outside of ${folder}.`)
}

/** As Linux counts them, before it says that links lead in a circle. */
const mostLinks = 40

function linkTarget(file: string): string | undefined {
  try {
    return readlinkSync(file)
  } catch {
    return undefined
  }
}

function followLinks(target: string, links: number): string {
  const missing: string[] = []
  for (let existing = path.resolve(target); ; existing = path.dirname(existing)) {
    try {
      return path.join(realpathSync.native(existing), ...missing)
    } catch {
      const named = links > 0 ? linkTarget(existing) : undefined
      if (named !== undefined) {
        const place = path.resolve(path.dirname(existing), named, ...missing)
        return followLinks(place, links - 1)
      }
      if (path.dirname(existing) === existing) return path.resolve(target)
      missing.unshift(path.basename(existing))
    }
  }
}

/**
 * The path without links, as far as it exists. A link to what does not exist yet counts as the place it names.
 * Synchronous, because each asynchronous file call costs Electron's main process a millisecond, and every save and call
 * asks for places. A network disk that hangs stops the process here, as it stops a build.
 */
export function realPlace(target: string): Promise<string> {
  return Promise.resolve(followLinks(target, mostLinks))
}

/** Whether a path is the folder or below it once links are followed in both. */
export async function isReallyWithin(candidate: string, folder: string): Promise<boolean> {
  return isWithin(await realPlace(candidate), await realPlace(folder))
}

/**
 * The absolute path of a project's file, to read it. Nothing outside the project can be named; a link is
 * followed where it leads to something in the project. Of a project whose opsmith.json is elsewhere, that is meant.
 */
export async function insideProject(folder: string, relative: string): Promise<Result<string>> {
  const refuse = (): Result<string> =>
    err('request.invalid', `${relative} is outside the project.`, {
      path: 'path',
      hint: 'Use a path in the folder of the project. A symbolic link must not lead out of this folder.',
    })
  if (path.isAbsolute(relative)) return refuse()
  if (isManifestElsewhere(folder, relative)) return ok(manifestFileOf(folder))
  const root = path.resolve(folder)
  const target = path.resolve(root, relative) === root ? root : joinInside(root, relative)
  if (target === undefined) return refuse()
  return (await isReallyWithin(target, folder)) ? ok(target) : refuse()
}

/** The same, to write it. What git runs and reads of its own folder is nobody's to write but git's. */
export async function writableInProject(folder: string, relative: string): Promise<Result<string>> {
  const target = await insideProject(folder, relative)
  if (!target.ok) return target
  const real = path.relative(await realPlace(folder), await realPlace(target.value))
  const parts = [
    ...path.relative(path.resolve(folder), target.value).split(path.sep),
    ...real.split(path.sep),
  ]
  return parts.some((part) => part.toLowerCase() === '.git')
    ? err(
        'request.invalid',
        `${relative} is part of .git: Opsmith does not write git's own files.`,
        {
          path: 'path',
        },
      )
    : target
}

/**
 * The absolute path of a file below a folder, to write, move or delete it there.
 * Errors: the name leads out of the folder, or a part of its path below the folder is a link (`io`).
 */
export async function withoutLinks(folder: string, name: string): Promise<Result<string>> {
  const target = joinInside(folder, name)
  if (target === undefined) return err('io', `${name} is outside ${folder}.`)
  for (let part = path.dirname(target); ; part = path.dirname(part)) {
    const stat = await fs.lstat(part).catch(() => undefined)
    if (stat?.isSymbolicLink()) {
      return err(
        'io',
        `${part} is a symbolic link: Opsmith does not write or delete files through links.`,
        {
          hint: 'Choose the folder that the link points to, or delete the link.',
        },
      )
    }
    if (part === path.resolve(folder)) return ok(target)
  }
}
