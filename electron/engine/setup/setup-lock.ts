import fs from 'node:fs'
import path from 'node:path'

import { err } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { hasOwner, isOfOtherNamespace, newTree } from '../toolchain/process-tree'

function readOwner(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Milliseconds that a set-up in a container, whose processes are not seen from here, may take. */
const longest = 2 * 3600 * 1000

function isHeld(file: string): boolean {
  const owner = readOwner(file)
  if (!isOfOtherNamespace(owner)) return hasOwner(owner)
  const { mtimeMs = 0 } = fs.statSync(file, { throwIfNoEntry: false }) ?? {}
  return Date.now() - mtimeMs < longest
}

/** Whether the lock is ours now. One whose process has ended counts for nothing. */
function takeLock(file: string): boolean {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      fs.writeFileSync(file, newTree(), { flag: 'wx' })
      return true
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
    if (isHeld(file)) return false
    fs.rmSync(file, { force: true })
  }
  return false
}

/**
 * One set-up at a time for each cache folder: two compilers would write the same files.
 * Errors: another set-up runs (`request.invalid`).
 */
export async function withSetupLock<Value>(
  cacheFolder: string,
  work: () => Promise<Result<Value>>,
): Promise<Result<Value>> {
  const file = path.join(cacheFolder, 'setup', 'lock')
  fs.mkdirSync(path.dirname(file), { recursive: true })
  if (!takeLock(file)) {
    const owner = readOwner(file)
    if (isOfOtherNamespace(owner))
      return err(
        'request.invalid',
        'Another set-up may be running in a container, or outside of this container.',
        {
          hint: `Wait until it has ended. If it was killed, delete ${file}, then run set-up again.`,
        },
      )
    const [pid = ''] = owner.split('.')
    return err('request.invalid', `Another set-up is running (process ${pid}).`, {
      hint: 'Wait until this process has ended, then run set-up again.',
    })
  }
  try {
    return await work()
  } finally {
    fs.rmSync(file, { force: true })
  }
}
