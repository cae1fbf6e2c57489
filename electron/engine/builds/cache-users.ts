import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { processNamespace } from '../toolchain/process-tree'

/** Milliseconds after which a user of the cache that was not seen again writes no file of it any more. */
export const longAgo = 7 * 24 * 3600 * 1000

const usersOf = (cacheFolder: string): string => path.join(cacheFolder, 'users')

/** This machine, or this container: processes have their numbers within it. "NAME-NAMESPACE". */
function ownName(): string {
  return `${os.hostname()}-${processNamespace()}`
}

/** Notes that this machine or container uses the cache. A cache that cannot be written to has no temporary files. */
export function noteCacheUser(cacheFolder: string): void {
  try {
    fs.mkdirSync(usersOf(cacheFolder), { recursive: true })
    fs.writeFileSync(path.join(usersOf(cacheFolder), ownName()), '')
  } catch {
    // Whoever writes a file there next gets the error, with what it was for.
  }
}

/** Whether another machine or container uses the cache too, as far as is known. Forgets those of long ago. */
export function hasOtherUsers(cacheFolder: string): boolean {
  try {
    const names = fs.readdirSync(usersOf(cacheFolder)).filter((name) => name !== ownName())
    return names.some((name) => {
      const file = path.join(usersOf(cacheFolder), name)
      const isOld = Date.now() - fs.statSync(file).mtimeMs > longAgo
      if (isOld) fs.rmSync(file, { force: true })
      return !isOld
    })
  } catch {
    return false
  }
}
