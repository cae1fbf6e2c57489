import { createHash } from 'node:crypto'

import { z } from 'zod'

import { joinInside } from '../project/inside'

/** The files of an export by their paths relative to it, with forward slashes. */
export type FileTree = Map<string, Buffer>

/** A tree of texts; each ends with a newline. Paths given twice are a bug. */
export function treeOf(files: Readonly<Record<string, string | Buffer>>): FileTree {
  return new Map(
    Object.entries(files).map(([path, content]) => [
      path,
      typeof content === 'string' ? Buffer.from(content.trimEnd() + '\n') : content,
    ]),
  )
}

/** All files of several trees, sorted by path. Throws where two trees have the same path. */
export function joinTrees(...trees: readonly FileTree[]): FileTree {
  const all = new Map<string, Buffer>()
  for (const tree of trees) {
    for (const [path, content] of tree) {
      if (all.has(path)) throw new Error(`two files of an export are named ${path}`)
      all.set(path, content)
    }
  }
  return new Map([...all].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The same tree within a folder of that name. */
export function treeIn(folder: string, tree: FileTree): FileTree {
  return new Map([...tree].map(([path, content]) => [`${folder}/${path}`, content]))
}

export function hashOfFile(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

/** What an export is remembered by, within itself: which files were written, and what they held. */
export const recordFile = 'opsmith-export.json'

export interface ExportRecord {
  project: string
  form: string
  /** sha256 by path. */
  files: Record<string, string>
}

export function recordOf(project: string, form: string, tree: FileTree): string {
  const files = Object.fromEntries(
    [...tree]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, content]) => [path, hashOfFile(content)]),
  )
  return `${JSON.stringify({ project, form, files }, null, 2)}\n`
}

/** A file that an export writes: relative, and in the export's folder. */
const recordedName = z.string().refine((name) => joinInside('/export', name) !== undefined)

const exportRecord = z.object({
  project: z.string(),
  form: z.string(),
  files: z.record(recordedName, z.string()),
})

/** Undefined where it is no record, or names a file outside the export. */
export function readRecord(text: string): ExportRecord | undefined {
  try {
    const parsed = exportRecord.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}
