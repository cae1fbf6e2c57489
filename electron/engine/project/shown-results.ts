import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'

import { writeAtomically } from './files'

/** Projects whose results are kept; those not written for the longest go first. */
const most = 50

function resultsFile(cache: string, folder: string): string {
  const key = createHash('sha256').update(path.resolve(folder)).digest('hex').slice(0, 24)
  return path.join(cache, 'results', `${key}.json`)
}

/** What the window showed of a project when it was open last, as it gave it; "" for nothing. */
export async function readResults(cache: string, folder: string): Promise<string> {
  return await fs.readFile(resultsFile(cache, folder), 'utf8').catch(() => '')
}

/** Keeps what the window shows of a project, outside of it. */
export async function keepResults(cache: string, folder: string, text: string): Promise<void> {
  await writeAtomically(resultsFile(cache, folder), text)
  await dropOldest(path.join(cache, 'results'))
}

async function dropOldest(results: string): Promise<void> {
  const names = (await fs.readdir(results)).filter((name) => name.endsWith('.json'))
  if (names.length <= most) return
  const files = await Promise.all(
    names.map(async (name) => {
      const file = path.join(results, name)
      return { file, time: (await fs.stat(file)).mtimeMs }
    }),
  )
  const oldest = files.sort((a, b) => b.time - a.time).slice(most)
  await Promise.all(oldest.map(({ file }) => fs.rm(file, { force: true })))
}
