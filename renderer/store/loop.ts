import type { Project } from '../../electron/contract/project'
import { call, listen, newJob } from '../bridge/bridge'
import { buildLog, buildStore, forgetBuild } from './build'
import { allFeatures, allJobs, type Refresh } from './feature'
import { buildStamp, openVersions } from './files'
import { dismissCrash, noteCrash } from './host'
import { forgetInputs, manifestArrived } from './inputs'
import { forgetSaid } from './language'
import { forgetProgramFunctions, loadProgramFunctions } from './program-functions'
import { currentFolder, projectChanged } from './project'
import { forgetRegistry } from './registry'
import { forgetSchemas, schemasStore, takeLoad } from './schemas'
import { settingsStore } from './settings'

/**
 * The loop: build, load, and every feature refreshes what it showed. Nobody presses five buttons.
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
    await loadProgramFunctions()
    void refreshFeatures('build')
  }
}

/** The op host does one thing at a time: what somebody looks at comes before what runs by itself. */
async function refreshFeatures(cause: 'build' | 'program'): Promise<void> {
  const all = allFeatures().flatMap((feature) => feature.refresh ?? [])
  const orders = [...new Set(all.map((refresh) => refresh.order))].sort((a, b) => a - b)
  for (const order of orders) {
    const together = all.filter((refresh: Refresh) => refresh.order === order)
    await Promise.all(together.map((refresh) => refresh.run(cause)))
  }
}

/** The program was saved: no build is needed to see what it does now. */
export async function programChanged(): Promise<void> {
  await loadProgramFunctions()
  if (buildStore.getState().job !== null) return // the build refreshes all there is
  void refreshFeatures('program')
}

export function listenToProject(): void {
  listen('project.changed', (project: Project) => {
    if (project.folder !== currentFolder()) return
    const watches = allFeatures().flatMap((feature) => feature.manifest ?? [])
    const read = (): string[] => watches.map((watch) => JSON.stringify(watch.reads()))
    const before = read()
    const stampBefore = buildStamp()
    projectChanged(project)
    manifestArrived()
    const building = buildStamp() !== stampBefore && settingsStore.getState().settings.buildOnSave
    if (building) void buildProject()
    const isBuilt = buildStore.getState().job === null && schemasStore.getState().load !== null
    const now = read()
    watches.forEach((watch, index) => {
      if (now[index] !== before[index]) watch.changed({ building, isBuilt })
    })
  })
}

/** Another project (or none): nothing of the old one may be shown as if it were the new one's. */
export function forgetResults(): void {
  for (const job of allJobs()) job.reset()
  for (const feature of allFeatures()) feature.forget?.()
  forgetBuild()
  forgetSchemas()
  forgetInputs()
  forgetProgramFunctions()
  forgetRegistry()
  forgetSaid()
  dismissCrash()
}
