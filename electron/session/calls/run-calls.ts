import type { AppCallName } from '../../contract/app-calls'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { RunResults, RunWork } from '../../contract/run-calls'
import type { Settings } from '../../contract/settings'
import type { EndedShard, WorkersPlace } from '../../contract/shards'
import { ownCommand } from '../../engine/installation'
import { readSettings } from '../../engine/project/settings-file'
import { thisMachine, workersChoices, workersPlaceOf } from '../../engine/remote/workers-place'
import { endedShards, withoutResult } from '../../engine/shards/ended-shards'
import { RunFollower } from '../../engine/shards/follow-run'
import type { FollowEvent } from '../../engine/shards/follow-run'
import { workerNews } from '../../engine/shards/follow-text'
import { nodesOf } from '../../engine/shards/nodes-of'
import type { RunFolder } from '../../engine/shards/run-folder'
import { LatestProgress } from '../latest-progress'
import { isOfUser } from '../remote/known-targets'
import { mayRunPythons } from './confirm-tools'
import { mayWrite } from './export-calls'
import { nothing } from './handle'
import type { Handlers } from './handle'
import { projectCall, projectJob } from './project-job'
import type { ProjectCall } from './project-job'
import { benchmarksOfRun, ResultsOfRun } from './run-results'
import { planRun } from './run-work'

type RunCalls = Extract<AppCallName, `runs.${string}`>

/** A run of this project; others are not for its window. */
async function find(
  { project, workbench }: ProjectCall,
  { run: id }: { run: string },
): Promise<Result<RunFolder>> {
  const run = await workbench.shardRuns.find(id)
  if (!run.ok || run.value.manifest.project === project.folder) return run
  return err('request.invalid', `Run ${id} is of another project: ${run.value.manifest.project}.`)
}

/** The window cannot name a command that runs here: the user's own files do. */
async function ofUser(place: WorkersPlace, settings: Settings): Promise<Result<WorkersPlace>> {
  if (place.kind === 'slurm') return ok(place)
  for (const { name } of place.targets) {
    if (name === thisMachine || (await isOfUser({ name }, settings))) continue
    return err('request.invalid', `${name} is neither in the settings file nor in ~/.ssh/config.`, {
      hint: 'Add the host to ~/.ssh/config, or a target to the settings file. The command line accepts any host, for example opsmith bench --over ssh:HOST.',
    })
  }
  return ok(place)
}

/** Workers write below the export and run the Pythons: the same is asked as where the engine does that. */
async function mayBuildWheels(
  call: Pick<ProjectCall, 'session' | 'project'>,
  { directory, pythons }: Extract<RunWork, { verb: 'export' }>,
): Promise<Result<null>> {
  const written = await mayWrite(call.project, directory)
  return written.ok ? await mayRunPythons(call, pythons) : written
}

/** How far a run is, with what is new since the last time that it was asked. */
class RunProgress {
  done = 0
  waiting = ''
  private results: number[] = []
  private news: (() => Promise<string>)[] = []

  private readonly parts: ResultsOfRun

  constructor(private readonly run: RunFolder) {
    this.parts = new ResultsOfRun(run.manifest.verb)
  }

  add(event: FollowEvent): void {
    if (event.kind === 'result') {
      this.done = event.done
      this.results.push(event.shard)
    } else if (event.kind === 'waiting') this.waiting = event.note
    else this.news.push(async () => workerNews(event, await this.nameOf(event)))
  }

  /** What shards that have ended since gave, and what happened to workers. */
  async take(): Promise<{ results: RunResults; news: string[] }> {
    const { results, news } = this
    this.results = []
    this.news = []
    const shards = await this.run.allShards()
    const ended: [EndedShard, number][] = []
    for (const index of results) {
      const shard = shards[index]
      const result = await this.run.readResult(index)
      if (shard && result) ended.push([{ shard, result }, index])
    }
    return {
      results: this.parts.addAll(ended),
      news: await Promise.all(news.map((one) => one())),
    }
  }

