import fs from 'node:fs/promises'

import { writeAtomically } from './files'

/** Files that are kept aside of one; beyond them the last is replaced. */
const mostAside = 9

/**
 * Keeps a text that this version cannot read, in a file next to its own: a newer version may have written it.
 * @returns the file
 */
export async function keepAside(file: string, text: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const aside = `${file}.unread${number === 1 ? '' : `-${number}`}`
    const there = await fs.readFile(aside, 'utf8').catch(() => undefined)
    if (there === text) return aside
    if (there !== undefined && number < mostAside) continue
    await writeAtomically(aside, text)
    return aside
  }
}

/** Writes a file over what is there. A text that this version cannot read is kept aside first. */
export async function writeOver(
  file: string,
  text: string,
  canRead: (before: string) => boolean,
): Promise<void> {
  const before = await fs.readFile(file, 'utf8').catch(() => '')
  if (before !== '' && !canRead(before)) await keepAside(file, before)
  await writeAtomically(file, text)
}

/** Whether a text is JSON that passes. */
export function isJsonOf(text: string, passes: (value: unknown) => boolean): boolean {
  try {
    return passes(JSON.parse(text))
  } catch {
    return false
  }
}
