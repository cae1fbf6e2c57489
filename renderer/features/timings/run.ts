import type { BenchReport, BenchRequest } from '../../../electron/contract/bench-report'
import { ok, type Result, type WorkbenchError } from '../../../electron/contract/outcome'
import { call, listen, newJob } from '../../bridge/bridge'
import { askedKey, timingsStore, chosenRow, type TimingWork, type Measured } from './store'
import {
  timingDraftOf,
  timingEntryOf,
  timingInputs,
  draftOfCall,
  emptyTimingDraft,
  listedBenchmarks,
  type TimingDraft,
} from './draft'
import { runStamp } from '../../store/files'
import { defaultArguments } from '../../store/default-arguments'
import { noteCrash } from '../../store/host'
import { effectiveInputs, inputsStore, manifestSaved } from '../../store/inputs'
import { layoutStore } from '../../store/layout'
import { notify, notifyError } from '../../store/notifications'
import { currentFolder, currentManifest } from '../../store/project'
import { settingsStore } from '../../store/settings'

/** Fills the fields from a benchmark of opsmith.json; what is known of it already is shown. */
export function chooseBenchmark(index: number): void {
  const manifest = currentManifest()
  const entry = listedBenchmarks(manifest)[index]
  if (!manifest || !entry) return
  const { all } = timingsStore.getState()
  const rows = (all?.rows ?? []).flatMap((row) =>
    row.entry === index ? [{ ...row, entry: 0 }] : [],
  )
  const isListed = manifest.benchmarks.length > 0
  const called = manifest.calls.find((item) => item.op === entry.op)
  const timed = timingDraftOf(entry, manifest.inputs)
  const draft = isListed || !called ? timed : draftOfCall(called, manifest.inputs)
  // Of a call, the forward was measured by itself: the fields ask for more.
  const known = all && rows.length > 0 ? { ...all, rows, asked: askedKey(timed) } : null
  choose(draft, isListed ? index : null, known)
}

/** Another operator or function, called as in opsmith.json, else as its schema suggests. */
export function chooseTimed(op: string): void {
  const manifest = currentManifest()
  const called = manifest?.calls.find((item) => item.op === op)
  if (manifest && called) choose(draftOfCall(called, manifest.inputs), null, null)
  else choose(emptyTimingDraft(op, defaultArguments(op)), null, null)
}

/** The times of one operator must not stand under the name of another. */
function choose(draft: TimingDraft, entry: number | null, one: Measured | null): void {
  if (timingsStore.getState().work?.of === 'one') void stopTimings()
  timingsStore.setState({
    view: 'one',
    draft,
    entry,
    one,
    oneError: null,
    oneStamp: one?.stamp ?? null,
    row: null,
    history: [],
    historyError: null,
    kernels: null,
    kernelsError: null,
  })
}

/** Takes an edit of the fields. Nothing is measured until it is asked for: it takes the whole machine. */
export function editTiming(change: Partial<TimingDraft>): void {
  // Builds to compare with are no part of opsmith.json: with others it is still the same entry.
  const isSame = Object.keys(change).every((field) => field === 'builds')
  timingsStore.setState(({ draft, entry }) => ({
    draft: { ...draft, ...change },
    entry: isSame ? entry : null,
  }))
}

/** What the fields say, with the device that the toolbar chose. */
function chosenRequest(): Result<BenchRequest> {
  const { draft } = timingsStore.getState()
  const entry = timingEntryOf(draft, effectiveInputs())
  if (!entry.ok) return entry
  const { device } = inputsStore.getState()
  if (device === '') return ok({ ...entry.value, builds: draft.builds })
  const moved = timingInputs(draft, effectiveInputs()).map(([name, spec]) => {
    return [name, { ...spec, device }] as const
  })
  return ok({ ...entry.value, builds: draft.builds, inputs: Object.fromEntries(moved) })
}

let running: Promise<void> = Promise.resolve()
let wanted = 0

/** Of several wishes while one is measured, the last counts; what is measured is ended for it. */
async function measure(next: () => Promise<void>): Promise<void> {
  wanted += 1
  const mine = wanted
  await endWork()
  await running
  if (mine !== wanted) return
  running = next()
  await running
}

