import type { Finding } from '../../contract/doctor'
import type { Runtime } from '../installation'

const majorOf = (version: string): number => Number(/\d+/.exec(version)?.[0] ?? 0)

/**
 * The runtime of the window: one that is older than package.json names lacks what was repaired since.
 * @param canReplace set-up gets another; a package brings its own
 */
export function runtimeFinding({ version, named }: Runtime, canReplace: boolean): Finding {
  const isOld = majorOf(version) < majorOf(named)
  return {
    kind: 'electron',
    name: `Electron ${version}`,
    path: process.execPath,
    version,
    judgement: isOld ? 'warning' : 'usable',
    why: isOld
      ? `Opsmith is made for Electron ${named}, but this window runs an older Electron, whose Chromium has known security holes`
      : '',
    remedy: isOld && canReplace ? 'npm run setup (needs access to github.com)' : '',
    chosen: true,
    facts: [],
  }
}
