import type { TimingRequest } from '../../../electron/contract/timing-report'
import { ok, type Result } from '../../../electron/contract/outcome'
import { call } from '../../bridge/bridge'
import {
  timingDraftOf,
  timingEntryOf,
  timingInputs,
  draftOfCall,
  emptyTimingDraft,
  listedBenchmarks,
  type TimingDraft,
} from './draft'
import { earlierTime, runStamp } from '../../store/files'
import { defaultArguments } from '../../store/default-arguments'
import { effectiveInputs, inputsStore, manifestSaved } from '../../store/inputs'
import { layoutStore } from '../../store/layout'
import { notify, notifyError } from '../../store/notifications'
import { currentFolder, currentManifest } from '../../store/project'
import { settingsStore } from '../../store/settings'
import { allTimingsJob, ceilingsJob, historyJob, kernelsJob, timingJob, type Timed } from './jobs'
import { timingRuns } from './runs'
import { chosenRow } from './shown'
import { askedKey, timingsStore } from './store'

/** Fills the fields from a benchmark of opsmith.json; what is known of it already is shown. */
export function chooseBenchmark(index: number): void {
  const manifest = currentManifest()
  const entry = listedBenchmarks(manifest)[index]
  if (!manifest || !entry) return
  const { value: all } = allTimingsJob.store.getState()
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
function choose(draft: TimingDraft, entry: number | null, known: Timed | null): void {
  void timingJob.stop()
  timingsStore.setState({ view: 'one', draft, entry, row: null })
  timingJob.set({ value: known, error: null, stamp: known?.stamp ?? null })
  historyJob.set({ value: null, error: null })
  kernelsJob.set({ value: null, error: null })
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
export function chosenRequest(): Result<TimingRequest> {
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

export async function stopTimings(): Promise<void> {
  await Promise.all([timingJob.stop(), allTimingsJob.stop()])
}

/** Times what the fields say. What is timed already is ended for it. */
export async function runTiming(): Promise<void> {
  const { draft } = timingsStore.getState()
  if (draft.op === '') return
  const request = chosenRequest()
  if (!request.ok) {
    await stopTimings()
    timingJob.set({ error: request.error })
    return
  }
  const result = await timingJob.run({ draft, request: request.value })
  if (!result?.ok) return
  void loadHistory()
  void loadBuilds()
}

/** Times all of opsmith.json's benchmarks, else its calls. What is timed already is ended for it. */
export async function runAllTimings(): Promise<void> {
  const result = await allTimingsJob.run()
  if (result?.ok) void loadBuilds()
}

/** The row to look at closely. */
export function chooseRow(key: string): void {
  timingsStore.setState({ row: key })
  historyJob.set({ value: null, error: null })
  void loadHistory()
}

/** What the chosen row took at the builds before. */
export async function loadHistory(): Promise<void> {
  const { row: key, draft, view } = timingsStore.getState()
  const row = chosenRow()
  const request = chosenRequest()
  if (view !== 'one' || !row?.summary || !request.ok) return
  await historyJob.run({ key, draft, row, request: request.value })
}

export async function loadBuilds(): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const result = await call('timing.builds', { folder })
  if (result.ok && currentFolder() === folder) timingsStore.setState({ builds: result.value })
}

/** What the GPU does in one forward of what the fields say. */
export async function listKernels(): Promise<void> {
  const { draft } = timingsStore.getState()
  const request = chosenRequest()
  if (request.ok) await kernelsJob.run({ draft, request: request.value })
}

/** What the machine can do at most, measured again; the report that is shown takes it over. */
export async function measureCeilings(threads: number): Promise<void> {
  const result = await ceilingsJob.run(threads)
  if (result === null) return
  if (!result.ok) {
    notifyError(result.error)
    return
  }
  const { ceilings, doubt } = result.value
  const { value: timed } = timingJob.store.getState()
  if (timed?.report?.ceilings?.threads !== threads) return
  const report = { ...timed.report, ceilings, ceilingsDoubt: doubt }
  timingJob.set({ value: { ...timed, report } })
}

/** "" takes the name away. */
export async function nameBuild(key: string, name: string): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const result = await call('timing.nameBuild', { folder, key, name })
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
  const result = await call('timing.keep', { folder, entry: asked.value })
  if (!result.ok) {
    notifyError(result.error)
    return
  }
  const { entry, added } = result.value
  const place = `benchmark ${entry + 1} of opsmith.json`
  notify('info', added ? `Saved as ${place}.` : `This benchmark already exists: ${place}.`)
  if (timingsStore.getState().draft === draft) timingsStore.setState({ entry })
}

/** After each good build: what is looked at again, if it was measured before and the user wants that. */
export async function refreshTimings(): Promise<void> {
  void loadBuilds()
  const { view } = timingsStore.getState()
  // A run is of the sources that it was started with.
  if (view === 'run') return
  if (!settingsStore.getState().settings.timeOnBuild) return
  if (layoutStore.getState().dock?.isShown('timings') !== true) return
  // Once for each state of the sources: what ended the op host would only end it again.
  const { stamp } = (view === 'all' ? allTimingsJob : timingJob).store.getState()
  if (stamp === null || stamp === runStamp() || earlierTime(stamp) !== null) return
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
  timingRuns.forget()
  ceilingsJob.reset()
  historyJob.reset()
  timingsStore.setState(timingsStore.getInitialState(), true)
}