async function endWork(): Promise<void> {
  const { work } = timingsStore.getState()
  if (work !== null) await call('job.cancel', { job: work.job })
}

export async function stopTimings(): Promise<void> {
  wanted += 1
  await endWork()
}

/** Measures what the fields say. */
export function runTiming(): Promise<void> {
  return measure(async () => {
    const folder = currentFolder()
    const { draft } = timingsStore.getState()
    if (folder === null || draft.op === '') return
    const asked = chosenRequest()
    if (!asked.ok) {
      timingsStore.setState({ oneError: asked.error })
      return
    }
    const work = begin('one')
    const result = await call('bench.run', { folder, job: work.job, request: asked.value })
    // Another benchmark was chosen meanwhile: this is not about it.
    const isOurs = timingsStore.getState().draft.op === draft.op && currentFolder() === folder
    const ended = end(work, result)
    if (!isOurs) return
    if (ended.measured) timingsStore.setState({ one: ended.measured })
    timingsStore.setState({ oneError: ended.error })
    if (result.ok) {
      void loadHistory()
      void loadBuilds()
    }
  })
}

/** Measures all of opsmith.json's benchmarks, else its calls. */
export function runAllTimings(): Promise<void> {
  return measure(async () => {
    const folder = currentFolder()
    if (folder === null) return
    const work = begin('all')
    const result = await call('bench.runAll', { folder, job: work.job })
    const ended = end(work, result)
    if (currentFolder() !== folder) return
    if (ended.measured) timingsStore.setState({ all: ended.measured })
    timingsStore.setState({ allError: ended.error })
    if (result.ok) void loadBuilds()
  })
}

function begin(of: TimingWork['of']): TimingWork {
  const stamp = runStamp()
  const asked = of === 'one' ? askedKey(timingsStore.getState().draft) : ''
  const work: TimingWork = {
    job: newJob('bench'),
    of,
    startedAt: Date.now(),
    done: 0,
    total: 0,
    rows: [],
    waiting: '',
    stamp,
    asked,
  }
  timingsStore.setState({
    work,
    ...(of === 'all'
      ? { allError: null, allStamp: stamp }
      : { oneError: null, oneStamp: stamp, history: [] }),
  })
  return work
}

/** What came of it; of work that was stopped, the rows that were done. */
function end(
  begun: TimingWork,
  result: Result<BenchReport>,
): { measured: Measured | null; error: WorkbenchError | null } {
  const { work } = timingsStore.getState()
  const rows = work?.job === begun.job ? work.rows : []
  if (work?.job === begun.job) timingsStore.setState({ work: null })
  const { stamp, asked } = begun
  if (result.ok) {
    const done = result.value.rows.filter((row) => row.error?.code !== 'cancelled')
    const isStopped = done.length < result.value.rows.length
    if (done.length === 0 && isStopped) return { measured: null, error: null }
    return { measured: { rows: done, report: result.value, isStopped, stamp, asked }, error: null }
  }
  if (result.error.exit) noteCrash(result.error.exit)
  return {
    measured: rows.length > 0 ? { rows, report: null, isStopped: true, stamp, asked } : null,
    error: result.error.code === 'cancelled' ? null : result.error,
  }
}

export function followTimings(): void {
  timingsStore.subscribe(({ work }) => {
    const isTiming = work !== null && work.waiting === ''
    document.documentElement.toggleAttribute('data-timing', isTiming)
  })
  listen('bench.progressed', ({ job, done, total, row, waiting = '' }) => {
    timingsStore.setState(({ work }) => {
      if (work?.job !== job) return {}
      const rows = row ? [...work.rows, row] : work.rows
      return { work: { ...work, done, total, rows, waiting } }
    })
  })
}

/** The row to look at closely. */
export function chooseRow(key: string): void {
  timingsStore.setState({ row: key, history: [], historyError: null })
  void loadHistory()
}

