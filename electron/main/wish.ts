import fs from 'node:fs'
import path from 'node:path'

import { z } from 'zod'

import type { Settings } from '../contract/settings'

/** What a start is to open: a project's folder, a model (.pt, .pt2); absolute, "" for none. */
export const wish = z.object({ folder: z.string(), model: z.string() })
export type Wish = z.infer<typeof wish>

const isModel = (file: string): boolean => /\.(pt|pth|pt2)$/i.test(file)
const hasManifest = (folder: string): boolean => fs.existsSync(path.join(folder, 'opsmith.json'))

/**
 * Whether a word of the command line names what is to be opened.
 * @param root folder of this Opsmith. In a clone it is Electron's first argument.
 */
export function isFolderWord(word: string, root: string): boolean {
  return !word.startsWith('-') && path.resolve(word) !== root && !word.endsWith('.cjs')
}

/** What the command line names: a project's folder or a model, absolute. @param root as of isFolderWord() */
export function namedWish(root: string): Wish {
  const named = process.argv.slice(1).find((word) => isFolderWord(word, root))
  if (named === undefined) return { folder: '', model: '' }
  const place = path.resolve(process.env['OPSMITH_CALLER_FOLDER'] ?? process.cwd(), named)
  const isFile = fs.statSync(place, { throwIfNoEntry: false })?.isFile() ?? false
  if (!isFile) return { folder: place, model: '' }
  // A file stands for its folder: desktops name the opsmith.json that was double-clicked.
  const folder = path.dirname(place)
  if (!isModel(place)) return { folder, model: '' }
  return { folder: hasManifest(folder) ? folder : '', model: place }
}

/** The folder that is named, else the project of last time, else none. */
export function startFolderOf({ folder }: Wish, { recentProjects }: Settings): string {
  if (folder !== '') return folder
  const [last = ''] = recentProjects
  return last !== '' && hasManifest(last) ? last : ''
}
