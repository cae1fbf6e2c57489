import fs from 'node:fs/promises'
import path from 'node:path'

import { ignoredFolders, mostFiles } from '../project/list-tree'
import { IgnoreRules } from './gitignore'
import { matcherOf } from './globs'

/** Folders within folders that are searched. */
const deepest = 30
/** Folders above a project in which its repository's .gitignore is looked for. */
const mostAbove = 8

/** The rules of a folder, and where they count from. */
interface PlacedRules {
  /** Absolute. */
  folder: string
  rules: IgnoreRules
}

export interface SearchedFiles {
  /** Relative to the project, with forward slashes. */
  paths: string[]
  isCut: boolean
}

async function rulesIn(folder: string): Promise<PlacedRules[]> {
  const text = await fs.readFile(path.join(folder, '.gitignore'), 'utf8').catch(() => undefined)
  return text === undefined ? [] : [{ folder, rules: new IgnoreRules(text) }]
}

/** The rules of the folders above a project, up to the top of its repository. */
async function rulesAbove(project: string): Promise<PlacedRules[]> {
  const found: PlacedRules[] = []
  let folder = path.resolve(project)
  for (let level = 0; level < mostAbove; level += 1) {
    const isTop = await fs.stat(path.join(folder, '.git')).then(
      () => true,
      () => false,
    )
    if (isTop) return found
    folder = path.dirname(folder)
    found.unshift(...(await rulesIn(folder)))
  }
  // There is no repository: rules of other folders are not about this one.
  return []
}

function isIgnored(file: string, isFolder: boolean, rules: readonly PlacedRules[]): boolean {
  // The nearest folder that says something about it decides.
  for (const placed of rules.toReversed()) {
    const relative = path.relative(placed.folder, file).split(path.sep).join('/')
    const ignored = placed.rules.ignores(relative, isFolder)
    if (ignored !== undefined) return ignored
  }
  return false
}

/**
 * The files of a project that a search looks at: no links, nothing that .gitignore names, no folders of builds.
 * @param globs lists of globs; "" for none
 */
export async function searchedFiles(
  folder: string,
  globs: { include: string; exclude: string },
): Promise<SearchedFiles> {
  const isIncluded = matcherOf(globs.include) ?? (() => true)
  const isExcluded = matcherOf(globs.exclude) ?? (() => false)
  const paths: string[] = []
  const walk = async (
    relative: string,
    above: readonly PlacedRules[],
    depth: number,
  ): Promise<boolean> => {
    const absolute = path.join(folder, relative)
    const rules = [...above, ...(await rulesIn(absolute))]
    const entries = await fs.readdir(absolute, { withFileTypes: true }).catch(() => [])
    for (const entry of entries.sort((a, b) => a.name.localeCompare(b.name))) {
      const name = relative === '' ? entry.name : `${relative}/${entry.name}`
      const isFolder = entry.isDirectory()
      if (!isFolder && !entry.isFile()) continue
      if (isFolder && ignoredFolders.includes(entry.name)) continue
      if (isExcluded(name) || isIgnored(path.join(folder, name), isFolder, rules)) continue
      if (isFolder) {
        if (depth < deepest && !(await walk(name, rules, depth + 1))) return false
      } else if (isIncluded(name)) {
        if (paths.length >= mostFiles) return false
        paths.push(name)
      }
    }
    return true
  }
  const isWhole = await walk('', await rulesAbove(folder), 0)
  return { paths, isCut: !isWhole }
}
