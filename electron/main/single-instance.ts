import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { app } from 'electron'

import { wish } from './wish'
import type { Wish } from './wish'

/** The process that Chromium's lock names: the link leads to "HOST-PID". */
function lockOwner(): { host: string; pid: number } | undefined {
  try {
    const target = fs.readlinkSync(lockFile())
    const [, host = '', pid = ''] = /^(.*)-(\d+)$/.exec(target) ?? []
    return { host, pid: Number(pid) }
  } catch {
    return undefined
  }
}

const lockFile = (): string => path.join(app.getPath('userData'), 'SingletonLock')

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/**
 * Whether this is the user's only Opsmith: two windows would take each other's drafts, layout and settings. One
 * that is open already is handed what is to be opened. Must run after the path of userData is set.
 */
export function isOnlyInstance(wanted: Wish): boolean {
  if (process.platform !== 'linux') return app.requestSingleInstanceLock(wanted)
  const owner = lockOwner()
  // A container of yesterday had another name, and nobody of there can be asked.
  if (owner && owner.host !== os.hostname()) fs.rmSync(lockFile(), { force: true })
  if (app.requestSingleInstanceLock(wanted)) return true
  const holder = lockOwner()
  // Where the cache cannot be written there is no lock at all.
  return holder === undefined || !isAlive(holder.pid)
}

/** Calls `open` with what a second start was to open. */
export function onSecondInstance(open: (wanted: Wish) => void): void {
  app.on('second-instance', (_event, _words, _folder, data) => {
    const parsed = wish.safeParse(data)
    open(parsed.success ? parsed.data : { folder: '', model: '' })
  })
}
