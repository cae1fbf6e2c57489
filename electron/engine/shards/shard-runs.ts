import fs from 'node:fs/promises'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { RunState } from '../../contract/run-calls'
import type { RunManifest, Shard, WorkersPlace } from '../../contract/shards'
import { ownVersion } from '../installation'
import type { Installation } from '../installation'
import { RunFollower } from './follow-run'
import { nodesOf } from './nodes-of'
import { createRun, listRuns, openRun, RunFolder, runsFolder } from './run-folder'

/** Milliseconds that jobs have to end when their run is over or was stopped. Slurm is asked every five seconds. */
const endingTime = 20_000
const betweenLooks = 500

/** What is spread. */
export interface SpreadWork {
  verb: string
  title: string
  project: string
  shards: readonly Shard[]
  answer: RunManifest['answer']
}

export interface SpreadPlace {
  place: WorkersPlace
  jobs: number
  allowsSandbox: boolean
  /** The folder in which the folder of the run is made; "" for the usual place. */
  folder: string
}

/** For people. */
function placeText(place: WorkersPlace): string {
  if (place.kind === 'commands') return place.targets.map(({ name }) => name).join(', ')
  return ['slurm', ...place.options].join(' ')
}

const inUsualPlace = ({ folder, manifest }: RunFolder): RunFolder =>
  new RunFolder(folder, manifest, manifest.id)

/** The runs of this user: what the command line and the window do with them. */
export class ShardRuns {
  constructor(private readonly installation: Pick<Installation, 'dataFolder' | 'root'>) {}

  get parent(): string {
    return runsFolder(this.installation.dataFolder)
  }

  /** Makes a run. Whoever follows it starts its workers. */
  async make(
    { shards, ...work }: SpreadWork,
    { place, jobs, allowsSandbox, folder }: SpreadPlace,
  ): Promise<Result<RunFolder>> {
    const version = ownVersion(this.installation.root)
    const parent = folder === '' ? this.parent : folder
    const most = Math.min(jobs, shards.length)
    const run = { ...work, version, place, jobs: most, allowsSandbox }
    const made = await createRun(parent, run, shards)
    return made.ok && folder === '' ? ok(inUsualPlace(made.value)) : made
  }

  /** The newest last. @param project the folder of a project; "" for the runs of all */
  async list(project: string): Promise<RunFolder[]> {
    const runs = await listRuns(this.parent)
    return runs.filter(({ manifest }) => project === '' || manifest.project === project)
  }

  async find(id: string): Promise<Result<RunFolder>> {
    const run = await openRun(path.join(this.parent, path.basename(id)))
    return run.ok
      ? ok(inUsualPlace(run.value))
      : err('request.invalid', `There is no run ${id} in ${this.parent}.`, {
          hint: `\`opsmith runs\` lists the runs. If the run was started with --run-folder, write the path of its folder instead of its id, such as ./${path.basename(id)}.`,
        })
  }

  async state(run: RunFolder): Promise<RunState> {
    const { id, verb, title, shards, created, place } = run.manifest
    const follower = new RunFollower(run, nodesOf(place))
    const looked = await follower.look()
    const { done, failed, openJobs, isOver } = follower.summary()
    const isStopped = !isOver && (await run.isStopped())
    const unfinished = !looked.ok ? 'unknown' : openJobs > 0 ? 'working' : 'idle'
    return {
      id,
      verb,
      title,
      place: placeText(place),
      phase: isOver ? (failed > 0 ? 'ended' : 'done') : isStopped ? 'stopped' : unfinished,
      problem: looked.ok ? '' : looked.error.message,
      openJobs,
      done,
      failed,
      shards,
      created,
      folder: run.folder,
    }
  }

  /** Ends its jobs; its results stay. */
  async stop(run: RunFolder): Promise<Result<null>> {
    return await new RunFollower(run, nodesOf(run.manifest.place)).stop()
  }

  /** Refused while it has jobs. Those of a run that is over or was stopped end soon, and are waited for. */
  async remove(run: RunFolder): Promise<Result<null>> {
    const { id, place } = run.manifest
    const follower = new RunFollower(run, nodesOf(place))
    const looked = await this.lookUntilEnded(run, follower)
    if (!looked.ok) return looked
    const { openJobs, isOver } = follower.summary()
    if (openJobs > 0)
      return err('request.invalid', `Run ${id} still has jobs.`, {
        hint:
          isOver || (await run.isStopped())
            ? 'They have not ended yet. Try again in a minute.'
            : `Stop it first: opsmith runs ${run.name} --stop`,
      })
    await fs.rm(run.folder, { recursive: true, force: true })
    return ok(null)
  }

  private async lookUntilEnded(run: RunFolder, follower: RunFollower): Promise<Result<null>> {
    const started = performance.now()
    for (;;) {
      const looked = await follower.look()
      const { openJobs, isOver } = follower.summary()
      const isLate = performance.now() - started > endingTime
      if (!looked.ok || openJobs === 0 || isLate) return looked
      if (!isOver && !(await run.isStopped())) return looked
      await setTimeout(betweenLooks)
    }
  }
}