  private async nameOf(event: FollowEvent): Promise<string> {
    return event.kind === 'died' ? ((await this.run.allShards())[event.shard]?.name ?? '') : ''
  }
}

export const runCalls: Handlers<RunCalls> = {
  'runs.places': projectCall(async ({ workbench }) =>
    ok(await workersChoices(await readSettings(workbench.installation.configFolder))),
  ),
  'runs.list': projectCall(async ({ project, workbench: { shardRuns } }, { verb }) => {
    const runs = (await shardRuns.list(project.folder)).filter(
      ({ manifest }) => manifest.verb === verb,
    )
    const states = await Promise.all(runs.map((run) => shardRuns.state(run)))
    return ok(states.toReversed())
  }),
  'runs.start': projectCall(async ({ session, project, workbench }, { work, over, jobs }) => {
    const { installation, shardRuns, allowsSandbox } = workbench
    const { folder } = project
    const allowed =
      work.verb === 'export' ? await mayBuildWheels({ session, project }, work) : ok(null)
    if (!allowed.ok) return allowed
    const settings = await readSettings(installation.configFolder)
    const named = workersPlaceOf(over, settings, ownCommand(installation))
    const place = named.ok ? await ofUser(named.value, settings) : named
    if (!place.ok) return place
    const { callTimeout } = settings
    const planned = await planRun(workbench, folder, work, { jobs, callTimeout })
    if (!planned.ok) return planned
    const run = await shardRuns.make(
      {
        verb: work.verb,
        ...planned.value,
        project: folder,
        answer: { format: 'text', baseline: '', failAbove: 1 },
      },
      { place: place.value, jobs, allowsSandbox, folder: '' },
    )
    return run.ok ? ok(await shardRuns.state(run.value)) : run
  }),
  'runs.follow': projectJob(async (call, input) => {
    const { session, project, workbench, signal } = call
    const { job } = input
    const { shardRuns } = workbench
    const found = await find(call, input)
    if (!found.ok) return found
    const run = found.value
    const total = run.manifest.shards
    const progress = new RunProgress(run)
    let isOver = false
    let sent: Promise<void> = Promise.resolve()
    const latest = new LatestProgress(() => {
      sent = sent.then(async () => {
        const { done, waiting } = progress
        const more = await progress.take()
        project.noteFiles(more.results)
        if (!isOver) session.send('runs.progressed', { job, done, total, waiting, ...more })
      })
    })
    const follower = new RunFollower(run, nodesOf(run.manifest.place), {
      signal,
      onEvent: (event) => {
        progress.add(event)
        latest.changed()
      },
    })
    const followed = await follower.follow()
    latest.end()
    await sent
    isOver = true
    if (!followed.ok && followed.error.code !== 'cancelled') return followed
    const shards = await endedShards(run, followed.ok ? followed.value.failed : new Map())
    const { verb } = run.manifest
    const end = followed.ok ? 'over' : signal.aborted ? 'left' : 'stopped'
    return ok({
      state: await shardRuns.state(run),
      end,
      results: new ResultsOfRun(verb).addAll([...shards.entries()].map(([at, one]) => [one, at])),
      benchmarks: benchmarksOfRun(verb, shards),
      missing: withoutResult(shards.filter(({ result }) => end === 'over' || result)),
    })
  }),
  'runs.stop': projectCall(async (call, input) => {
    const run = await find(call, input)
    if (!run.ok) return run
    const stopped = await call.workbench.shardRuns.stop(run.value)
    return stopped.ok ? nothing : stopped
  }),
  'runs.remove': projectCall(async (call, input) => {
    const run = await find(call, input)
    if (!run.ok) return run
    const removed = await call.workbench.shardRuns.remove(run.value)
    return removed.ok ? nothing : removed
  }),
}
