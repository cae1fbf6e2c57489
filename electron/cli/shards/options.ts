import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Settings } from '../../contract/settings'
import type { RunAnswer, WorkersPlace } from '../../contract/shards'
import { workersPlaceOf } from '../../engine/remote/workers-place'
import { flag, flagOf, number, text } from '../options'
import { callerPath } from '../print'

/** Options of each verb whose work can be spread over nodes. */
export const over = text(
  '<where>',
  'where to spread the work: slurm, or the name of a cluster in the settings, or a list of machines such as local,ssh:HOST,TARGET; local is this machine, TARGET is the name of a target in the settings',
)
export const jobs = number(
  '<number>',
  'with --over: number of workers (processes that do the work) that run at the same time',
  { least: 1, isWhole: true, most: 1000 },
  '2',
)
export const detach = flag(
  'with --over: do not wait for the results; `opsmith runs ID` waits for them and prints them',
)
export const runFolder = text(
  '<folder>',
  'with --over: create the folder of the run in this folder, which all nodes must share',
)

const defaultJobs = 2

export interface Spread {
  place: WorkersPlace
  jobs: number
  detaches: boolean
  /** "" for the usual place. */
  folder: string
}

interface GivenSpread {
  over: string | undefined
  jobs: number | undefined
  detach: boolean
  runFolder: string | undefined
}

/** An error if one of these is given together with --over. */
export function refusedWithOver<Name extends string>(
  given: { over: string | undefined } & Readonly<Record<Name, unknown>>,
  names: readonly Name[],
): Result<null> {
  const refused = names.find((name) => given[name] !== undefined && given[name] !== false)
  return given.over === undefined || refused === undefined
    ? ok(null)
    : err(
        'request.invalid',
        `${flagOf(refused, { isNegated: false })} cannot be given together with --over.`,
      )
}

export const noKernelChecks = '--check-kernels cannot be given together with --over.'

/** Text or JSON, compared with nothing. */
export function plainAnswer(json: boolean): RunAnswer {
  return { format: json ? 'json' : 'text', baseline: '', failAbove: 1 }
}

/** What --over asks for; undefined without it. @param opsmith see workersPlaceOf() */
export function readSpread(
  given: GivenSpread,
  settings: Pick<Settings, 'targets' | 'clusters'>,
  opsmith: string[],
): Result<Spread | undefined> {
  if (given.over === undefined) {
    const alone = (['jobs', 'detach', 'runFolder'] as const).find((name) => given[name])
    return alone === undefined
      ? ok(undefined)
      : err('request.invalid', `--${alone === 'runFolder' ? 'run-folder' : alone} needs --over.`)
  }
  const place = workersPlaceOf(given.over, settings, opsmith)
  if (!place.ok) return place
  return ok({
    place: place.value,
    jobs: given.jobs ?? defaultJobs,
    detaches: given.detach,
    folder: given.runFolder === undefined ? '' : callerPath(given.runFolder),
  })
}
