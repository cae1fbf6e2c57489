import type { KeptBuild } from '../../../contract/timing-report'
import type { Result } from '../../../contract/outcome'
import { err, ok } from '../../../contract/outcome'
import type { Workbench } from '../../../engine/workbench'
import type { TimingCommand } from './options'
import { exitCodes } from '../../exit-codes'
import { printError, printJson, printLines } from '../../print'

/** "21 Nov 14:03:11", as long as the year is this one. */
function timeText(time: number): string {
  const at = new Date(time)
  const year = at.getFullYear() === new Date().getFullYear() ? '' : ` ${at.getFullYear()}`
  const month = at.toLocaleString('en', { month: 'short' })
  return `${at.getDate()} ${month}${year} ${at.toTimeString().slice(0, 8)}`
}

function buildLines(builds: readonly KeptBuild[]): string[] {
  if (builds.length === 0)
    return [
      'Opsmith has not kept any build yet. Opsmith keeps a build if the build succeeds and its library loads.',
    ]
  const last = builds.find(({ current }) => !current)
  const names = builds.map(({ name }) => (name === '' ? '–' : name))
  const width = Math.max(...names.map((name) => name.length))
  return builds.map((build, index) => {
    const which = build.current ? 'this build' : build === last ? 'last' : ''
    const cells = [(names[index] ?? '').padEnd(width), timeText(build.time), build.key, which]
    return cells.join('  ').trimEnd()
  })
}

/** The key of what `--build` tells: "last", a name or a key; without one, of the build that is now. */
function keyOf(builds: readonly KeptBuild[], wanted: string | undefined): Result<string> {
  const found = builds.find((build) =>
    wanted === undefined
      ? build.current
      : wanted === 'last'
        ? !build.current
        : [build.name, build.key].includes(wanted),
  )
  if (found) return ok(found.key)
  const message =
    wanted === 'last'
      ? 'Opsmith has not kept an earlier build.'
      : wanted === undefined
        ? 'You cannot name this build, because Opsmith has not kept it. Opsmith keeps a build if the build succeeds and its library loads.'
        : `No kept build has the name or key "${wanted}".`
  return err('request.invalid', message, {
    hint:
      wanted === 'last'
        ? 'Change a source and build again: the current build becomes the previous build.'
        : '`opsmith bench PROJECT --builds` lists the kept builds.',
  })
}

/** `opsmith bench --builds` and `--name-build`: what can be timed against, newest first. */
export async function keepBuilds(
  workbench: Workbench,
  folder: string,
  { keeping, builds: [wanted], buildName, format }: TimingCommand,
): Promise<number> {
  const json = format === 'json'
  let listed = await workbench.timings.builds(folder)
  if (!listed.ok) return printError(listed.error, json)
  if (keeping === 'name') {
    const key = keyOf(listed.value, wanted)
    if (!key.ok) return printError(key.error, json)
    listed = await workbench.timings.nameBuild(folder, key.value, buildName)
    if (!listed.ok) return printError(listed.error, json)
  }
  if (json) printJson({ ok: true, builds: listed.value })
  else printLines(buildLines(listed.value))
  return exitCodes.good
}
