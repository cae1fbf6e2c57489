import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { root, testInstallation } from './installation'
import type { TestCache } from './installation'

/** How a program is started as somebody who is not root. */
export interface OrdinaryUser {
  /** In the place of the program. */
  executable: string
  environment: Record<string, string>
}

/** "nobody" of most systems; the number alone is what counts. */
const id = 65534
const becomeUser = ['setpriv', `--reuid=${id}`, `--regid=${id}`, '--clear-groups']
const isRoot = process.getuid?.() === 0

const can = (...words: string[]): boolean => {
  const [program = '', ...rest] = isRoot ? [...becomeUser, ...words] : words
  return spawnSync(program, rest, { stdio: 'ignore' }).status === 0
}

/** Why nobody but root can start the app here, with Chromium's sandbox; "" where that can be. */
export function ordinaryUserProblem(): string {
  if (process.platform !== 'linux') return 'this is not Linux'
  if (!can('true')) return 'setpriv cannot start a program as another user'
  if (!can('test', '-r', path.join(root, 'dist/main.cjs')))
    return `an ordinary user cannot read ${root}`
  return can('unshare', '--user', 'true')
    ? ''
    : 'ordinary users cannot make user namespaces on this machine'
}

/**
 * An ordinary user to whom the cache and all that is in it belongs. Set-up's files may be where only root can read:
 * Electron and the addon are copied.
 */
export function asOrdinaryUser(cache: TestCache, electron: string): OrdinaryUser {
  if (!isRoot) return { executable: electron, environment: {} }
  const tools = path.join(cache.home, 'tools')
  fs.mkdirSync(tools)
  const copied = (folder: string): string => {
    execFileSync('cp', ['--archive', '--reflink=auto', folder, tools])
    return path.join(tools, path.basename(folder))
  }
  const program = path.join(copied(path.dirname(electron)), path.basename(electron))
  const addon = copied(testInstallation(cache).addonFolder)
  const executable = path.join(tools, 'start')
  fs.writeFileSync(executable, `#!/bin/sh\nexec ${becomeUser.join(' ')} ${program} "$@"\n`, {
    mode: 0o755,
  })
  // The compilers' work is root's too: this user begins with none.
  for (const entry of fs.readdirSync(cache.folder, { withFileTypes: true }))
    if (entry.isSymbolicLink()) fs.rmSync(path.join(cache.folder, entry.name))
  execFileSync('chown', ['--recursive', '--no-dereference', `${id}:${id}`, cache.home])
  return { executable, environment: { HOME: cache.home, OPSMITH_ADDON: addon } }
}
