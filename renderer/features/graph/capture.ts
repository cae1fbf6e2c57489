import { buildJob } from '../../store/build'
import { runStamp } from '../../store/files'
import { isRefreshDue } from '../../store/loop'
import { graphStore, type ShownGraph } from './graph'
import { chooseFirstEntry } from './graph-entry'
import { graphError, graphJob, isGraphWorking, observeJob, shownGraph } from './jobs'
import { isAlive } from './shots'

/** Capturing what the choice asks for, and keeping what is shown up to date. */

/** Called by the panel while it is open. */
export function watchGraph(): () => void {
  graphStore.setState({ isPanelOpen: true })
  return () => graphStore.setState({ isPanelOpen: false })
}

/**
 * The panel was opened: shows what there is, captures what is not there or older than the sources. Where a build or
 * what follows it will do that, nothing is captured here.
 */
export async function openGraph(): Promise<void> {
  const isOfProject = graphStore.getState().choice.file === null
  const waitsForBuild = isOfProject && (buildJob.isRunning() || isRefreshDue(refreshOrder))
  graphStore.setState({ waitsForBuild })
  if (waitsForBuild) return
  if (isOfProject && buildJob.store.getState().stamp === null) return
  if (isGraphWorking()) return
  const shown = shownGraph()
  if (shown && !isOlder(shown)) return
  if (hasCrashed()) return
  if (!chooseFirstEntry()) return
  await captureGraph()
}

/** Later than the run of an operator: users look at its result first. */
export const refreshOrder = 10

/** The build brought no library: a panel that was opened during it shows the graph of the library before. */
export function openWithoutLibrary(): void {
  const { isPanelOpen, waitsForBuild } = graphStore.getState()
  if (isPanelOpen && waitsForBuild) void openGraph()
}

/** After a good build or a saved program: what is shown is captured again, its changes marked. */
export async function refreshGraph(): Promise<void> {
  graphStore.setState({ waitsForBuild: false })
  chooseFirstEntry()
  const { choice, isPanelOpen } = graphStore.getState()
  if (!isPanelOpen || choice.entry === '' || hasCrashed()) return
  if (choice.file !== null && choice.file.kind !== 'torchscript') return
  await captureGraph()
}

/** After an edit of the inputs in opsmith.json: a script does not depend on them. */
export function refreshAfterInputs({ building }: { building: boolean }): void {
  if (!building && graphStore.getState().choice.form !== 'script') void refreshGraph()
}

function isOlder(shown: ShownGraph): boolean {
  return shown.shot.report !== null && shown.shot.stamp !== runStamp()
}

/** Whether these sources ended the op host: that is not tried again unasked. */
function hasCrashed(): boolean {
  const { stamp } = graphJob.store.getState()
  return graphError()?.exit !== undefined && stamp === runStamp()
}

export async function captureGraph(): Promise<void> {
  const { choice } = graphStore.getState()
  if (choice.entry !== '') await graphJob.run({ choice, shot: null })
}

/** Another step, or another thing to compare with: nothing is captured that is there. */
export async function showAgain(): Promise<void> {
  const { choice } = graphStore.getState()
  const shot = shownGraph()?.shot
  if (isGraphWorking() || !shot) {
    await captureGraph()
    return
  }
  const step = Math.min(choice.step ?? shot.stepCount - 1, shot.stepCount - 1)
  const isThere = shot.steps.has(step) || isAlive(shot)
  if (isThere) await graphJob.run({ choice, shot })
  else await captureGraph()
}

export async function stopGraph(): Promise<void> {
  await Promise.all([graphJob.stop(), observeJob.stop()])
}

/** Runs the shown step once, node by node, for the overlays; asked for once a graph. */
export async function observeGraph(runs = 5): Promise<void> {
  const shown = shownGraph()
  if (!shown?.shot.report || isGraphWorking()) return
  if (observeJob.store.getState().value?.doc === shown.graph.doc) return
  if (isAlive(shown.shot)) {
    await observeJob.run({ shown, capture: shown.shot.report.capture, runs })
    return
  }
  await captureGraph()
  if (shownGraph()?.shot !== shown.shot) await observeGraph(runs)
}
