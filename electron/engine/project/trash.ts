import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

import { makeFolder } from './files'
import { systemCode } from './file-errors'

/** Where the trash of a file is, as the Trash specification of freedesktop.org 1.0 says. */
interface TrashPlace {
  folder: string
  /** What the paths in its records are relative to; "" for absolute ones. */
  topFolder: string
}

async function deviceOf(place: string): Promise<number | undefined> {
  return await fs.stat(place).then(
    ({ dev }) => dev,
    () => undefined,
  )
}

/** The trash of the home, which is made on demand, or undefined where the file is on another device. */
async function homeTrash(device: number): Promise<TrashPlace | undefined> {
  const given = process.env['XDG_DATA_HOME'] ?? ''
  const data = path.isAbsolute(given) ? given : path.join(os.homedir(), '.local', 'share')
  await makeFolder(data)
  return (await deviceOf(data)) === device
    ? { folder: path.join(data, 'Trash'), topFolder: '' }
    : undefined
}

/** The highest folder above a file that is on the same device. */
async function topFolderOf(file: string, device: number): Promise<string> {
  let top = path.dirname(file)
  while (top !== path.dirname(top) && (await deviceOf(path.dirname(top))) === device)
    top = path.dirname(top)
  return top
}

async function trashOf(file: string): Promise<TrashPlace> {
  const { dev } = await fs.stat(path.dirname(file))
  const atHome = await homeTrash(dev)
  if (atHome) return atHome
  const topFolder = await topFolderOf(file, dev)
  return { folder: path.join(topFolder, `.Trash-${process.getuid?.() ?? 0}`), topFolder }
}

/** Local time without a zone, as the specification has it: "2026-11-23T12:53:29". */
function timeText(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19)
}

/** "%" and what a line cannot hold are escaped; slashes stay. */
function escapedPath(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/')
}

/**
 * Moves a file or a folder to the user's trash on a system with freedesktop.org's. File managers find it there,
 * and put it back.
 * @param file absolute; the name itself may be a link, which is moved and not followed
 * @throws what the file system says; the file then is where it was
 */
export async function moveToTrash(file: string): Promise<void> {
  const { folder, topFolder } = await trashOf(file)
  for (const part of [folder, path.join(folder, 'files'), path.join(folder, 'info')])
    await fs.mkdir(part, { recursive: true, mode: 0o700 })
  const original = topFolder === '' ? file : path.relative(topFolder, file)
  const time = timeText(new Date())
  const record = `[Trash Info]\nPath=${escapedPath(original)}\nDeletionDate=${time}\n`
  const name = await reserveName(folder, path.basename(file), record)
  try {
    await fs.rename(file, path.join(folder, 'files', name))
  } catch (error) {
    await fs.rm(path.join(folder, 'info', `${name}.trashinfo`), { force: true })
    throw error
  }
}

/** Writes the record under a name that nothing in the trash has yet. */
async function reserveName(folder: string, wanted: string, record: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted}.${number}`
    try {
      await fs.writeFile(path.join(folder, 'info', `${name}.trashinfo`), record, { flag: 'wx' })
      return name
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error
    }
  }
}
