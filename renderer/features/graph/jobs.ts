import type { GraphObservation } from '../../../electron/contract/graph'
import { err, ok, type Result, type WorkbenchError } from '../../../electron/contract/outcome'
import { call } from '../../bridge/bridge'
import { runStamp } from '../../store/files'
import { effectiveInputs } from '../../store/inputs'
import { createJob, createLane, useJob, type JobState } from '../../store/job'
import { compared } from './comparison'
import {
  dropDocuments,
  formNames,
  graphStore,
  type GraphChoice,
  type Shot,
  type ShownGraph,
} from './graph'
import { dropShots, readStep, takeShot } from './shots'

/** What the panel shows, and what it may be compared with. */
type GraphView = {
  shown: ShownGraph
  /** The shown thing as the last build had it. */
  lastBuild: Shot | null
  /** The comparison could not be made: the graph itself is shown all the same. */
  compareError: WorkbenchError | null
}

type GraphInput = {
  choice: GraphChoice
  /** Shows a step of this capture; null captures first. */
  shot: Shot | null
}

/** The op host does one thing at a time for the graph. */
const lane = createLane()

/**
 * User code cannot be interrupted: to end it is to end the op host, and with it everything that it holds.
 * So what is nearly done is waited for, milliseconds.
 */
const patience = 1_500

/** Captures what the choice asks for, and shows the chosen step of it. Its progress says in words what it does. */
export const graphJob = createJob<GraphInput, GraphView, string>({
  kind: 'graph',
  latest: 'wins',
  lane,
  patience,
  // A build's end and a panel that opens ask for the same at once.
  key: ({ choice, shot }) => JSON.stringify([choice, shot?.key, runStamp(), effectiveInputs()]),
  keepsValue: true,
  run: async ({ choice, shot: known }, { folder, job, report, isNewest }) => {
    const before = graphJob.store.getState().value
    report(
      known
        ? `Reading the graph of ${choice.entry} after a compiler pass`
        : `Capturing ${choice.entry} (${formNames[choice.form].toLowerCase()})`,
    )
    const taken = known ? ok(known) : await takeShot(folder, job, choice, choice)
    if (!taken.ok) return taken
    const shot = taken.value
    const lastBuild = known ? (before?.lastBuild ?? null) : lastBuildOf(shot, before)
    const view = await viewOf({ folder, job, choice, shot, lastBuild, isNewest })
    if (!view.ok) releaseShots([shot])
    return view
  },
  arrived: ({ shown }) => {
    // What was observed, or could not be, is of the capture before.
    if (shown.shot !== shownGraph()?.shot) observeJob.set({ value: null, error: null })
  },
  release: ({ shown, lastBuild }) => releaseShots([shown.shot, lastBuild]),
})

type ViewParts = {
  folder: string
  job: string
  choice: GraphChoice
  shot: Shot
  lastBuild: Shot | null
  isNewest: () => boolean
}

/** Reads the chosen step of a shot, and what it is compared with. */
async function viewOf({ isNewest, ...parts }: ViewParts): Promise<Result<GraphView>> {
  const { choice, shot, lastBuild } = parts
  if (!isNewest()) return superseded
  const step = Math.min(choice.step ?? shot.stepCount - 1, shot.stepCount - 1)
  const graph = await readStep(shot, step)
  if (!graph.ok) return graph
  if (!isNewest()) return superseded
  const compare = await compared({ ...parts, step })
  if (!isNewest()) return superseded
  return ok({
    shown: { shot, step, graph: graph.value, compare: compare.ok ? compare.value : null },
    lastBuild,
    compareError: compare.ok ? null : compare.error,
  })
}

const superseded = err('cancelled', 'A newer graph was requested.')

/** The last build's graph stays to compare with until a newer build's takes its place. */
function lastBuildOf(shot: Shot, before: GraphView | null): Shot | null {
  if (before === null) return null
  const { shown, lastBuild } = before
  if (shown.shot.key === shot.key && shown.shot.stamp !== shot.stamp) return shown.shot
  return lastBuild?.key === shot.key ? lastBuild : null
}

/** Frees those that nothing shows or compares with any more. */
function releaseShots(shots: readonly (Shot | null)[]): void {
  const { value } = graphJob.store.getState()
  const needed = [value?.shown.shot, value?.lastBuild]
  const given = shots.filter((shot) => shot !== null)
  dropShots([...new Set(given)].filter((shot) => !needed.includes(shot)))
}

type Observation = { doc: number; value: GraphObservation }

type ObserveInput = { shown: ShownGraph; capture: number; runs: number }

/** Runs the shown step node by node, for the overlays. */
export const observeJob = createJob<ObserveInput, Observation, string>({
  kind: 'observe',
  latest: 'refused',
  lane,
  keepsValue: true,
  run: async ({ shown, capture, runs }, { folder, job, report }) => {
    report(`Running ${shown.shot.title}`)
    const result = await call('graph.observe', { folder, job, capture, step: shown.step, runs })
    return result.ok ? ok({ doc: shown.graph.doc, value: result.value }) : result
  },
})

export function shownGraph(): ShownGraph | null {
  return graphJob.store.getState().value?.shown ?? null
}

export function useShown<T>(select: (shown: ShownGraph | null) => T): T {
  return useJob(graphJob, (state) => select(state.value?.shown ?? null))
}

export function isGraphWorking(): boolean {
  return graphJob.isRunning() || observeJob.isRunning()
}

/** What runs for the graph. */
export function useGraphWork(): { job: string | null; startedAt: number; what: string } {
  const graph = useJob(graphJob, (state) => state)
  const observe = useJob(observeJob, (state) => state)
  const { running, startedAt, progress } = observe.running === null ? graph : observe
  return { job: running, startedAt, what: progress ?? '' }
}

/** Why there is no newer graph; nothing while one is on its way. */
export function graphError(): WorkbenchError | null {
  return errorOf(graphJob.store.getState())
}

export function useGraphError(): WorkbenchError | null {
  return useJob(graphJob, errorOf)
}

function errorOf({ running, error }: JobState<GraphView, string>): WorkbenchError | null {
  return running === null ? error : null
}

/** Another project: the jobs are reset already. The panel may stay open. */
export function forgetGraph(): void {
  const { otherShots, otherFiles, isPanelOpen } = graphStore.getState()
  graphStore.setState({ ...graphStore.getInitialState(), isPanelOpen }, true)
  dropShots(otherShots.values())
  for (const graph of otherFiles.values()) dropDocuments([graph.doc])
}
