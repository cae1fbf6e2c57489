import type { KeptBuild } from '../../../electron/contract/timing-report'

/** When it was built: "3 Nov 10:12". */
export function buildTime(build: KeptBuild): string {
  return new Date(build.time)
    .toLocaleString('en-GB', {
      day: 'numeric',
      month: 'short',
      hour: '2-digit',
      minute: '2-digit',
    })
    .replace(',', '')
}

/** Its name, else when it was built. */
export function buildName(build: KeptBuild): string {
  return build.name === '' ? `build of ${buildTime(build)}` : build.name
}
