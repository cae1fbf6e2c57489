import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Manifest } from '../../contract/manifest'
import type { RunWork } from '../../contract/run-calls'
import type { Shard } from '../../contract/shards'
import { shardsOfChecks } from '../../engine/check/check-shards'
import { shardsOfGradchecks, shardsOfSearch } from '../../engine/check/gradcheck-shards'
import { nothingDrawn } from '../../engine/check/worst-point'
import { entryOf, nameOf } from '../../engine/project/gradcheck-case'
import { readWheelPythons } from '../../engine/project-export/wheel-pythons'
import { shardsOfWheels } from '../../engine/project-export/wheel-shards'
import { readManifest } from '../../engine/project/read-manifest'
import { benchmarksOf } from '../../engine/timing/entries'
import { timingNameOf } from '../../engine/timing/plan'
import { shardsOfTimings } from '../../engine/timing/timing-shards'
import type { Workbench } from '../../engine/workbench'

/** What a run is made of. */
export interface PlannedRun {
  title: string
  shards: Shard[]
}

type OfVerb<Verb extends RunWork['verb']> = Extract<RunWork, { verb: Verb }>

interface Limits {
  /** Workers at a time. */
  jobs: number
  /** The settings' time limit of a call, in seconds. */
  callTimeout: number
}

function planTimings({ request }: OfVerb<'bench'>, manifest: Manifest): Result<PlannedRun> {
  const requests = request === null ? benchmarksOf(manifest) : [request]
  const shards = shardsOfTimings(requests, manifest)
  if (!shards.ok) return shards
  const title = request === null ? 'all benchmarks' : timingNameOf(request)
  return ok({ title, shards: shards.value })
}

function planGradchecks(
  { search }: OfVerb<'gradcheck'>,
  manifest: Manifest,
  { jobs, callTimeout }: Limits,
): Result<PlannedRun> {
  if (search === null) {
    const limits = { jobs, timeout: callTimeout, points: 0, firstSeed: 0 }
    const shards = shardsOfGradchecks(manifest.gradchecks, manifest, limits)
    return shards.length > 0
      ? ok({ title: 'all gradchecks', shards })
      : err('request.invalid', 'opsmith.json has no gradchecks.', {
          hint: 'Add an entry to "gradchecks" in opsmith.json.',
        })
  }
  const { request, points, firstSeed, timeout } = search
  const entry = entryOf(request, manifest, { name: '', expect: 'passed' })
  const shards = shardsOfSearch(entry, manifest, {
    points,
    firstSeed,
    jobs,
    timeout: timeout === 0 ? callTimeout : timeout,
    index: 0,
  })
  if (shards.length === 0) return nothingDrawn()
  return ok({ title: `${nameOf(entry)}, ${points} ${points === 1 ? 'point' : 'points'}`, shards })
}

/** Which operators there are is known once they are built. */
async function planChecks(
  { sanitize, thorough }: OfVerb<'check'>,
  folder: string,
  { operatorChecks }: Workbench,
): Promise<Result<PlannedRun>> {
  const entries = await operatorChecks.entries(folder, { timeout: 0 })
  if (!entries.ok) return entries
  const shards = shardsOfChecks(entries.value, { sanitize, thorough, timeout: 0 })
  return shards.length > 0
    ? ok({ title: 'all operators', shards })
    : err('request.invalid', 'This project has no operators to check.', {
        hint: 'Register an operator with TORCH_LIBRARY. If "checks" in opsmith.json is an empty list, add an operator to the list or remove "checks".',
      })
}

async function planWheels({
  form,
  pythons: named,
  directory,
}: OfVerb<'export'>): Promise<Result<PlannedRun>> {
  const pythons = await readWheelPythons(named)
  if (!pythons.ok) return pythons
  const shards = shardsOfWheels(form, pythons.value, directory)
  return ok({ title: shards.length === 1 ? '1 wheel' : `${shards.length} wheels`, shards })
}

/** The parts of the work of a run, and its title. */
export async function planRun(
  workbench: Workbench,
  folder: string,
  work: RunWork,
  limits: Limits,
): Promise<Result<PlannedRun>> {
  if (work.verb === 'check') return await planChecks(work, folder, workbench)
  if (work.verb === 'export') return await planWheels(work)
  const manifest = await readManifest(folder)
  if (!manifest.ok) return manifest
  return work.verb === 'bench'
    ? planTimings(work, manifest.value)
    : planGradchecks(work, manifest.value, limits)
}
