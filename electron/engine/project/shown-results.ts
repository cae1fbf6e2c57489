import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'

import { z } from 'zod'

import { isJsonOf, writeOver } from './write-over'

/** By feature, as the window keeps them (renderer/store/earlier-results.ts). */
const texts = z.record(z.string(), z.string())
/** Projects whose results are kept; those not written for the longest go first. */
const most = 50

function resultsFile(data: string, folder: string): string {
  const key = createHash('sha256').update(path.resolve(folder)).digest('hex').slice(0, 24)
  return path.join(data, 'results', `${key}.json`)
}

/** What the window showed of a project when it was open last, as it gave it; "" for nothing. */
export async function readResults(data: string, folder: string): Promise<string> {
  return await fs.readFile(resultsFile(data, folder), 'utf8').catch(() => '')
}

/** Keeps what the window shows of a project, outside of it. */
export async function keepResults(data: string, folder: string, text: string): Promise<void> {
  await writeOver(resultsFile(data, folder), text, (before) =>
    isJsonOf(before, (value) => texts.safeParse(value).success),
  )
  await dropOldest(path.join(data, 'results'))
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
