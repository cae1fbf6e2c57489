import fs from 'node:fs/promises'
import path from 'node:path'

import { settings } from '../../contract/settings'
import type { Settings } from '../../contract/settings'
import { writeAtomically } from './files'

function settingsFile(cache: string): string {
  return path.join(cache, 'settings.json')
}

/** A broken settings file gives the defaults; it is kept aside, so nothing a user wrote is lost. */
export async function readSettings(cache: string): Promise<Settings> {
  let text: string
  try {
    text = await fs.readFile(settingsFile(cache), 'utf8')
  } catch {
    return settings.parse({})
  }
  try {
    const parsed = settings.safeParse(JSON.parse(text))
    if (parsed.success) return parsed.data
  } catch {
    // Not JSON: handled below like a shape that does not fit.
  }
  await writeAtomically(`${settingsFile(cache)}.broken`, text)
  return settings.parse({})
}

export async function changeSettings(cache: string, change: Partial<Settings>): Promise<Settings> {
  const next = settings.parse({ ...(await readSettings(cache)), ...change })
  await writeAtomically(settingsFile(cache), `${JSON.stringify(next, null, 2)}\n`)
  return next
}
