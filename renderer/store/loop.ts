import type { Project } from '../../electron/contract/project'
import { call, listen, newJob } from '../bridge/bridge'
import { forgetAssembly } from '../features/assembly/assembly-run'
import { benchmarksChanged, forgetBenches, refreshBenches } from '../features/timings/bench-run'
import { buildLog, buildStore, forgetBuild } from './build'
import { forgetExports } from '../features/export/export-run'
import { buildStamp, openVersions, runStamp } from './files'
import { forgetGradchecks, refreshGradchecks } from '../features/gradcheck/gradcheck-all'
import { graphStore } from '../features/graph/graph'
import { forgetGraph, refreshGraph } from '../features/graph/graph-capture'
import {
  entriesChanged,
  forgetOpchecks,
  refreshOpchecks,
} from '../features/operator-checks/opcheck-run'
import { dismissCrash, noteCrash } from './host'
import { forgetInputs, manifestArrived } from './inputs'
import { forgetProfile, refreshProfile } from '../features/profile/profile-run'
import { forgetSaid } from './language'
import { currentFolder, currentManifest, projectChanged } from './project'
import { forgetRegistry } from './registry'
import {
  chooseFirst,
  forgetRun,
  loadFunctions,
  resolveSignature,
  runChosen,
  runStore,
} from '../features/run/run'
import { dropOldSanitized, forgetSanitized } from '../features/build/sanitize'
import { forgetSchemas, schemasStore, takeLoad } from './schemas'
import { settingsStore } from './settings'

/**
 * The loop: build, load, and every panel refreshes what it showed. Nobody presses five buttons.
 */

let running: Promise<void> | null = null
let again = false

/**
 * Builds what is on disk. A build that is running is ended first and its result thrown away.
 * @param timeTrace compiles all of the project anew and says where the time went
 */
export async function buildProject(timeTrace = false): Promise<void> {
  if (running !== null) {
    if (again) return running // one that waits will see the newest sources
    again = true
    await cancelBuild()
    await running
    again = false
  }
  if (currentFolder() === null) return
  running = buildOnce(timeTrace)
  try {
    await running
  } finally {
    running = null
  }
}

export async function cancelBuild(): Promise<void> {
  const { job } = buildStore.getState()
  if (job === null) return
  buildStore.setState({ stopping: true })
  await call('job.cancel', { job })
}

async function buildOnce(timeTrace: boolean): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const job = newJob('build')
  const stamp = buildStamp()
  const versions = openVersions()
  buildLog.clear()
  const begun = { job, stopping: false, startedAt: Date.now(), done: 0, steps: 0 }
  buildStore.setState({ ...begun, cancelled: false, logVersion: buildLog.version })
  const result = await call('operator.build', { folder, job, timeTrace })
  if (currentFolder() !== folder) return
  const ended = { job: null, stopping: false, logVersion: buildLog.version }
  if (!result.ok) {
    const cancelled = result.error.code === 'cancelled'
    // A cancelled build says nothing about the sources: what was known before stays.
    if (cancelled) buildStore.setState({ ...ended, cancelled: true })
    else
      buildStore.setState({
        ...ended,
        error: result.error,
        report: null,
        settled: null,
        loadError: null,
        stamp,
        versions,
      })
    return
  }
  const { build, load, loadError } = result.value
  dropOldSanitized(stamp)
  const good = { report: build, settled: null, error: null }
  buildStore.setState({ ...ended, ...good, loadError: loadError ?? null, stamp, versions })
  if (build.timeTrace) {
    buildStore.setState({ traced: { trace: build.timeTrace, load: load?.seconds ?? null, stamp } })
  }
  if (loadError?.exit) noteCrash(loadError.exit)
  if (load) {
    dismissCrash()
    takeLoad(load, stamp)
    forgetRegistry()
    await refreshRun()
  }
}

/** The program may call what was just built; the last run shows what changed. */
async function refreshRun(): Promise<void> {
  await loadFunctions()
  await chooseFirst()
  const { repeats, error, stamp } = runStore.getState()
  // What ended the op host would end it again: that is for the user to ask for.
  const wouldCrash = error?.exit !== undefined && stamp === runStamp()
  void refreshResults(repeats && !wouldCrash)
}

/** The op host does one thing at a time: what somebody looks at comes before what runs by itself. */
async function refreshResults(runs: boolean): Promise<void> {
  await Promise.all(runs ? [runChosen(), refreshGraph()] : [refreshGraph()])
  await refreshGradchecks()
  await refreshOpchecks()
  // Last, and with nothing beside them: whatever else runs would be timed, too.
  await refreshProfile()
  await refreshBenches()
}

/** The program was saved: no build is needed to see what it does now. */
export async function programChanged(): Promise<void> {
  await loadFunctions()
  await resolveSignature()
  if (buildStore.getState().job !== null) return // the build refreshes all there is
  void refreshResults(runStore.getState().repeats)
}

export function listenToProject(): void {
  listen('project.changed', (project: Project) => {
    if (project.folder !== currentFolder()) return
    const stampBefore = buildStamp()
    const runBefore = runKey()
    const checksBefore = checksKey()
    const operatorsBefore = operatorsKey()
    const benchmarksBefore = benchmarksKey()
    projectChanged(project)
    manifestArrived()
    if (buildStamp() !== stampBefore && settingsStore.getState().settings.buildOnSave) {
      void buildProject()
    } else if (runStore.getState().op === '') {
      void chooseFirst()
    } else if (runKey() !== runBefore) {
      if (runStore.getState().repeats) void runChosen()
      if (graphStore.getState().choice.form !== 'script') void refreshGraph()
    }
    const isBuilt = buildStore.getState().job === null && schemasStore.getState().load !== null
    if (isBuilt && checksKey() !== checksBefore) void refreshGradchecks()
    if (isBuilt && operatorsKey() !== operatorsBefore) void entriesChanged()
    if (benchmarksKey() !== benchmarksBefore) benchmarksChanged()
  })
}

/** What a run reads of the manifest: an edited input shows its effect without a build. */
function runKey(): string {
  return JSON.stringify(currentManifest()?.inputs ?? {})
}

/** What gradchecks read of it. */
function checksKey(): string {
  return JSON.stringify([currentManifest()?.gradchecks ?? [], runKey()])
}

/** What operator checks read of it. */
function operatorsKey(): string {
  const manifest = currentManifest()
  return JSON.stringify([manifest?.checks ?? manifest?.calls ?? [], runKey()])
}

/** What the list of benchmarks reads of it. */
function benchmarksKey(): string {
  const manifest = currentManifest()
  return JSON.stringify([manifest?.benchmarks ?? [], manifest?.calls ?? []])
}

/** Another project (or none): nothing of the old one may be shown as if it were the new one's. */
export function forgetResults(): void {
  forgetRun()
  forgetGraph()
  forgetGradchecks()
  forgetOpchecks()
  forgetBenches()
  forgetProfile()
  forgetAssembly()
  forgetExports()
  forgetBuild()
  forgetSanitized()
  forgetSchemas()
  forgetInputs()
  forgetRegistry()
  forgetSaid()
  dismissCrash()
}
