import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { z } from 'zod'

import type { EngineSession } from '../../engine/remote/engine-client'
import { startOf } from '../../engine/toolchain/process-tree'

const record = z.object({
  /** As placeName() makes it. */
  place: z.string(),
  session: z.string(),
  window: z.string(),
  /** The process of the window, when it started, and its machine: of another machine nothing is known. */
  pid: z.int(),
  started: z.string(),
  machine: z.string(),
})

/**
 * Where the engines of other machines are that go on without a connection, one file for each open project. A window
 * that was killed leaves its file, and the next one that opens the project goes on with the engine. Only the user can
 * read the files. An engine follows one window alone, whoever else reads them.
 */
export class KeptSessions {
  private file = ''

  /** @param dataFolder of this user */
  constructor(private readonly dataFolder: string) {}

  private get folder(): string {
    return path.join(this.dataFolder, 'sessions')
  }

  private prefix(place: string): string {
    return createHash('sha256').update(place).digest('hex').slice(0, 24)
  }

  /** The session of a window that is gone; its file is taken away, so that no other window finds it. */
  take(place: string): EngineSession | undefined {
    const names = namesIn(this.folder).filter((name) => name.startsWith(this.prefix(place)))
    for (const name of names) {
      const file = path.join(this.folder, name)
      const found = read(file)
      if (found && found.place === place && isAlive(found)) continue
      if (!removed(file)) continue
      if (found?.place === place) return { session: found.session, window: found.window }
    }
    return undefined
  }

  /** The engine could not be reached: the next attempt finds it again. */
  putBack(place: string, engine: EngineSession): void {
    this.write(place, engine, { pid: 0, started: '' })
  }

  /** A window works with this engine now; undefined where it ends with the connection. */
  keep(place: string, engine: EngineSession | undefined): void {
    this.drop()
    if (!engine) return
    const { pid } = process
    this.file = this.write(place, engine, { pid, started: startOf(pid) })
  }

  /** Returns the file; "" if it cannot be written. */
  private write(
    place: string,
    engine: EngineSession,
    owner: { pid: number; started: string },
  ): string {
    const file = path.join(this.folder, `${this.prefix(place)}-${owner.pid}.json`)
    const kept = { place, ...engine, ...owner, machine: os.hostname() }
    try {
      fs.mkdirSync(this.folder, { recursive: true, mode: 0o700 })
      fs.rmSync(file, { force: true })
      fs.writeFileSync(file, JSON.stringify(kept), { mode: 0o600, flag: 'wx' })
      return file
    } catch {
      // A full disk: after a kill the project is opened in a new engine.
      return ''
    }
  }

  /** The engine has ended, or is about to. */
  drop(): void {
    if (this.file !== '') removed(this.file)
    this.file = ''
  }
}

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder)
  } catch {
    return []
  }
}

function read(file: string): z.infer<typeof record> | undefined {
  try {
    return record.parse(JSON.parse(fs.readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}

/** Whether this process has removed it: of two, one has. */
function removed(file: string): boolean {
  try {
    fs.unlinkSync(file)
    return true
  } catch {
    return false
  }
}

function isAlive({ pid, started, machine }: z.infer<typeof record>): boolean {
  return machine !== os.hostname() || (started !== '' && startOf(pid) === started)
}