/** What the chosen row took at the builds before. */
export async function loadHistory(): Promise<void> {
  const folder = currentFolder()
  const { row: key, draft, view } = timingsStore.getState()
  const row = chosenRow(timingsStore.getState())
  const asked = chosenRequest()
  if (folder === null || view !== 'one' || !row?.summary || !asked.ok) return
  const result = await call('bench.history', { folder, request: asked.value, row })
  const now = timingsStore.getState()
  if (now.row !== key || now.draft !== draft || currentFolder() !== folder) return
  if (result.ok) timingsStore.setState({ history: result.value, historyError: null })
  else timingsStore.setState({ history: [], historyError: result.error })
}

export async function loadBuilds(): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const result = await call('bench.builds', { folder })
  if (result.ok && currentFolder() === folder) timingsStore.setState({ builds: result.value })
}

/** What the GPU does in one forward of what the fields say. */
export async function listKernels(): Promise<void> {
  const folder = currentFolder()
  const asked = chosenRequest()
  if (folder === null || !asked.ok) return
  const { draft } = timingsStore.getState()
  timingsStore.setState({ isListingKernels: true, kernels: null, kernelsError: null })
  const job = newJob('kernels')
  const result = await call('bench.kernels', { folder, job, request: asked.value })
  timingsStore.setState({ isListingKernels: false })
  if (timingsStore.getState().draft !== draft || currentFolder() !== folder) return
  if (result.ok) timingsStore.setState({ kernels: result.value })
  else timingsStore.setState({ kernelsError: result.error })
}

/** What the machine can do at most, measured again; the report that is shown takes it over. */
export async function measureCeilings(threads: number): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  timingsStore.setState({ isMeasuringCeilings: true })
  const result = await call('bench.ceilings', { folder, threads })
  timingsStore.setState({ isMeasuringCeilings: false })
  if (!result.ok) {
    notifyError(result.error)
    return
  }
  const { ceilings, doubt } = result.value
  timingsStore.setState(({ one }) => {
    if (one?.report?.ceilings?.threads !== threads || currentFolder() !== folder) return {}
    return { one: { ...one, report: { ...one.report, ceilings, ceilingsDoubt: doubt } } }
  })
}

/** "" takes the name away. */
export async function nameBuild(key: string, name: string): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const result = await call('bench.nameBuild', { folder, key, name })
  if (result.ok) timingsStore.setState({ builds: result.value })
  else notifyError(result.error)
}

/** Adds what the fields say to opsmith.json. */
export async function keepTiming(): Promise<void> {
  const folder = currentFolder()
  const { draft } = timingsStore.getState()
  const asked = timingEntryOf(draft, effectiveInputs())
  if (folder === null) return
  if (!asked.ok) {
    notifyError(asked.error)
    return
  }
  if (!(await manifestSaved())) return
  const result = await call('bench.keep', { folder, entry: asked.value })
  if (!result.ok) {
    notifyError(result.error)
    return
  }
  const { entry, added } = result.value
  const place = `benchmark ${entry + 1} of opsmith.json`
  notify('info', added ? `Kept: it is ${place}.` : `It is there already: ${place}.`)
  if (timingsStore.getState().draft === draft) timingsStore.setState({ entry })
}

/** After each good build: what is looked at again, if it was measured before and the user wants that. */
export async function refreshTimings(): Promise<void> {
  void loadBuilds()
  const { view, allStamp, oneStamp } = timingsStore.getState()
  if (!settingsStore.getState().settings.benchOnBuild) return
  if (layoutStore.getState().dock?.isShown('timings') !== true) return
  // Once for each state of the sources: what ended the op host would only end it again.
  const stamp = view === 'all' ? allStamp : oneStamp
  if (stamp === null || stamp === runStamp()) return
  await (view === 'all' ? runAllTimings() : runTiming())
}

/** After an edit of opsmith.json: the chosen entry may say something else now, or be gone. */
export function benchmarksChanged(): void {
  const { entry, draft } = timingsStore.getState()
  const manifest = currentManifest()
  if (entry === null || !manifest) return
  const now = listedBenchmarks(manifest)[entry]
  if (!now) timingsStore.setState({ entry: null })
  else {
    const next = { ...timingDraftOf(now, manifest.inputs), builds: draft.builds }
    if (JSON.stringify(next) !== JSON.stringify(draft)) timingsStore.setState({ draft: next })
  }
}

export function forgetTimings(): void {
  void stopTimings()
  timingsStore.setState(timingsStore.getInitialState(), true)
}
