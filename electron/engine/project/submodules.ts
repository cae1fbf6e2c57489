import fs from 'node:fs'
import path from 'node:path'

import { shellWord } from '../toolchain/shell-word'

/** Folders above a project in which its repository's `.gitmodules` is looked for. */
const mostLevels = 8

/** A submodule whose files git has not fetched. */
export interface EmptySubmodule {
  /** Absolute. */
  folder: string
  /** As `.gitmodules` names it. */
  path: string
  /** The folder of `.gitmodules`, if it is above the project; "" if it is the project's. */
  above: string
}

function isEmpty(folder: string): boolean {
  try {
    return fs.readdirSync(folder).length === 0
  } catch {
    return true
  }
}

/** Undefined for what is no readable file. */
function textOf(file: string): string | undefined {
  try {
    return fs.statSync(file).isFile() ? fs.readFileSync(file, 'utf8') : undefined
  } catch {
    return undefined
  }
}

/** The submodules of a project's repository that are empty, as after `git clone` without --recursive. */
export function emptySubmodules(project: string): EmptySubmodule[] {
  let root = path.resolve(project)
  for (let level = 0; level < mostLevels; level += 1) {
    const listed = textOf(path.join(root, '.gitmodules'))
    if (listed !== undefined) {
      const above = level === 0 ? '' : root
      return [...listed.matchAll(/^\s*path\s*=\s*(.+?)\s*$/gm)]
        .map(([, relative = '']) => ({
          folder: path.resolve(root, relative),
          path: relative,
          above,
        }))
        .filter(({ folder }) => isEmpty(folder))
    }
    // A repository ends where .git is.
    if (fs.existsSync(path.join(root, '.git')) || path.dirname(root) === root) return []
    root = path.dirname(root)
  }
  return []
}

/** The command that fetches a submodule. */
export function fetchCommand({ path: relative, above }: EmptySubmodule): string {
  const git = above === '' ? 'git' : `git -C ${shellWord(above)}`
  return `${git} submodule update --init --recursive ${shellWord(relative)}`
}

const isInside = (file: string, folder: string): boolean =>
  file === folder || file.startsWith(folder + path.sep)

/** The empty submodule that a file or a folder of the project would be in. */
export function submoduleOf(project: string, relative: string): EmptySubmodule | undefined {
  const file = path.resolve(project, relative)
  return emptySubmodules(project).find(({ folder }) => isInside(file, folder))
}

/**
 * The empty submodule that most likely has a header: an include path leads into it, or its name is part of the
 * header's path.
 */
export function submoduleWithHeader(
  project: string,
  header: string,
  includePaths: readonly string[],
): EmptySubmodule | undefined {
  const empty = emptySubmodules(project)
  const words = header.toLowerCase().split(/[/.]/)
  const named = empty.find(({ folder }) => words.includes(path.basename(folder).toLowerCase()))
  if (named) return named
  const included = includePaths.map((item) => path.resolve(project, item))
  return empty.find(({ folder }) => included.some((item) => isInside(item, folder)))
}
