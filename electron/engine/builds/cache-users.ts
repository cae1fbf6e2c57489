import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { processNamespace } from '../toolchain/process-tree'

/** Milliseconds after which a user of the cache that was not noted again counts as gone. */
export const longAgo = 7 * 24 * 3600 * 1000

const usersOf = (cacheFolder: string): string => path.join(cacheFolder, 'users')

/** This machine, or this container: processes have their numbers within it. "NAME-NAMESPACE". */
function ownName(): string {
  return `${os.hostname()}-${processNamespace()}`
}

/** Milliseconds after which a user that still runs is noted again. */
const again = 24 * 3600 * 1000

/**
 * Notes that this machine or container uses the cache, each day anew while this process runs. A cache that cannot be
 * written to has no temporary files.
 */
export function noteCacheUser(cacheFolder: string): void {
  setTimeout(() => noteCacheUser(cacheFolder), again).unref()
  try {
    fs.mkdirSync(usersOf(cacheFolder), { recursive: true })
    fs.writeFileSync(path.join(usersOf(cacheFolder), ownName()), '')
  } catch {
    // Whoever writes a file there next gets the error, with what it was for.
  }
}

/** Whether another machine or container uses the cache too, as far as is known. Forgets those of long ago. */
export function hasOtherUsers(cacheFolder: string): boolean {
  let names: string[]
  try {
    names = fs.readdirSync(usersOf(cacheFolder))
  } catch {
    return false
  }
  return names.some((name) => {
    if (name === ownName()) return false
    const file = path.join(usersOf(cacheFolder), name)
    try {
      if (Date.now() - fs.statSync(file).mtimeMs <= longAgo) return true
      fs.rmSync(file, { force: true })
    } catch {
      // It is old. Another start has removed it, or it cannot be removed.
    }
    return false
  })
}
