import { randomUUID } from 'node:crypto'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

import { log } from '../log-file'
import type { Places } from '../places'
import { systemCode } from './file-errors'
import { changeSettings, settingsFile } from './settings-file'

/** Where versions before 0.2 kept all they wrote: the cache folder. */
const moved = {
  configFolder: ['settings.json', 'settings.json.broken'],
  dataFolder: ['trust.json', 'drafts', 'results', 'gradchecks', 'bench/builds', 'bench/times'],
  stateFolder: ['layout.json', 'window.json'],
} as const

async function statOf(file: string): Promise<{ isFolder: boolean } | undefined> {
  try {
    return { isFolder: (await fs.lstat(file)).isDirectory() }
  } catch {
    return undefined
  }
}

/** To another file system a file is copied, whole or not at all. */
async function rename(from: string, to: string): Promise<void> {
  await fs.mkdir(path.dirname(to), { recursive: true })
  try {
    await fs.rename(from, to)
  } catch (error) {
    if (systemCode(error) !== 'EXDEV') throw error
    const temporary = `${to}.${process.pid}-${randomUUID().slice(0, 8)}`
    await fs.cp(from, temporary, { recursive: true, preserveTimestamps: true })
    await fs.rename(temporary, to)
    await fs.rm(from, { recursive: true })
  }
}

/** Moves what is not there yet. Folders that are at both places become one. */
async function moveInto(from: string, to: string, say: (line: string) => void): Promise<void> {
  const [old, there] = [await statOf(from), await statOf(to)]
  if (!old) return
  if (!there) {
    await rename(from, to)
    say(`moved ${from} to ${to}`)
  } else if (old.isFolder && there.isFolder) {
    for (const name of await fs.readdir(from))
      await moveInto(path.join(from, name), path.join(to, name), say)
    if ((await fs.readdir(from)).length === 0) await fs.rmdir(from)
  } else say(`did not move ${from}, because ${to} already exists`)
}

/**
 * Takes over what an earlier version kept in the cache folder. What is at its new place already is not touched.
 * The log says what was moved. Once: afterwards nothing is at the old places.
 */
export async function takeOverOlderPlaces(places: Places): Promise<void> {
  const { cacheFolder, stateFolder, configFolder } = places
  const say = (line: string): void => {
    log(stateFolder, line)
  }
  const hadSettings = (await statOf(path.join(cacheFolder, 'settings.json'))) !== undefined
  const isNew = (await statOf(settingsFile(configFolder))) === undefined
  for (const place of ['configFolder', 'dataFolder', 'stateFolder'] as const) {
    for (const name of moved[place]) {
      const from = path.join(cacheFolder, name)
      try {
        await moveInto(from, path.join(places[place], name), say)
      } catch (error) {
        say(`could not move ${from}: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  }
  if (hadSettings && isNew) await keepProjectsFolder(configFolder, say)
}

/** Projects are the user's files: they stay where they are, in what was the usual folder. */
async function keepProjectsFolder(config: string, say: (line: string) => void): Promise<void> {
  const usual = path.join(os.homedir(), 'opsmith')
  const file = settingsFile(config)
  const text = await fs.readFile(file, 'utf8').catch(() => '')
  if ((await statOf(usual))?.isFolder !== true || !/"projectsFolder": *""/.test(text)) return
  await changeSettings(config, { projectsFolder: usual })
  say(
    `set projectsFolder to ${usual} in the settings, so Opsmith still makes new projects in this folder`,
  )
}
