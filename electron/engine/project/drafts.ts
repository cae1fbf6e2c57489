import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'

import { draft } from '../../contract/project'
import type { Draft } from '../../contract/project'
import { systemCode } from './file-errors'
import { writeAtomically } from './files'

function draftFolder(data: string, folder: string): string {
  const key = createHash('sha256').update(path.resolve(folder)).digest('hex').slice(0, 24)
  return path.join(data, 'drafts', key)
}

function draftFile(data: string, folder: string, relative: string): string {
  const key = createHash('sha256').update(relative).digest('hex').slice(0, 24)
  return path.join(draftFolder(data, folder), `${key}.json`)
}

/** Keeps what was typed but not saved, outside the project. */
export async function keepDraft(data: string, folder: string, value: Draft): Promise<void> {
  await writeAtomically(draftFile(data, folder, value.path), JSON.stringify(value))
}

export async function dropDraft(data: string, folder: string, relative: string): Promise<void> {
  try {
    // rm() has an error of Node's own for a folder in the file's place.
    await fs.unlink(draftFile(data, folder, relative))
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
  }
}

/** A draft that cannot be read is left where it is and not offered. */
export async function listDrafts(data: string, folder: string): Promise<Draft[]> {
  const base = draftFolder(data, folder)
  const names = await fs.readdir(base).catch(() => [])
  const drafts: Draft[] = []
  for (const name of names) {
    if (!name.endsWith('.json') || name.startsWith('.')) continue
    try {
      const parsed = draft.safeParse(JSON.parse(await fs.readFile(path.join(base, name), 'utf8')))
      if (parsed.success) drafts.push(parsed.data)
    } catch {
      continue
    }
  }
  return drafts
}
