import fs from 'node:fs/promises'
import path from 'node:path'

import { defaultSettings, settings } from '../../contract/settings'
import type { Settings, SettingsChange } from '../../contract/settings'
import { writeAtomically } from './files'

function settingsFile(cache: string): string {
  return path.join(cache, 'settings.json')
}

/** A broken settings file gives the defaults; it is kept aside, so nothing a user wrote is lost. */
export async function readSettings(cache: string): Promise<Settings> {
  let text: string
  try {
    // Reading a named pipe would wait for a writer.
    if (!(await fs.stat(settingsFile(cache))).isFile()) return defaultSettings
    text = await fs.readFile(settingsFile(cache), 'utf8')
  } catch {
    return defaultSettings
  }
  try {
    const value: unknown = JSON.parse(text)
    const parsed = settings.safeParse({ ...defaultSettings, ...(value as object) })
    if (parsed.success) return parsed.data
  } catch {
    // Not JSON: handled below like a shape that does not fit.
  }
  await writeAtomically(`${settingsFile(cache)}.broken`, text).catch(() => undefined)
  return defaultSettings
}

/** By cache folder: a change reads what the one before has written. */
const changes = new Map<string, Promise<unknown>>()

/** Changes what is named and keeps the rest, keys of newer versions included. */
export async function changeSettings(cache: string, change: SettingsChange): Promise<Settings> {
  const named = Object.fromEntries(
    Object.entries(change).filter(([, value]) => value !== undefined),
  )
  const before = changes.get(cache) ?? Promise.resolve()
  const changed = before.then(async () => {
    const next = settings.parse({ ...(await readSettings(cache)), ...named })
    await writeAtomically(settingsFile(cache), `${JSON.stringify(next, null, 2)}\n`)
    return next
  })
  changes.set(
    cache,
    changed.catch(() => undefined),
  )
  return await changed
}
