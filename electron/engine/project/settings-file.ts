import fs from 'node:fs'
import path from 'node:path'

import { z } from 'zod'

import { defaultSettings, settings } from '../../contract/settings'
import type { Settings, SettingsChange } from '../../contract/settings'
import { writeAtomically } from './files'
import { keepAside } from './write-over'

interface StoredSettings {
  values: Settings
  /** What the file has under names whose values this version cannot read. */
  unread: Record<string, unknown>
  /** The text of a file that is no JSON object; "" for one that is. */
  broken: string
}

export function settingsFile(config: string): string {
  return path.join(config, 'settings.json')
}

const object = z.record(z.string(), z.unknown())

/** A file that this version cannot read gives the defaults, a value that it cannot read its default. */
export async function readStoredSettings(config: string): Promise<StoredSettings> {
  const nothing = { values: defaultSettings, unread: {}, broken: '' }
  let text: string
  try {
    // Reading a named pipe would wait for a writer.
    if (!fs.statSync(settingsFile(config)).isFile()) return nothing
    text = fs.readFileSync(settingsFile(config), 'utf8')
  } catch {
    return nothing
  }
  let stored: Record<string, unknown>
  try {
    stored = object.parse(JSON.parse(text))
  } catch {
    return { ...nothing, broken: text }
  }
  const unread = Object.fromEntries(
    Object.entries(settings.shape).flatMap(([name, shape]) =>
      name in stored && !shape.safeParse(stored[name]).success ? [[name, stored[name]]] : [],
    ),
  )
  const read = Object.entries(stored).filter(([name]) => !(name in unread))
  const values = settings.parse({ ...defaultSettings, ...Object.fromEntries(read) })
  return { values, unread, broken: '' }
}

export async function readSettings(config: string): Promise<Settings> {
  return (await readStoredSettings(config)).values
}

/** By folder: a change reads what the one before has written. */
const changes = new Map<string, Promise<unknown>>()

/**
 * Changes what is named and keeps the rest, with what only a newer version reads. A file that is not readable at all is
 * kept aside.
 */
export async function changeSettings(config: string, change: SettingsChange): Promise<Settings> {
  const named = Object.fromEntries(
    Object.entries(change).filter(([, value]) => value !== undefined),
  )
  const before = changes.get(config) ?? Promise.resolve()
  const changed = before.then(async () => {
    const { values, unread, broken } = await readStoredSettings(config)
    const next = settings.parse({ ...values, ...named })
    const file = settingsFile(config)
    if (broken !== '') await keepAside(file, broken)
    await writeAtomically(file, `${JSON.stringify({ ...next, ...unread, ...named }, null, 2)}\n`)
    return next
  })
  changes.set(
    config,
    changed.catch(() => undefined),
  )
  return await changed
}
