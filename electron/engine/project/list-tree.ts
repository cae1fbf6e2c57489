import fs from 'node:fs'
import type { Dirent } from 'node:fs'
import path from 'node:path'

/** Folders that hold nothing a user edits here. */
export const ignoredFolders = [
  'build',
  '.opsmith',
  '.git',
  'node_modules',
  '__pycache__',
  '.venv',
  'venv',
]

/** Files beyond this many are not listed and not watched: somebody's data lies in the project's folder. */
export const mostFiles = 20_000
/** Folders within folders that are looked at. */
export const deepest = 6

export interface ListedTree {
  /** Relative, with forward slashes. */
  files: string[]
  /** Links to folders, relative too. They are not followed: what is behind one may be large, and is another's. */
  linkedFolders: string[]
  /** Hidden files, relative too: neither shown nor watched. */
  hidden: string[]
  /** There are more than `mostFiles`. */
  isCut: boolean
}

/** A name that is not watched, wherever it is. */
export function isIgnoredName(name: string): boolean {
  return ignoredFolders.includes(name) || name.startsWith('.')
}

export function isLinkedFolder(file: string): boolean {
  try {
    return fs.lstatSync(file).isSymbolicLink() && fs.statSync(file).isDirectory()
  } catch {
    return false
  }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  return await fs.promises.readdir(folder, { withFileTypes: true }).catch(() => [])
}

/** The files of a project's folder, those of the highest folders first; links to files count, to folders not. */
export async function listTree(folder: string, most = mostFiles): Promise<ListedTree> {
  const files: string[] = []
  const linkedFolders: string[] = []
  const hidden: string[] = []
  let level = ['']
  for (let depth = 0; depth <= deepest && level.length > 0; depth += 1) {
    const below: string[] = []
    for (const relative of level) {
      for (const entry of await entriesOf(path.join(folder, relative))) {
        const name = relative === '' ? entry.name : `${relative}/${entry.name}`
        if (entry.name.startsWith('.')) {
          if (entry.isFile()) hidden.push(name)
          continue
        }
        if (entry.isDirectory() && !ignoredFolders.includes(entry.name)) below.push(name)
        const isLink = entry.isSymbolicLink()
        if (isLink && isLinkedFolder(path.join(folder, name))) linkedFolders.push(name)
        else if (isLink || entry.isFile()) files.push(name)
        if (files.length > most)
          return { files: files.slice(0, most), linkedFolders, hidden, isCut: true }
      }
    }
    level = below
  }
  return { files, linkedFolders, hidden, isCut: false }
}

/** Folders within folders that are looked at when a file is looked for: a walk ends where folders are mounted in a ring. */
const deepestOfAll = 40

/** Of tools: .cache, .mypy_cache, .pytest_cache. */
const isCache = (name: string): boolean => name.startsWith('.') && name.endsWith('cache')

/** All files of a project's folder, hidden ones too; those of the highest folders first. */
export async function listAllFiles(folder: string, most = mostFiles): Promise<string[]> {
  const files: string[] = []
  let level = ['']
  for (let depth = 0; depth <= deepestOfAll && level.length > 0; depth += 1) {
    const below: string[] = []
    for (const relative of level) {
      for (const entry of await entriesOf(path.join(folder, relative))) {
        const name = relative === '' ? entry.name : `${relative}/${entry.name}`
        if (entry.isDirectory()) {
          if (!ignoredFolders.includes(entry.name) && !isCache(entry.name)) below.push(name)
        } else if (entry.isFile() || !isLinkedFolder(path.join(folder, name))) {
          if (files.length === most) return files
          files.push(name)
        }
      }
    }
    level = below
  }
  return files
}
