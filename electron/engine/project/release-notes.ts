import fs from 'node:fs/promises'
import path from 'node:path'

import { log } from '../log-file'
import { writeAtomically } from './files'

/** The version that was started last; it is newer or older than this one after an update. */
function seenFile(state: string): string {
  return path.join(state, 'seen-version')
}

/** "1.10.0" is newer than "1.9.3". */
function isNewer(one: string, other: string): boolean {
  return one.localeCompare(other, 'en', { numeric: true }) > 0
}

/** The sections of CHANGELOG.md that are newer than `before`, up to `now`; "" for none. */
export function changesBetween(changelog: string, before: string, now: string): string {
  const sections = changelog.split(/^(?=## \[)/m).filter((part) => part.startsWith('## ['))
  const between = sections.filter((part) => {
    const version = /^## \[(\d[\w.-]*)\]/.exec(part)?.[1]
    return version !== undefined && isNewer(version, before) && !isNewer(version, now)
  })
  return between.join('').trim()
}

/**
 * What is new since the version that was started last, as Markdown; "" at a first start, for the same version, and after
 * a downgrade. Each is given once.
 */
export async function newsOfUpdate(
  { root, stateFolder }: { root: string; stateFolder: string },
  version: string,
): Promise<string> {
  const before = (await fs.readFile(seenFile(stateFolder), 'utf8').catch(() => '')).trim()
  if (before === version) return ''
  try {
    await writeAtomically(seenFile(stateFolder), version)
  } catch {
    // It would be shown at each start.
    return ''
  }
  if (before === '' || !isNewer(version, before)) return ''
  log(stateFolder, `updated from ${before} to ${version}`)
  const changelog = await fs.readFile(path.join(root, 'CHANGELOG.md'), 'utf8').catch(() => '')
  return changesBetween(changelog, before, version)
}
